"""Configures a portal's sign-in, and rotates its secret. Specification: Portal JWT single sign-in."""

import secrets
from dataclasses import asdict, dataclass
from uuid import UUID

import msgspec

from sightline.platform.access import Actor
from sightline.platform.db import Tx, sql
from sightline.platform.errors import Conflict, NotFound, ValidationFailed
from sightline.platform.server_secret import ServerSecret
from sightline.portal.portals.records import COLUMNS, Host, Portal
from sightline.portal.portals.urls import is_safe_remote
from sightline.workspaces.changes import log_change

_LONGEST_URL = 2000

_FIND = sql("SELECT {columns} FROM portals WHERE workspace_id = :workspace_id", columns=COLUMNS)
_ADD = sql("""
    INSERT INTO portals (workspace_id, alias, name, created_at, updated_at)
    SELECT id, slug, name, :now, :now FROM workspaces WHERE id = :workspace_id
    ON CONFLICT DO NOTHING""")
_CONFIGURE = sql("""
    UPDATE portals
       SET remote_login_url = :remote_login_url, remote_logout_url = :remote_logout_url,
           host = coalesce(:host, host), updated_at = :now
     WHERE workspace_id = :workspace_id""")
_HOST_IS_TAKEN = sql("SELECT EXISTS (SELECT FROM portals WHERE workspace_id <> :workspace_id AND host = :host)")
_LOCK = sql("SELECT {columns} FROM portals WHERE workspace_id = :workspace_id FOR UPDATE", columns=COLUMNS)
_SET_SECRET = sql("""
    UPDATE portals SET secret = :secret, updated_at = :now
     WHERE workspace_id = :workspace_id""")


@dataclass(frozen=True, slots=True)
class SignIn:
    """The addresses for signing in and out; `host` is the portal's own host name."""

    remote_login_url: str
    remote_logout_url: str
    host: str | None = None


class PortalHostTaken(Conflict):
    """409: another portal has the host."""

    code = "PORTAL_HOST_TAKEN"


async def configure(
    tx: Tx, actor: Actor, sign_in: SignIn, server_secret: ServerSecret, service_host: str | None = None
) -> tuple[Portal, str | None]:
    """Returns the portal, and its secret if it had none before. `service_host` cannot be the portal's own.

    Raises ValidationFailed, PortalHostTaken, NotFound.
    """
    _check(sign_in, service_host)
    workspace_id = actor.workspace_id
    await tx.run(_ADD, workspace_id=workspace_id)
    before = await tx.row(_LOCK, workspace_id=workspace_id)
    if before is None:
        raise Conflict("Another portal has the workspace's slug as its alias: give this one an alias in its file.")
    if sign_in.host and await tx.value(_HOST_IS_TAKEN, workspace_id=workspace_id, host=sign_in.host):
        raise PortalHostTaken(f"Another portal has the host {sign_in.host}.")
    await tx.run(_CONFIGURE, workspace_id=workspace_id, **asdict(sign_in))
    secret = await _renew_secret(tx, actor, server_secret) if before["secret"] is None else None
    await log_change(tx, actor, "portal", workspace_id, None, "configured")
    return Portal(*await tx.one(_FIND, workspace_id=actor.workspace_id)), secret


async def rotate_secret(tx: Tx, actor: Actor, server_secret: ServerSecret) -> tuple[Portal, str]:
    """Returns the portal and its new secret; tokens signed with the old one are no longer accepted.

    Raises NotFound when the workspace has no portal.
    """
    if await tx.row(_LOCK, workspace_id=actor.workspace_id) is None:
        raise NotFound("The workspace has no portal: run `sightline portal configure`.")
    secret = await _renew_secret(tx, actor, server_secret)
    await log_change(tx, actor, "portal", actor.workspace_id, None, "secret_rotated")
    return Portal(*await tx.one(_FIND, workspace_id=actor.workspace_id)), secret


async def _renew_secret(tx: Tx, actor: Actor, server_secret: ServerSecret) -> str:
    """Stores a new secret, and returns it."""
    secret = secrets.token_urlsafe(32)  # with 48 bytes and more some signing libraries choose another algorithm
    encrypted = server_secret.encrypt(actor.workspace_id, secret)
    await tx.run(_SET_SECRET, workspace_id=actor.workspace_id, secret=encrypted)
    return secret


async def find_portal(tx: Tx, workspace_id: UUID) -> Portal | None:
    """Returns the portal of the workspace, or None."""
    row = await tx.row(_FIND, workspace_id=workspace_id)
    return Portal(*row) if row else None


def _check(sign_in: SignIn, service_host: str | None) -> None:
    for name, url in (
        ("--remote-login-url", sign_in.remote_login_url),
        ("--remote-logout-url", sign_in.remote_logout_url),
    ):
        if not is_safe_remote(url) or len(url) > _LONGEST_URL:
            raise ValidationFailed.of(name, "Has to be an https:// address (http:// for this machine only)")
    if sign_in.host is None:
        return
    try:
        msgspec.convert(sign_in.host, Host)
    except msgspec.ValidationError:
        raise ValidationFailed.of("--host", "Has to be a host name in lower case, such as ideas.example.com") from None
    if sign_in.host == service_host:
        raise ValidationFailed.of("--host", "This is the host of the service itself: leave it out")
