"""Stores a batch of computed rows: numbers, rows and the trail of changes."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sightline.platform.access import Actor
from sightline.platform.file_section import Entry, Run, Table
from sightline.workspace_file import queries
from sightline.workspace_file.tally import Tally
from sightline.workspaces.bulk import Numbers, log_changes


async def write_rows(run: Run, table: Table, entries: Sequence[Entry], numbers: Numbers, tally: Tally) -> None:
    """Adds new records and changes those that differ. Skips entries with a fault."""
    sound = [entry for entry in entries if not entry.broken]
    new = [entry for entry in sound if entry.is_new]
    changed = [entry for entry in sound if not entry.is_new and entry.changed]
    await _number(table, new, numbers)
    if new:
        columns = ("workspace_id", *table.columns)
        rows = [[run.workspace_id] + [entry.row[column] for column in columns[1:]] for entry in new]
        await queries.add_rows(run.tx, table.name, columns, rows)
    await _change(run, table, changed)
    await _log(run, table, new, "created")
    await _log(run, table, changed, "updated")
    tally.note(table, new, changed, len(sound) - len(new) - len(changed), sound)


async def _number(table: Table, new: Sequence[Entry], numbers: Numbers) -> None:
    waiting = [entry for entry in new if table.numbered and entry.row["number"] is None]
    if waiting and table.numbered:
        taken = await numbers.take(table.numbered, len(waiting))
        for number, entry in zip(taken, waiting, strict=True):
            entry.row["number"] = number


async def _change(run: Run, table: Table, changed: Sequence[Entry]) -> None:
    """Changes the columns that differ, in one statement for all records that differ in the same columns."""
    columns_of = {field.name: field.column for field in table.stored_fields}
    alike: dict[tuple[str, ...], list[Entry]] = defaultdict(list)
    for entry in changed:
        moved = {columns_of[name] for name in entry.changed if name in columns_of}
        if table.position and "position" in entry.changed:
            moved.add(table.position)
        alike[tuple(sorted(moved))].append(entry)
    for columns, group in alike.items():
        if columns or table.versioned:
            rows = [_changed_row(run, table, entry, columns) for entry in group]
            await queries.change_rows(run.tx, table, columns, rows)


def _changed_row(run: Run, table: Table, entry: Entry, columns: Sequence[str]) -> dict[str, Any]:
    primary = {f"stored_{column}": entry.stored[column] for column in table.primary}
    return {"workspace_id": run.workspace_id, **primary, **{column: entry.row[column] for column in columns}}


async def _log(run: Run, table: Table, entries: Sequence[Entry], action: str) -> None:
    if table.kind is not None and entries:
        actor = Actor(run.workspace_id, "file", run.actor_id)
        changes = [(entry.id, _public_id(table, entry), _detail(table, entry, action)) for entry in entries]
        await log_changes(run.tx, actor, table.kind, action, changes)


def _public_id(table: Table, entry: Entry) -> str | None:
    return f"{table.numbered.upper()}-{entry.row['number']}" if table.numbered else None


def _detail(table: Table, entry: Entry, action: str) -> dict[str, Any]:
    """The parts of an idea name it, so that the trail finds them when they are deleted."""
    detail: dict[str, Any] = {}
    if "idea_id" in dict(table.parents):
        detail["ideaId"] = str(entry.row["idea_id"])
    if action == "updated":
        detail["fields"] = sorted(entry.changed - {"updatedAt"} or entry.changed)
    if "status" in entry.changed and not entry.is_new:
        detail |= {"from": entry.stored["status"], "to": entry.row["status"]}
    return detail
