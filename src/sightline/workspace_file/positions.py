"""The places of records in a list whose order counts."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sightline.platform.file_section import Entry, Run, Table
from sightline.workspace_file import queries
from sightline.workspace_file.matching import primary_of

Parent = tuple[Any, ...]


async def place(run: Run, table: Table, entries: Sequence[Entry]) -> None:
    """Stored records keep their places where the file has them in the same order and new ones behind them.

    Otherwise those of the file are counted anew, and those it does not name follow them.
    """
    if table.position is None:
        return
    groups: dict[Parent, list[Entry]] = defaultdict(list)
    for entry in entries:
        if not entry.broken:
            groups[tuple(entry.row[column] for column, _ in table.parents)].append(entry)
    last = await _last(run, table, list(groups))
    for parent, group in groups.items():
        behind, count = last.get(parent, (None, 0))
        if _keeps_order(table, group):
            _append(table, group, -1 if behind is None else behind)
        else:
            await _count_anew(run, table, parent, group, count)


async def _last(run: Run, table: Table, parents: Sequence[Parent]) -> dict[Parent, tuple[int | None, int]]:
    if not parents:
        return {}
    rows = await queries.last_positions(run.tx, table, run.workspace_id, parents)
    return {tuple(row[:-2]): (row[-2], row[-1]) for row in rows}


def _keeps_order(table: Table, group: Sequence[Entry]) -> bool:
    stored = [entry for entry in group if not entry.is_new]
    places = [(entry.stored[table.position], entry.stored[table.primary[-1]]) for entry in stored]
    return list(group[: len(stored)]) == stored and places == sorted(places)


def _append(table: Table, group: Sequence[Entry], behind: int) -> None:
    for entry in group:
        if entry.is_new:
            behind += 1
            entry.row[str(table.position)] = behind


async def _count_anew(run: Run, table: Table, parent: Parent, group: Sequence[Entry], count: int) -> None:
    kept = [primary_of(table, entry.stored)[-1] for entry in group if not entry.is_new]
    if count > len(kept):
        await queries.move_others_back(run.tx, table, run.workspace_id, parent, kept, len(group))
    for number, entry in enumerate(group):
        entry.row[str(table.position)] = number
        if not entry.is_new and entry.stored[table.position] != number:
            entry.changed.add("position")
