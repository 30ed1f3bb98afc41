"""The SQL of portals."""

from typing import Any
from uuid import UUID

from sightline.platform.db import Tx, sql
from sightline.portal.portals.records import COLUMNS, Portal

_HAS_HOST = sql("SELECT EXISTS (SELECT FROM portals WHERE host = ANY(:hosts))")
_OF_WORKSPACE = sql("SELECT {columns} FROM portals WHERE workspace_id = :workspace_id", columns=COLUMNS)


async def has_host(tx: Tx, hosts: list[str]) -> bool:
    """Whether a portal has one of these hosts: the name with and without its port."""
    found: bool = await tx.value(_HAS_HOST, hosts=hosts)
    return found


async def find_of_workspace(tx: Tx, workspace_id: UUID) -> Portal | None:
    row = await tx.row(_OF_WORKSPACE, workspace_id=workspace_id)
    return Portal(*row) if row else None


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


async def add_portal(tx: Tx, workspace_id: UUID) -> bool:
    """Adds a portal under the workspace's slug. Returns False if there is one, or if another portal has that alias."""
    return await tx.run(_ADD, workspace_id=workspace_id) == 1


async def lock_portal(tx: Tx, workspace_id: UUID) -> Portal | None:
    row = await tx.row(_LOCK, workspace_id=workspace_id)
    return Portal(*row) if row else None


async def is_host_taken(tx: Tx, workspace_id: UUID, host: str) -> bool:
    taken: bool = await tx.value(_HOST_IS_TAKEN, workspace_id=workspace_id, host=host)
    return taken


async def configure(tx: Tx, workspace_id: UUID, **settings: Any) -> None:
    """Sets `remote_login_url`, `remote_logout_url` and `host`; None keeps the current host."""
    await tx.run(_CONFIGURE, workspace_id=workspace_id, **settings)


async def set_secret(tx: Tx, workspace_id: UUID, secret: bytes) -> None:
    await tx.run(_SET_SECRET, workspace_id=workspace_id, secret=secret)
