"""Storing a batch of records whose rows are known: numbers, rows, links, the trail."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sightline.platform.file_section import Entry, Run, Table
from sightline.platform.ids import new_id
from sightline.workspace_file import queries
from sightline.workspace_file.matching import primary_of
from sightline.workspace_file.tally import Tally
from sightline.workspaces.bulk import Numbers

CHANGES = (
    "workspace_id", "id", "kind", "record_id", "public_id", "action", "actor_kind", "actor_id", "at", "detail",
)  # fmt: skip


async def write_rows(run: Run, table: Table, entries: Sequence[Entry], numbers: Numbers, tally: Tally) -> None:
    """Adds what is new, changes what differs. Entries with a fault are left out."""
    sound = [entry for entry in entries if not entry.broken]
    new = [entry for entry in sound if entry.is_new]
    changed = [entry for entry in sound if not entry.is_new and entry.changed]
    await _number(table, new, numbers)
    if new:
        columns = ("workspace_id", *table.columns)
        rows = [[run.workspace_id] + [entry.row[column] for column in columns[1:]] for entry in new]
        await queries.add_rows(run.tx, table.name, columns, rows)
    await _change(run, table, changed)
    await _tell(run, table, new, "created")
    await _tell(run, table, changed, "updated")
    tally.note(table, new, changed, len(sound) - len(new) - len(changed), sound)


async def _number(table: Table, new: Sequence[Entry], numbers: Numbers) -> None:
    waiting = [entry for entry in new if table.numbered and entry.row["number"] is None]
    if waiting and table.numbered:
        first = await numbers.take(table.numbered, len(waiting))
        for number, entry in enumerate(waiting, first):
            entry.row["number"] = number


async def _change(run: Run, table: Table, changed: Sequence[Entry]) -> None:
    """One statement for all records in which the same columns change: what others write meanwhile stays."""
    columns_of = {field.name: field.column for field in table.stored_fields}
    alike: dict[tuple[str, ...], list[Entry]] = defaultdict(list)
    for entry in changed:
        moved = {columns_of[name] for name in entry.changed if name in columns_of}
        if table.position and "position" in entry.changed:
            moved.add(table.position)
        alike[tuple(sorted(moved))].append(entry)
    for columns, group in alike.items():
        if columns or table.versioned or table.traced:
            rows = [
                [run.workspace_id, *primary_of(table, entry.stored), *(entry.row[column] for column in columns)]
                for entry in group
            ]
            await queries.change_rows(run.tx, table, columns, rows)


async def _tell(run: Run, table: Table, entries: Sequence[Entry], action: str) -> None:
    if table.kind is None or not entries:
        return
    rows = [_line(run, table, entry, action) for entry in entries]
    await queries.add_rows(run.tx, "changes", CHANGES, rows)


def _line(run: Run, table: Table, entry: Entry, action: str) -> list[Any]:
    public_id = f"{table.numbered.upper()}-{entry.row['number']}" if table.numbered else None
    detail: dict[str, Any] = {}
    if action == "updated":
        detail["fields"] = sorted(entry.changed - {"updatedAt"} or entry.changed)
    if "status" in entry.changed and not entry.is_new:
        detail |= {"from": entry.stored["status"], "to": entry.row["status"]}
    record = [table.kind, entry.id, public_id, action, "file", run.actor_id]
    return [run.workspace_id, new_id(), *record, run.tx.now, detail]
