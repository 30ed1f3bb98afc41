"""Finds the records that texts name, and the stored record of each in the file with its place in an ordered list."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

from sightline.platform.db import Tx
from sightline.platform.file_parts.entries import Entry, Run, sound
from sightline.platform.file_parts.tables import NUMBER, Table
from sightline.platform.ids import derived_id
from sightline.platform.refs import parse_uuid
from sightline.workspace_file import queries
from sightline.workspace_file.parts import TABLES


class _Named(NamedTuple):
    """A record that a text names. `above`: the enclosing record of a nested one."""

    id: UUID
    above: UUID | None


@dataclass
class Lookups:
    """Finds ids: each text is looked up once, all texts of a batch in one query for each list."""

    tx: Tx
    workspace_id: UUID
    coming: dict[str, dict[str, list[_Named]]] = field(default_factory=lambda: defaultdict(dict))
    _found: dict[str, dict[str, list[_Named]]] = field(default_factory=lambda: defaultdict(dict))
    _keys: dict[str, dict[str, set[Any]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(set)))

    def find(self, target: str, text: str, scope: UUID | None = None) -> UUID | None:
        """Returns the id, in the enclosing record `scope`. A key of several enclosing records names none without it."""
        for names in (self.coming[target], self._found[target]):
            ids = {one.id for one in names.get(text, ()) if scope in (None, one.above)}
            if ids:
                return ids.pop() if len(ids) == 1 else None
        return None

    def key_by_name(self, target: str, name: str, scope: UUID | None = None) -> str | None:
        """Returns the key of the record with this name, or the keys of several, if no record was found by the text."""
        keys = sorted(key for key, above in self._keys[target].get(name, ()) if scope in (None, above))
        return " or ".join(keys) or None

    async def load(self, target: str, texts: Iterable[str]) -> None:
        """Looks up the texts that are not known yet."""
        known, table = self._found[target], TABLES[target]
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if not missing:
            return
        rows = await queries.find_names(
            self.tx,
            table,
            self.workspace_id,
            ids=[id for text in missing if (id := parse_uuid(text))],
            texts=missing,
            numbers=[number for text in missing if (number := public_number(table, text))],
            folded=[_alias(table, text) for text in missing],
        )
        names: list[dict[Any, list[_Named]]] = [defaultdict(list) for _ in range(4)]
        for row in rows:
            for kind, name in enumerate((str(row["id"]), row["number"], row["key"], row["alias"])):
                names[kind][name].append(_Named(row["id"], row["above"]))
            self._keys[target][row["name"]].add((row["key"] or str(row["id"]), row["above"]))
        for text in missing:
            forms = (text.lower(), public_number(table, text) or 0, text, _alias(table, text))
            known[text] = next((found[form] for found, form in zip(names, forms, strict=True) if form in found), [])

    def know(self, target: str, text: str, id: UUID) -> None:
        """Has a text name a record."""
        self._found[target][text] = [_Named(id, None)]

    def keep(self, table: Table, entries: Sequence[Entry]) -> None:
        """Keeps the names of records that are not stored yet, as others may name them."""
        for entry in entries:
            above = entry.values[table.parents[-1]] if table.parents else None
            named = _Named(entry.values.get("id") or entry.id, above)
            for name in (str(named.id), entry.values.get("key")):
                if name:
                    self.coming[table.path].setdefault(name, []).append(named)

    def forget(self, target: str) -> None:
        """Clears what is known of a list and those inside. Call it after records were added, removed or renamed."""
        for names in (self._found, self.coming, self._keys):
            for path in [path for path in names if f"{path}.".startswith(f"{target}.")]:
                del names[path]


def public_number(table: Table, text: str) -> int | None:
    """Returns the number in a public id of this kind of record."""
    prefix, _, digits = text.partition("-")
    if not table.numbered or prefix.lower() != table.kind or not (digits.isdigit() and digits.isascii()):
        return None
    return int(digits) if len(digits) < 19 else None


def _alias(table: Table, text: str) -> str:
    return text.lower() if table.alias == table.folded else text


Columns = tuple[str, ...]
Names = dict[Columns, tuple[Any, ...]]


def names_of(table: Table, values: Any) -> Names:
    """Returns what identifies a record by the sets of columns that do, of which none is missing, in compared form."""
    found = {}
    for columns in table.known_by:
        name = tuple([values.get(column) for column in columns])
        if None not in name:
            found[columns] = name
            if table.folded in columns:
                found[columns] = tuple(
                    v.lower() if c == table.folded else v for c, v in zip(columns, name, strict=True)
                )
    return found


def primary_of(table: Table, row: Any) -> tuple[Any, ...]:
    return tuple([row.get(column) for column in table.primary])


async def match(run: Run, table: Table, entries: Sequence[Entry]) -> None:
    """Finds the stored row of each entry, gives new ones an id, and refuses contradictions."""
    names = {entry: names_of(table, entry.values) for entry in entries}
    derived = {entry for entry in entries if table.primary not in names[entry]}
    sets: dict[Columns, dict[tuple[Any, ...], None]] = defaultdict(dict)
    for entry in entries:
        if entry in derived:
            _derive_id(run, table, entry, names[entry])
        for columns, name in names[entry].items():
            sets[columns][name] = None
    index: dict[Columns, dict[tuple[Any, ...], Any]] = defaultdict(dict)
    found = {columns: list(sets[columns]) for columns in table.known_by if columns in sets}
    for row in await queries.find_rows(run.tx, table, run.workspace_id, found, locks=run.locks):
        for columns, name in names_of(table, row).items():
            index[columns][name] = row
    taken: dict[tuple[Columns, Any], Entry] = {}
    for entry in entries:
        own = names[entry]
        if table.primary in own:
            stored = {columns: index[columns][name] for columns, name in own.items() if name in index[columns]}
            _match_one(run, table, entry, stored, is_derived=entry in derived)
            del own[table.primary]
            own[table.primary] = primary_of(table, entry.values)  # last
        if not entry.broken:
            _refuse_twice(run, table, entry, own, taken)


def _derive_id(run: Run, table: Table, entry: Entry, names: Names) -> None:
    """Gives a record without an id the one that follows from its key or another identity."""
    for columns, name in names.items() if table.primary[-1] == "id" else ():
        if columns != NUMBER:
            words = [str(value) for column, value in zip(columns, name, strict=True) if column not in table.parents]
            above = [str(entry.values[column]) for column in table.parents]
            entry.values["id"] = derived_id(run.workspace_id, table.path, *above, *words)
            names[table.primary] = primary_of(table, entry.values)
            return
    if not entry.broken:
        run.refuse(entry, "", f"Give {_ways_to_name(table)}")


def _ways_to_name(table: Table) -> str:
    if table.primary[-1] != "id":
        return f"the record's {' and '.join(table.title(table.primary))}"
    others = (" and ".join(table.title(columns)) for columns in table.identities)
    ways = ["an id", *(["a key"] if table.keyed else []), *others]
    return " or ".join([", ".join(ways[:-1]), ways[-1]] if len(ways) > 1 else ways)


def _match_one(run: Run, table: Table, entry: Entry, stored: Mapping[Columns, Any], *, is_derived: bool) -> None:
    """Takes the row by the primary key, or by the strongest other identity if the id is derived."""
    by_name = (
        stored[columns] for columns in table.known_by if columns in stored and columns[-1] not in ("id", "number")
    )
    entry.stored = next(by_name, None) if is_derived else stored.get(table.primary)
    if is_derived and entry.stored is not None:
        entry.values["id"] = entry.stored["id"]
    elif is_derived and table.primary in stored:
        run.refuse(entry, "key", "A record that had this key before has another one now; give an id")
        return
    own = primary_of(table, entry.values)
    for columns, row in stored.items():
        if primary_of(table, row) != own and not (is_derived and columns == table.primary):
            run.refuse(entry, table.title(columns)[-1], "Belongs to another record")
            return
    if entry.stored is None:
        return
    if any(entry.stored[column] != entry.values[column] for column in table.parents):
        run.refuse(entry, "id", "Belongs to another record's list")
    key = entry.stored["key"] if table.keyed else None
    if key is not None and is_derived and entry.values.get("key") not in (None, key):
        run.refuse(entry, "key", f"The record has the key {key!r}; give its id to change that")


def _refuse_twice(run: Run, table: Table, entry: Entry, names: Names, taken: dict[tuple[Columns, Any], Entry]) -> None:
    """Refuses a record that is in the batch twice by any identity, and one that is in the list twice."""
    for columns, name in names.items():
        if (first := taken.setdefault((columns, name), entry)) is not entry:
            titles = table.title(columns)
            own = "" if columns == table.primary and (len(titles) > 1 or "id" in columns) else titles[-1]
            run.refuse(entry, own, f"Is the same as {first.path}")
            return
    if not table.parents and not table.is_late:
        primary = names[table.primary]
        first_path = run.seen[table.path].setdefault(primary[0] if len(primary) == 1 else primary, entry.path)
        if first_path != entry.path:
            run.refuse(entry, "", f"Is the same as {first_path}")


async def place(run: Run, table: Table, entries: Sequence[Entry]) -> None:
    """Keeps the positions of stored records if the file has them in the same order and new ones after them.

    Otherwise the records of the file are numbered from 0, and other stored records follow them.
    """
    if not table.placed:
        return
    groups: dict[tuple[Any, ...], list[Entry]] = defaultdict(list)
    for entry in sound(entries):
        groups[tuple(entry.row[column] for column in table.parents)].append(entry)
    stored: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
    for row in await queries.rows_inside(run.tx, table, run.workspace_id, list(groups)):
        stored[tuple(row[column] for column in table.parents)].append(row)
    for above, group in groups.items():
        known = {primary_of(table, entry.stored) for entry in group if entry.stored is not None}
        in_order = [name for row in stored[above] if (name := primary_of(table, row)) in known]
        first, after = 0, group
        if [primary_of(table, entry.row) for entry in group[: len(known)]] == in_order:
            first, after = max((row["position"] for row in stored[above]), default=-1) + 1, group[len(known) :]
        for number, entry in enumerate(after, first):
            entry.row["position"] = number
            if entry.stored is not None and entry.stored["position"] != number:
                entry.changed.add("position")
        if after is group:
            others = [row for row in stored[above] if primary_of(table, row) not in known]
            moved = [{c: row[c] for c in table.primary} | {"position": n} for n, row in enumerate(others, len(group))]
            await queries.change_rows(run.tx, table, run.workspace_id, moved)
