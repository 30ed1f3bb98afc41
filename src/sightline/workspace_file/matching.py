"""Finds the stored record of each record in the file, and computes the row to store."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sightline.platform.file_section import Entry, Run, Table
from sightline.platform.file_section.fields import show_json
from sightline.platform.ids import derived_id
from sightline.workspace_file import queries
from sightline.workspace_file.resolving import same_json

Columns = tuple[str, ...]


def identities(table: Table) -> list[Columns]:
    """Returns the sets of columns that identify a record, strongest first: the primary key, the key, others."""
    parents = tuple(column for column, _ in table.parents)
    key = [(*parents, "key")] if table.keyed else []
    number = [("number",)] if table.numbered else []
    return [table.primary, *key, *table.identities, *number]


def named_by(table: Table, columns: Columns, values: Any) -> tuple[Any, ...] | None:
    """Returns the values of an identity in their compared form, or None if one is missing."""
    found = []
    for column in columns:
        value = values.get(column)
        if value is None:
            return None
        found.append(value.lower() if column in table.folded else value)
    return tuple(found)


async def match(run: Run, table: Table, entries: Sequence[Entry]) -> None:
    """Finds the stored row of each entry, gives new ones an id, and refuses contradictions."""
    for entry in entries:
        for column, above in table.parents:
            entry.values[column] = entry.parent.row[above] if entry.parent else None
    stored = {columns: await _stored_by(run, table, columns, entries) for columns in identities(table)}
    taken: dict[tuple[Columns, Any], Entry] = {}
    for entry in entries:
        _match_one(run, table, entry, stored)
        if not entry.broken:
            _note_twice(run, table, entry, taken)
    await _refuse_old_ids(run, table, [entry for entry in entries if entry.has_derived_id])


async def _stored_by(run: Run, table: Table, columns: Columns, entries: Sequence[Entry]) -> dict[tuple[Any, ...], Any]:
    sets = {found for entry in entries if (found := named_by(table, columns, entry.values)) is not None}
    if not sets:
        return {}
    rows = await queries.find_by(run.tx, table, run.workspace_id, columns, list(sets))
    return {found: row for row in rows if (found := named_by(table, columns, row)) is not None}


def _match_one(run: Run, table: Table, entry: Entry, stored: dict[Columns, dict[tuple[Any, ...], Any]]) -> None:
    has_primary = named_by(table, table.primary, entry.values) is not None
    for columns in [table.primary] if has_primary else identities(table):
        name = named_by(table, columns, entry.values)
        if columns != ("number",) and name is not None and name in stored[columns]:
            entry.stored = stored[columns][name]
            break
    if entry.stored is None and not has_primary:
        _derive_id(run, table, entry)
    _refuse_taken(run, table, entry, stored)


def _derive_id(run: Run, table: Table, entry: Entry) -> None:
    if entry.broken:
        return
    if table.primary[-1] != "id":
        run.refuse(entry, "", f"Give the record's {' and '.join(_file_names(table, table.primary))}")
        return
    parents = [str(entry.values[column]) for column, _ in table.parents]
    for columns in identities(table)[1:]:
        name = named_by(table, columns, entry.values)
        if name is not None and columns != ("number",):
            words = parents + [str(v) for c, v in zip(columns, name, strict=True) if c not in dict(table.parents)]
            entry.values["id"] = derived_id(run.workspace_id, table.path, *words)
            entry.has_derived_id = True
            return
    run.refuse(entry, "", f"Give {_ways_to_name(table)}")


def _ways_to_name(table: Table) -> str:
    others = (" and ".join(_file_names(table, columns)) for columns in table.identities)
    ways = ["an id", *(["a key"] if table.keyed else []), *others]
    return " or ".join([", ".join(ways[:-1]), ways[-1]] if len(ways) > 1 else ways)


async def _refuse_old_ids(run: Run, table: Table, entries: Sequence[Entry]) -> None:
    """Refuses an id that is derived from a key and belongs to a record with another key now."""
    ids = [(entry.values["id"],) for entry in entries if not entry.broken]
    rows = await queries.find_by(run.tx, table, run.workspace_id, ("id",), ids) if ids else []
    taken = {row["id"] for row in rows}
    for entry in entries:
        if entry.values["id"] in taken:
            run.refuse(entry, "key", "A record that had this key before has another one now; give an id")


def _refuse_taken(run: Run, table: Table, entry: Entry, stored: dict[Columns, dict[tuple[Any, ...], Any]]) -> None:
    """Refuses an identity of another record, and a record of another enclosing one."""
    own = primary_of(table, entry.stored if entry.stored is not None else entry.values)
    for columns in identities(table):
        name = named_by(table, columns, entry.values)
        other = stored[columns].get(name) if name is not None else None
        if other is not None and primary_of(table, other) != own:
            run.refuse(entry, _file_names(table, columns)[-1], "Belongs to another record")
            return
    if entry.stored is None:
        return
    if any(entry.stored[column] != entry.values[column] for column, _ in table.parents):
        run.refuse(entry, "id", "Belongs to another record's list")
    key = entry.stored["key"] if table.keyed else None
    if key is not None and "id" not in entry.given and entry.values.get("key") not in (None, key):
        run.refuse(entry, "key", f"The record has the key {key!r}; give its id to change that")


def primary_of(table: Table, row: Any) -> tuple[Any, ...]:
    return tuple(row[column] for column in table.primary if column in row.keys())  # noqa: SIM118 - rows are no mappings


def _file_names(table: Table, columns: Columns) -> list[str]:
    names = {field.column: field.name for field in table.all_fields}
    return [names[column] for column in columns if column in names] or [""]


def _note_twice(run: Run, table: Table, entry: Entry, taken: dict[tuple[Columns, Any], Entry]) -> None:
    seen = entry.values | ({"id": entry.stored["id"]} if entry.stored is not None and "id" in table.primary else {})
    for columns in (*identities(table)[1:], table.primary):
        name = named_by(table, columns, seen)
        if name is None:
            continue
        first = taken.setdefault((columns, name), entry)
        if first is not entry:
            names = _file_names(table, columns)
            own = "" if columns == table.primary and (len(names) > 1 or "id" in columns) else names[-1]
            run.refuse(entry, own, f"Is the same as {first.path}")
            return


def merge(run: Run, table: Table, entry: Entry) -> None:
    """Fills `row`: the stored row, changed by the given values; defaults for the rest of a new record."""
    if entry.stored is not None:
        entry.row = dict(entry.stored) | entry.values
        return
    entry.row = {link.array: [] for link in table.links if link.array and not link.late}
    for field in table.stored_fields:
        if field.required and field.column not in entry.values:
            run.refuse(entry, field.name, "Is needed for a new record")
        entry.row[field.column] = field.default
    entry.row |= entry.values
    if table.stamped:
        entry.row["created_at"] = entry.values.get("created_at") or _created_at(run, table, entry)
        entry.row["updated_at"] = entry.values.get("updated_at") or run.tx.now


def _created_at(run: Run, table: Table, entry: Entry) -> datetime:
    """Returns the current time; nested records of one list are a millisecond apart, to keep the order of the file."""
    if entry.parent is None or table.position is not None:
        return run.tx.now
    siblings = entry.parent.given.get(table.list_name) or [entry]
    return run.tx.now - timedelta(milliseconds=len(siblings) - 1 - entry.index)


def note_changes(table: Table, entry: Entry) -> None:
    """Adds to `changed` the fields of a stored record that differ."""
    for field in table.stored_fields:
        if field.late or entry.stored is None:
            continue
        before, after = entry.stored[field.column], entry.row[field.column]
        same = same_json(show_json(before), after) if field.json and before is not after else before == after
        if not same:
            entry.changed.add(field.name)


def stamp(run: Run, entry: Entry) -> None:
    """Sets `updatedAt` of a changed record to now, unless the file's time counts."""
    if entry.values.get("updated_at") is None and "updated_at" in entry.row:
        moment: datetime = run.tx.now
        entry.row["updated_at"] = moment
        if entry.stored["updated_at"] != moment:
            entry.changed.add("updatedAt")
