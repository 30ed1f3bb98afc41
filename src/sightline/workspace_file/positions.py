"""The positions of records in ordered lists."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sightline.platform.file_section import Entry, Run, Table
from sightline.workspace_file import queries
from sightline.workspace_file.matching import primary_of

Parent = tuple[Any, ...]


async def place(run: Run, table: Table, entries: Sequence[Entry]) -> None:
    """Keeps the positions of stored records if the file has them in the same order and new ones after them.

    Otherwise the records of the file are numbered from 0, and other stored records follow them.
    """
    if table.position is None:
        return
    position = table.position
    groups: dict[Parent, list[Entry]] = defaultdict(list)
    for entry in entries:
        if not entry.broken:
            groups[tuple(entry.row[column] for column, _ in table.parents)].append(entry)
    stored = await _stored(run, table, list(groups))
    for parent, group in groups.items():
        rows = stored.get(parent, [])
        known = [primary_of(table, entry.stored) for entry in group if entry.stored is not None]
        in_order = [name for row in rows if (name := primary_of(table, row)) in set(known)]
        if [primary_of(table, entry.row) for entry in group[: len(known)]] == in_order:
            first = max((row[position] for row in rows), default=-1) + 1
            for number, entry in enumerate(group[len(known) :], first):
                entry.row[position] = number
            continue
        for number, entry in enumerate(group):
            entry.row[position] = number
            if entry.stored is not None and entry.stored[position] != number:
                entry.changed.add("position")
        others = [row for row in rows if primary_of(table, row) not in set(known)]
        moved = [
            {column: row[column] for column in table.primary} | {position: number}
            for number, row in enumerate(others, len(group))
        ]
        await queries.change_rows(run.tx, table, run.workspace_id, (position,), moved)


async def _stored(run: Run, table: Table, parents: list[Parent]) -> dict[Parent, list[Any]]:
    """Returns the stored rows of each enclosing record, in their order."""
    found: dict[Parent, list[Any]] = defaultdict(list)
    if not table.parents:
        found[()] = [row async for rows in queries.all_rows(run.tx, table, run.workspace_id) for row in rows]
    elif parents:
        for row in await queries.rows_inside(run.tx, table, run.workspace_id, parents):
            found[tuple(row[column] for column, _ in table.parents)].append(row)
    return found
