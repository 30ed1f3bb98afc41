"""Sets of links: what stays stays in its place, the rest goes and comes in the order of the file."""

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

from sightline.platform.file_section import Entry, Link, Run, Table
from sightline.platform.file_section.entries import Linked
from sightline.workspace_file import queries


async def compare_links(run: Run, table: Table, entries: Sequence[Entry], *, late: bool = False) -> None:
    """Notes at stored records which of their sets differ; puts the ids of new ones onto their rows."""
    for link in table.links:
        if link.late == late:
            giving = [entry for entry in entries if link.name in entry.links and not entry.broken]
            before = await _before(run, link, [entry for entry in giving if not entry.is_new or late])
            for entry in giving:
                entry.notes[link.name] = before.get(entry.id, [])
                if entry.notes[link.name] != entry.links[link.name]:
                    entry.changed.add(link.name)
                if entry.is_new and link.array and not late:
                    entry.row[link.array] = [linked.id for linked in entry.links[link.name]]


async def _before(run: Run, link: Link, stored: Sequence[Entry]) -> dict[UUID, list[Linked]]:
    before: dict[UUID, list[Linked]] = defaultdict(list)
    if stored:
        for owner, member, flag in await queries.find_links(
            run.tx, link, run.workspace_id, [entry.id for entry in stored]
        ):
            before[owner].append(Linked(member, flag))
    return before


async def write_links(run: Run, table: Table, entries: Sequence[Entry], *, late: bool = False) -> None:
    """Stores the sets that differ from what compare_links() saw."""
    for link in table.links:
        if link.late != late:
            continue
        moved = [
            e for e in entries if not e.broken and link.name in e.links and e.notes[link.name] != e.links[link.name]
        ]
        gone: list[tuple[UUID, list[UUID]]] = []
        come: list[tuple[UUID, Linked]] = []
        for entry in sorted(moved, key=lambda entry: entry.id):
            was, becomes = entry.notes[link.name], entry.links[link.name]
            same = _shared(was, becomes)
            gone += [(entry.id, [linked.id for linked in was[same:]])] if was[same:] else []
            come += [(entry.id, linked) for linked in becomes[same:]]
        await _store(run, link, gone, come)


def _shared(one: Sequence[Linked], other: Sequence[Linked]) -> int:
    """How many links both begin with."""
    for place, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return place
    return min(len(one), len(other))


async def _store(
    run: Run, link: Link, gone: Sequence[tuple[UUID, list[UUID]]], come: Sequence[tuple[UUID, Linked]]
) -> None:
    if gone:
        await queries.remove_links(run.tx, link, [(run.workspace_id, *line) for line in gone])
    if come:
        columns = ["workspace_id", link.owner, link.member] + ([link.flag] if link.flag else [])
        rows = [[run.workspace_id, owner, linked.id] + ([linked.flag] if link.flag else []) for owner, linked in come]
        await queries.add_rows(run.tx, link.table, columns, rows)
