"""Listing and deleting workspaces, for people who operate the service."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from functools import partial
from uuid import UUID

from msgspec import Struct

from sightline.platform.db import Database, Tx, retry_transaction, sql
from sightline.platform.db.tables import tables_of_workspaces
from sightline.platform.errors import Conflict, NotFound
from sightline.workspaces.tenants import LOCK_SLUG

# Emptied first: triggers search these tables for each record that is deleted.
_FIRST = ("idempotency_keys", "idea_words")
# Emptied last: requests of the workspace wait for its numbers on a connection that they share with other workspaces.
_LAST = "public_numbers"

# Emptied before all others, so that nobody comes in.
_ENTRANCES = ("api_keys", "portal_sessions", "jobs")
_LEAVE_SECONDS = 2.0  # in which processes notice it, and what they do ends

_WORKSPACES = sql("""
    SELECT w.slug, w.name, w.id::text AS id, c.kind, sum(c.count)::bigint AS total
      FROM workspaces AS w LEFT JOIN record_counts AS c ON c.workspace_id = w.id
     GROUP BY w.id, c.kind ORDER BY w.slug, c.kind""")
_FIND_WORKSPACE = sql("SELECT id FROM workspaces WHERE slug = :slug")
_LOCK_WORKSPACE = sql("SELECT FROM workspaces WHERE id = :workspace_id FOR UPDATE")
_REMOVE_WORKSPACE = sql("DELETE FROM workspaces WHERE id = :workspace_id")


class WorkspaceLine(Struct, rename="camel"):
    """A workspace, and how many records of each kind it has."""

    slug: str
    name: str
    id: str
    counts: dict[str, int]


async def list_workspaces(db: Database) -> list[WorkspaceLine]:
    """Returns all workspaces by slug."""
    async with db.snapshot() as tx:
        rows = await tx.rows(_WORKSPACES)
    found: dict[str, WorkspaceLine] = {}
    for row in rows:
        line = found.setdefault(row["slug"], WorkspaceLine(row["slug"], row["name"], row["id"], {}))
        if row["kind"] is not None:
            line.counts[row["kind"]] = row["total"]
    return list(found.values())


async def delete_workspace(db: Database, slug: str) -> dict[str, int]:
    """Deletes a workspace with all its rows. Returns the number of rows by table. Raises NotFound, Conflict.

    Keys, sessions and jobs go first, and the rest when nobody writes any more: what is written meanwhile would stay.
    """
    busy = Conflict("The records of the workspace keep changing. Try again.")
    entrances = await retry_transaction(db, partial(_empty, slug=slug, only=_ENTRANCES), busy)
    if any(entrances.values()):
        await asyncio.sleep(_LEAVE_SECONDS)
    removed = Counter(entrances) + Counter(await retry_transaction(db, partial(_empty, slug=slug), busy))
    return {"workspaces": 1} | {table: removed[table] for table in sorted(removed)}


async def _empty(tx: Tx, slug: str, only: Sequence[str] = ()) -> dict[str, int]:
    """Empties these tables of the workspace, or all of them and removes it. Returns the number of rows by table.

    Its jobs go before anything is locked, which waits for the workers that have one: they lock a job first, too.
    """
    await tx.run(LOCK_SLUG, slug=slug)
    workspace_id: UUID | None = await tx.value(_FIND_WORKSPACE, slug=slug)
    if workspace_id is None:
        raise NotFound(f"There is no workspace {slug}.")
    removed = {}
    tables = only or await tables_of_workspaces(tx.connection)
    for table in sorted(tables, key=lambda table: (table != "jobs", table not in _FIRST, table == _LAST)):
        statement = sql("DELETE FROM {table} WHERE workspace_id = :workspace_id", table=table)
        removed[table] = await tx.run(statement, workspace_id=workspace_id)
        if table == "jobs" and not only:
            await tx.run(_LOCK_WORKSPACE, workspace_id=workspace_id)
    if not only:
        await tx.run(_REMOVE_WORKSPACE, workspace_id=workspace_id)
    return removed
