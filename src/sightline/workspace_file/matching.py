"""Finds the stored record of each record in the file, or gives it an id."""

from collections.abc import Sequence
from typing import Any

from sightline.platform.file_section import Entry, Run, Table
from sightline.platform.ids import derived_id
from sightline.workspace_file import queries

Columns = tuple[str, ...]
Index = dict[Columns, dict[tuple[Any, ...], Any]]


def identities(table: Table) -> list[Columns]:
    """Returns the sets of columns that identify a record, strongest first: the primary key, the key, others."""
    key = [(*(column for column, _ in table.parents), "key")] if table.keyed else []
    number = [("number",)] if table.numbered else []
    return [table.primary, *key, *table.identities, *number]


def named_by(table: Table, columns: Columns, values: Any) -> tuple[Any, ...] | None:
    """Returns the values of an identity in their compared form, or None if one is missing."""
    found = []
    for column in columns:
        if (value := values.get(column)) is None:
            return None
        found.append(value.lower() if column in table.folded else value)
    return tuple(found)


def primary_of(table: Table, row: Any) -> tuple[Any, ...]:
    return tuple(row.get(column) for column in table.primary)


async def match(run: Run, table: Table, entries: Sequence[Entry]) -> list[Any]:
    """Finds the stored row of each entry, gives new ones an id, and refuses contradictions.

    Returns the stored rows that were read. Of an ordered list these are all rows of the enclosing records.
    """
    for entry in entries:
        for column, above in table.parents:
            entry.values[column] = entry.parent.row[above] if entry.parent else None
        _derive_id(run, table, entry)
    sets: dict[Columns, list[tuple[Any, ...]]] = {}
    for columns in identities(table):
        found = {name: None for e in entries if (name := named_by(table, columns, e.values)) is not None}
        sets |= {columns: list(found)} if found else {}
    rows = {primary_of(table, row): row for row in await queries.find_rows(run.tx, table, run.workspace_id, sets)}
    index: Index = {
        columns: {name: row for row in rows.values() if (name := named_by(table, columns, row)) is not None}
        for columns in identities(table)
    }
    taken: dict[tuple[Columns, Any], Entry] = {}
    for entry in entries:
        _match_one(run, table, entry, index)
        if not entry.broken:
            _note_twice(run, table, entry, taken)
    return list(rows.values())


def _derive_id(run: Run, table: Table, entry: Entry) -> None:
    """Gives a record without an id the one that follows from its key or another identity."""
    if named_by(table, table.primary, entry.values) is not None:
        return
    if table.primary[-1] != "id":
        if not entry.broken:
            run.refuse(entry, "", f"Give the record's {' and '.join(table.title(table.primary))}")
        return
    parents = [str(entry.values[column]) for column, _ in table.parents]
    for columns in identities(table)[1:]:
        name = named_by(table, columns, entry.values)
        if name is not None and columns != ("number",):
            words = parents + [str(v) for c, v in zip(columns, name, strict=True) if c not in dict(table.parents)]
            entry.values["id"] = derived_id(run.workspace_id, table.path, *words)
            entry.has_derived_id = True
            return
    if not entry.broken:
        run.refuse(entry, "", f"Give {_ways_to_name(table)}")


def _ways_to_name(table: Table) -> str:
    others = (" and ".join(table.title(columns)) for columns in table.identities)
    ways = ["an id", *(["a key"] if table.keyed else []), *others]
    return " or ".join([", ".join(ways[:-1]), ways[-1]] if len(ways) > 1 else ways)


def _match_one(run: Run, table: Table, entry: Entry, index: Index) -> None:
    if entry.broken and named_by(table, table.primary, entry.values) is None:
        return
    for columns in identities(table)[1:] if entry.has_derived_id else [table.primary]:
        name = named_by(table, columns, entry.values)
        if columns != ("number",) and name is not None and name in index[columns]:
            entry.stored = index[columns][name]
            break
    if entry.has_derived_id and entry.stored is not None:
        entry.values["id"] = entry.stored["id"]
    elif entry.has_derived_id and (entry.values["id"],) in index[table.primary]:
        run.refuse(entry, "key", "A record that had this key before has another one now; give an id")
        return
    _refuse_taken(run, table, entry, index)


def _refuse_taken(run: Run, table: Table, entry: Entry, index: Index) -> None:
    """Refuses an identity of another record, and a record of another enclosing one."""
    own = primary_of(table, entry.values)
    for columns in identities(table):
        name = named_by(table, columns, entry.values)
        other = index[columns].get(name) if name is not None else None
        if other is not None and primary_of(table, other) != own:
            run.refuse(entry, table.title(columns)[-1], "Belongs to another record")
            return
    if entry.stored is None:
        return
    if any(entry.stored[column] != entry.values[column] for column, _ in table.parents):
        run.refuse(entry, "id", "Belongs to another record's list")
    key = entry.stored["key"] if table.keyed else None
    if key is not None and "id" not in entry.given and entry.values.get("key") not in (None, key):
        run.refuse(entry, "key", f"The record has the key {key!r}; give its id to change that")


def _note_twice(run: Run, table: Table, entry: Entry, taken: dict[tuple[Columns, Any], Entry]) -> None:
    for columns in (*identities(table)[1:], table.primary):
        name = named_by(table, columns, entry.values)
        if name is None:
            continue
        first = taken.setdefault((columns, name), entry)
        if first is not entry:
            names = table.title(columns)
            own = "" if columns == table.primary and (len(names) > 1 or "id" in columns) else names[-1]
            run.refuse(entry, own, f"Is the same as {first.path}")
            return
