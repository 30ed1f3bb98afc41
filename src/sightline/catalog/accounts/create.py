"""Adding an account."""

from uuid import UUID

from sightline.platform.access import Actor
from sightline.platform.db import Tx, sql
from sightline.platform.ids import new_id
from sightline.workspaces.bulk import add_to_counts
from sightline.workspaces.changes import log_change

_ADD = sql("""
    INSERT INTO accounts (workspace_id, id, external_id, name, domain, created_at, updated_at)
    VALUES (:workspace_id, :id, :external_id, :name, :domain, :now, :now)""")


async def add_account(
    tx: Tx, actor: Actor, name: str, *, external_id: str | None = None, domain: str | None = None
) -> UUID:
    """Adds an account and returns its id. Raises UniqueViolationError if another account has the external id."""
    id = new_id()
    await tx.run(_ADD, workspace_id=actor.workspace_id, id=id, external_id=external_id, name=name, domain=domain)
    await log_change(tx, actor, "account", id, None, "created")
    await add_to_counts(tx, actor.workspace_id, {"account": 1})
    return id
