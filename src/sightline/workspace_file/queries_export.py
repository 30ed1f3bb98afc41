"""The SQL of exporting a workspace, made from the declarations of tables."""

from collections.abc import AsyncIterator, Sequence
from typing import Any
from uuid import UUID

from sightline.platform.db import Tx
from sightline.platform.file_section import Link, Table
from sightline.workspace_file.queries import BY_INDEX, find_links, wanted_in


async def find_workspace_id(tx: Tx, slug: str) -> UUID | None:
    found: UUID | None = await tx.value("SELECT id FROM workspaces WHERE slug = $1", slug)
    return found


async def read_by_index(tx: Tx) -> None:
    for statement in BY_INDEX:
        await tx.run(statement)


async def batches(tx: Tx, table: Table, workspace_id: UUID, parent: Sequence[Any] = ()) -> AsyncIterator[list[Any]]:
    """All rows of a list in their order, some at a time; `parent` names the enclosing record."""
    above = "".join(f" AND {column} = ${place}" for place, (column, _) in enumerate(table.parents, 2) if parent)
    statement = (
        f"SELECT {', '.join(table.columns)} FROM {table.name}"
        f" WHERE workspace_id = $1 AND {table.where}{above} ORDER BY {table.order}"
    )
    batch: list[Any] = []
    async for row in tx.connection.cursor(statement, workspace_id, *parent, prefetch=table.batch):
        batch.append(row)
        if len(batch) >= table.batch:
            yield batch
            batch = []
    if batch:
        yield batch


async def find_inside(tx: Tx, table: Table, workspace_id: UUID, parents: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Nested rows of some enclosing records, in their order."""
    columns = [f"t.{column}" for column, _ in table.parents]
    found = wanted_in(table.name, columns, ["uuid"] * len(columns))
    shown = ", ".join(f"t.{column}" for column in table.columns)
    statement = f"SELECT {shown} FROM {found} ORDER BY {', '.join(columns)}, {table.order}"
    return await tx.rows(statement, workspace_id, *[list(values) for values in zip(*parents, strict=True)])


async def find_links_of(tx: Tx, link: Link, workspace_id: UUID, owners: Sequence[UUID]) -> dict[UUID, list[Any]]:
    """By owner what it names, in the order of linking."""
    found: dict[UUID, list[Any]] = {}
    for owner, member, flag in await find_links(tx, link, workspace_id, owners):
        shown = str(member) if link.flag is None else {link.item: str(member), link.flag: flag}
        found.setdefault(owner, []).append(shown)
    return found
