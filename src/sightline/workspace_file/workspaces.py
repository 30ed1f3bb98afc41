"""Listing and deleting workspaces."""

from msgspec import Struct

from sightline.platform.db import Database
from sightline.platform.errors import NotFound
from sightline.workspace_file import queries, queries_workspaces


class WorkspaceLine(Struct, rename="camel"):
    """A workspace and how much is in it."""

    slug: str
    name: str
    id: str
    counts: dict[str, int]


async def list_workspaces(db: Database) -> list[WorkspaceLine]:
    """By slug; `counts`: how many records of each kind there are."""
    async with db.snapshot() as tx:
        rows = await queries_workspaces.page_of_workspaces(tx)
    return [WorkspaceLine(*row) for row in rows]


async def delete_workspace(db: Database, slug: str) -> dict[str, int]:
    """Deletes everything that belongs to a workspace; how many rows of which table. Raises NotFound."""
    async with db.write() as tx:
        await tx.run(queries.LOCK_SLUG, slug)
        workspace_id = await queries_workspaces.lock_workspace(tx, slug)
        if workspace_id is None:
            raise NotFound(f"There is no workspace {slug}.")
        removed = {}
        for table in queries_workspaces.TABLES:
            removed[table] = await queries_workspaces.remove_rows(tx, table, workspace_id)
        await queries_workspaces.remove_workspace(tx, workspace_id)
    return {"workspaces": 1} | {table: count for table, count in removed.items() if count}
