"""The SQL of exporting a workspace, made from the declarations of tables."""

from collections.abc import AsyncIterator, Sequence
from typing import Any
from uuid import UUID

from sightline.platform.db import Tx
from sightline.platform.file_section import Link, Table
from sightline.workspace_file.queries import among


async def find_workspace_id(tx: Tx, slug: str) -> UUID | None:
    found: UUID | None = await tx.value("SELECT id FROM workspaces WHERE slug = $1", slug)
    return found


async def read_by_index(tx: Tx) -> None:
    """A plan for a batch that reads a whole table costs the square of the table's size over all batches."""
    await tx.run("SET LOCAL enable_seqscan = off")


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
    columns = [column for column, _ in table.parents]
    statement = (
        f"SELECT {', '.join(table.columns)} FROM {table.name} WHERE workspace_id = $1"
        f" AND {among(columns, ['uuid'] * len(columns))} ORDER BY {', '.join(columns)}, {table.order}"
    )
    return await tx.rows(statement, workspace_id, *[list(values) for values in zip(*parents, strict=True)])


async def find_links_of(tx: Tx, link: Link, workspace_id: UUID, owners: Sequence[UUID]) -> dict[UUID, list[Any]]:
    """By owner what it names, in the order of linking."""
    statement = (
        f"SELECT {link.owner}, {link.member}, {link.flag or 'false'} FROM {link.table}"
        f" WHERE workspace_id = $1 AND {link.owner} = ANY($2) ORDER BY {link.owner}, link"
    )
    found: dict[UUID, list[Any]] = {}
    for owner, member, flag in await tx.rows(statement, workspace_id, owners):
        shown = str(member) if link.flag is None else {link.item: str(member), link.flag: flag}
        found.setdefault(owner, []).append(shown)
    return found
