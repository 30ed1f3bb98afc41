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
    groups: dict[Parent, list[Entry]] = defaultdict(list)
    for entry in entries:
        if not entry.broken:
            groups[tuple(entry.row[column] for column, _ in table.parents)].append(entry)
    last = await _last(run, table, list(groups))
    for parent, group in groups.items():
        largest, count = last.get(parent, (None, 0))
        if _keeps_order(table, group):
            _append(table, group, -1 if largest is None else largest)
        else:
            await _renumber(run, table, parent, group, count)


async def _last(run: Run, table: Table, parents: Sequence[Parent]) -> dict[Parent, tuple[int | None, int]]:
    if not parents:
        return {}
    rows = await queries.find_last_positions(run.tx, table, run.workspace_id, parents)
    columns = [column for column, _ in table.parents]
    return {tuple(row[column] for column in columns): (row["position"], row["count"]) for row in rows}


def _keeps_order(table: Table, group: Sequence[Entry]) -> bool:
    stored = [entry for entry in group if not entry.is_new]
    places = [(entry.stored[table.position], entry.stored[table.primary[-1]]) for entry in stored]
    return list(group[: len(stored)]) == stored and places == sorted(places)


def _append(table: Table, group: Sequence[Entry], largest: int) -> None:
    new = [entry for entry in group if entry.is_new]
    for position, entry in enumerate(new, largest + 1):
        entry.row[str(table.position)] = position


async def _renumber(run: Run, table: Table, parent: Parent, group: Sequence[Entry], count: int) -> None:
    kept = [primary_of(table, entry.stored)[-1] for entry in group if not entry.is_new]
    if count > len(kept):
        await queries.move_others_back(run.tx, table, run.workspace_id, parent, kept, len(group))
    for number, entry in enumerate(group):
        entry.row[str(table.position)] = number
        if not entry.is_new and entry.stored[table.position] != number:
            entry.changed.add("position")
