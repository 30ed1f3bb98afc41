"""A whole workspace as one file: JSON, one record on a line, in bounded memory, from one snapshot.

An unchanged workspace gives the same bytes: fields, records and links have a fixed order.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any
from uuid import UUID

import msgspec

from sightline.platform.db import Database, Tx
from sightline.platform.file_section import Link, Table
from sightline.workspace_file import queries
from sightline.workspace_file.sections import SHOWN, all_tables, lists, parts
from sightline.workspaces.tenants import find_workspace

Write = Callable[[bytes], object]
_encode = msgspec.json.encode


async def export_workspace(db: Database, slug: str, write: Write) -> None:
    """Writes the workspace as a workspace file. Raises NotFound before anything is written."""
    async with db.snapshot() as tx:
        for statement in queries.READ_BY_INDEX:
            await tx.run(statement)
        workspace = await find_workspace(tx, slug)
        await _Export(tx, workspace.id, write).run()


class _Export:
    def __init__(self, tx: Tx, workspace_id: UUID, write: Write) -> None:
        self.tx = tx
        self.workspace_id = workspace_id
        self.write = write

    async def run(self) -> None:
        before = b"{"
        for name in SHOWN:
            if name in parts():
                shown = await parts()[name].show(self.tx, self.workspace_id)
                if shown is None:
                    continue
                self.write(before + _encode(name) + b": ")
                await self._part(name, shown)
            else:
                self.write(before + _encode(name) + b": ")
                await self._list(all_tables()[name])
            before = b",\n"
        self.write(b"}\n")

    async def _part(self, name: str, shown: dict[str, Any]) -> None:
        self.write(_encode(shown)[:-1])
        for path in lists():
            if path.startswith(f"{name}."):
                self.write(b", " + _encode(path.rpartition(".")[2]) + b": ")
                await self._list(lists()[path])
        self.write(b"}")

    async def _list(self, table: Table, parent: Sequence[Any] = ()) -> None:
        before = b"[\n"
        async for rows in queries.batches(self.tx, table, self.workspace_id, parent):
            for row, record in zip(rows, await self._records(table, rows), strict=True):
                self.write(before + _encode(record)[:-1])
                for child in table.children:
                    if child.spilled:
                        self.write(b", " + _encode(child.list_name) + b": ")
                        await self._list(child, [row[column] for _, column in child.parents])
                self.write(b"}")
                before = b",\n"
        self.write(b"[]" if before == b"[\n" else b"\n]")

    async def _records(self, table: Table, rows: Sequence[Any]) -> Iterator[dict[str, Any]]:
        """Yields the records of some rows as the file shows them."""
        links = {link.name: await self._links(link, [row["id"] for row in rows]) for link in table.links}
        children = {child.list_name: await self._inside(child, rows) for child in table.children if not child.spilled}
        show = await table.show(self.tx, self.workspace_id, rows) if table.show else None
        return (_record(table, row, links, children, show) for row in rows)

    async def _links(self, link: Link, owners: Sequence[UUID]) -> dict[UUID, list[Any]]:
        """Returns the linked references by owner, in the order of linking."""
        found: dict[UUID, list[Any]] = {}
        for row in await queries.find_links(self.tx, link, self.workspace_id, owners):
            member = str(row["member"])
            shown = member if link.flag is None else {link.item: member, link.flag: row["flag"]}
            found.setdefault(row["owner"], []).append(shown)
        return found

    async def _inside(self, table: Table, parents: Sequence[Any]) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
        """Returns the nested records of some rows, by the columns that name the rows."""
        above = [column for _, column in table.parents]
        keys = [tuple(row[column] for column in above) for row in parents]
        rows = await queries.find_inside(self.tx, table, self.workspace_id, keys)
        found: dict[tuple[Any, ...], list[dict[str, Any]]] = {key: [] for key in keys}
        if rows:
            for row, record in zip(rows, await self._records(table, rows), strict=True):
                found[tuple(row[column] for column, _ in table.parents)].append(record)
        return found


def _record(
    table: Table, row: Any, links: dict[str, Any], children: dict[str, Any], show: Callable[[Any], Any] | None
) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for field in table.all_fields:
        shown = field.show(row[field.column])
        if shown is not None or field.name != "key":
            record[field.name] = shown
    for name, found in links.items():
        record[name] = found.get(row["id"], [])
    for child in table.children:
        if not child.spilled:
            record[child.list_name] = children[child.list_name][tuple(row[column] for _, column in child.parents)]
    if show is not None:
        record |= show(row)
    for name in ("createdAt", "updatedAt"):
        if name in record:
            record[name] = record.pop(name)
    return record
