"""Configures a portal's sign-in, and rotates its secret. Specification: Portal JWT single sign-in."""

import secrets
from dataclasses import dataclass

import msgspec

from sightline.platform.access import Actor
from sightline.platform.db import Tx
from sightline.platform.errors import Conflict, NotFound, ValidationFailed
from sightline.platform.server_secret import ServerSecret
from sightline.portal.portals import queries
from sightline.portal.portals.records import Host, Portal
from sightline.portal.portals.urls import is_safe_remote
from sightline.workspaces.changes import log_change

_LONGEST_URL = 2000


@dataclass(frozen=True, slots=True)
class SignIn:
    """The addresses for signing in and out; `host` is the portal's own host name."""

    remote_login_url: str
    remote_logout_url: str
    host: str | None = None


class PortalHostTaken(Conflict):
    """409: another portal has the host."""

    code = "PORTAL_HOST_TAKEN"


def new_secret() -> str:
    """Returns 43 URL-safe characters: with 48 bytes and more some signing libraries choose another algorithm."""
    return secrets.token_urlsafe(32)


async def configure(
    tx: Tx, actor: Actor, sign_in: SignIn, server_secret: ServerSecret, service_host: str | None = None
) -> tuple[Portal, str | None]:
    """Returns the portal, and its secret if it had none before. `service_host` cannot be the portal's own.

    Raises ValidationFailed, PortalHostTaken, NotFound.
    """
    _check(sign_in, service_host)
    workspace_id = actor.workspace_id
    await queries.add_portal(tx, workspace_id)
    portal = await queries.lock_portal(tx, workspace_id)
    if portal is None:
        raise Conflict("Another portal has the workspace's slug as its alias: give this one an alias in its file.")
    if sign_in.host and await queries.is_host_taken(tx, workspace_id, sign_in.host):
        raise PortalHostTaken(f"Another portal has the host {sign_in.host}.")
    await queries.configure(
        tx,
        workspace_id,
        remote_login_url=sign_in.remote_login_url,
        remote_logout_url=sign_in.remote_logout_url,
        host=sign_in.host,
    )
    secret = None
    if portal.secret is None:
        secret = await _renew_secret(tx, actor, server_secret)
    await log_change(tx, actor, "portal", workspace_id, None, "configured")
    return await _find(tx, actor), secret


async def rotate_secret(tx: Tx, actor: Actor, server_secret: ServerSecret) -> tuple[Portal, str]:
    """Returns the portal and its new secret; tokens signed with the old one are no longer accepted.

    Raises NotFound when the workspace has no portal.
    """
    if await queries.lock_portal(tx, actor.workspace_id) is None:
        raise NotFound("The workspace has no portal: run `sightline portal configure`.")
    secret = await _renew_secret(tx, actor, server_secret)
    await log_change(tx, actor, "portal", actor.workspace_id, None, "secret_rotated")
    return await _find(tx, actor), secret


async def _renew_secret(tx: Tx, actor: Actor, server_secret: ServerSecret) -> str:
    secret = new_secret()
    await queries.set_secret(tx, actor.workspace_id, server_secret.encrypt(actor.workspace_id, secret))
    return secret


async def _find(tx: Tx, actor: Actor) -> Portal:
    portal = await queries.find_of_workspace(tx, actor.workspace_id)
    assert portal is not None  # noqa: S101 - it is locked by this transaction
    return portal


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
