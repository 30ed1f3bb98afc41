"""Adding an account."""

from uuid import UUID

from asyncpg import UniqueViolationError

from sightline.platform.access import Actor
from sightline.platform.db import Tx, sql
from sightline.platform.ids import new_id
from sightline.workspaces.bulk import add_to_counts
from sightline.workspaces.changes import log_change

_ADD = sql("""
    INSERT INTO accounts (workspace_id, id, external_id, name, domain, created_at, updated_at)
    VALUES (:workspace_id, :id, :external_id, :name, :domain, :now, :now) ON CONFLICT DO NOTHING""")


async def add_account(
    tx: Tx, actor: Actor, name: str, *, external_id: str | None = None, domain: str | None = None
) -> UUID:
    """Adds an account and returns its id. Raises UniqueViolationError if another account has the external id."""
    id = await add_unknown_account(tx, actor, name, external_id, domain)
    if id is None:
        raise UniqueViolationError(f"Another account has the external id {external_id}")
    return id


async def add_unknown_account(
    tx: Tx, actor: Actor, name: str, external_id: str | None, domain: str | None
) -> UUID | None:
    """Adds an account and returns its id. Returns None if another account has the external id."""
    id = new_id()
    values = {"external_id": external_id, "name": name, "domain": domain}
    if not await tx.run(_ADD, workspace_id=actor.workspace_id, id=id, **values):
        return None
    await log_change(tx, actor, "account", id, None, "created")
    await add_to_counts(tx, actor.workspace_id, {"account": 1})
    return id
