"""Sets of links: a common prefix stays; the rest is removed and added in the order of the file."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from uuid import UUID

from sightline.platform.file_section import Entry, Link, Run, Table
from sightline.platform.file_section.entries import Linked
from sightline.workspace_file import queries


async def compare_links(run: Run, table: Table, entries: Sequence[Entry], *, late: bool = False) -> None:
    """Adds the sets that differ to `changed` of each entry; puts the link ids of new records into their rows."""
    for link in table.links:
        if link.late == late:
            giving = [entry for entry in entries if link.name in entry.links and not entry.broken]
            before = await _find_stored(run, link, [entry for entry in giving if not entry.is_new or late])
            for entry in giving:
                entry.stored_links[link.name] = before.get(entry.id, [])
                if entry.stored_links[link.name] != entry.links[link.name]:
                    entry.changed.add(link.name)
                if entry.is_new and link.array and not late:
                    entry.row[link.array] = [linked.id for linked in entry.links[link.name]]


async def _find_stored(run: Run, link: Link, entries: Sequence[Entry]) -> dict[UUID, list[Linked]]:
    stored: dict[UUID, list[Linked]] = defaultdict(list)
    if entries:
        for row in await queries.find_links(run.tx, link, run.workspace_id, [entry.id for entry in entries]):
            stored[row["owner"]].append(Linked(row["member"], row["flag"]))
    return stored


async def write_links(run: Run, table: Table, entries: Sequence[Entry], *, late: bool = False) -> None:
    """Stores the sets that compare_links() found to differ."""
    for link in table.links:
        if link.late != late:
            continue
        giving = [entry for entry in entries if not entry.broken and link.name in entry.links]
        moved = [entry for entry in giving if entry.stored_links[link.name] != entry.links[link.name]]
        removed: dict[UUID, list[UUID]] = {}
        added: list[tuple[UUID, Linked]] = []
        for entry in sorted(moved, key=lambda entry: entry.id):
            before, after = entry.stored_links[link.name], entry.links[link.name]
            same = _shared(before, after)
            if before[same:]:
                removed[entry.id] = [linked.id for linked in before[same:]]
            added += [(entry.id, linked) for linked in after[same:]]
        await _store(run, link, removed, added)


def _shared(one: Sequence[Linked], other: Sequence[Linked]) -> int:
    """Returns the length of the common prefix."""
    for place, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return place
    return min(len(one), len(other))


async def _store(
    run: Run, link: Link, removed: Mapping[UUID, Sequence[UUID]], added: Sequence[tuple[UUID, Linked]]
) -> None:
    if removed:
        await queries.remove_links(run.tx, link, run.workspace_id, removed)
    if added:
        columns = ["workspace_id", link.owner, link.member] + ([link.flag] if link.flag else [])
        rows = [[run.workspace_id, owner, linked.id] + ([linked.flag] if link.flag else []) for owner, linked in added]
        await queries.add_rows(run.tx, link.table, columns, rows)
