"""Stores records in batches: references, rows, links, and the lists inside the records."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec

from sightline.platform.access import Actor
from sightline.platform.file_section import Converted, Entry, Link, Links, Reference, Run, Table
from sightline.platform.file_section.entries import Linked
from sightline.platform.file_section.tables import STAMPS, Field
from sightline.platform.refs import parse_uuid
from sightline.workspace_file import queries
from sightline.workspace_file.lookups import Lookups
from sightline.workspace_file.matching import match
from sightline.workspace_file.positions import place
from sightline.workspace_file.tally import Tally
from sightline.workspaces.bulk import Numbers, log_changes

NAMES = ("id", "key", "email", "label", "externalId")


class Late(msgspec.Struct):
    """Fields and links of a record that name records of lists that are stored later."""

    table: Table
    path: str
    record: Any
    given: dict[str, Any]


class Store:
    """Stores batches of a run. `seen`: by list the path of each record that was named."""

    def __init__(self, run: Run, lookup: Lookups, numbers: Numbers, tally: Tally) -> None:
        self.run = run
        self.lookup = lookup
        self.numbers = numbers
        self.tally = tally
        self.seen: dict[str, dict[UUID, str]] = defaultdict(dict)
        self.late: list[Late] = []

    async def store(self, table: Table, entries: Sequence[Entry], *, late: bool = False) -> None:
        """Stores records with the lists inside them. `late`: only what was kept for later."""
        run = self.run
        await self._read(table, entries, late)
        whole = [entry for entry in entries if not (entry.parent and entry.parent.broken)]
        await match(run, table, whole)
        for entry in whole:
            _merge(run, table, entry)
        await self._read_links(table, whole, late)
        if table.settle and not late:
            await table.settle(run, whole)
        self._see(table, whole, late)
        await place(run, table, whole)
        for entry in whole:
            self._conclude(table, entry, late)
        sound = [entry for entry in whole if not entry.broken]
        await self._write(table, sound)
        await self._write_links(table, sound)
        if late:
            return
        await self._log(table, sound)
        self.tally.note(table, sound)
        for child in table.children:
            await self._store_inside(child, entries)
        if table.after:
            await table.after(run, sound)
        self._keep_late(table, sound)

    async def store_late(self) -> None:
        """Stores what names records of lists that are stored by now."""
        late, self.late = self.late, []
        for path in dict.fromkeys(one.table.path for one in late):
            waiting = [one for one in late if one.table.path == path]
            for start in range(0, len(waiting), 1_000):
                entries = [entry_of(one.path, one.given, one.record) for one in waiting[start : start + 1_000]]
                await self.store(waiting[0].table, entries, late=True)

    def _keep_late(self, table: Table, entries: Sequence[Entry]) -> None:
        names = [one.name for one in (*table.fields, *(field for field, _ in table.links)) if one.is_late]
        for entry in entries if names else ():
            given = {name: entry.given[name] for name in names if name in entry.given}
            if any(given.values()) or (given and not entry.is_new):
                self.late.append(Late(table, entry.path, entry.record, {"id": entry.id} | given))

    async def _read(self, table: Table, entries: Sequence[Entry], late: bool) -> None:
        """Fills `values` of each entry; adds a fault for each reference to nothing."""
        fields = [one for one in table.fields if one.is_late == late or one.name == "id"]
        references = [one for one in fields if isinstance(one.marker, Link | Converted)]
        texts: dict[str, dict[str, None]] = defaultdict(dict)
        for entry in entries:
            for field in references:
                texts_of = _references(field, entry)
                for reference in texts_of:
                    texts[reference.target][reference.text] = None
        for target, named in texts.items():
            await self.lookup.load(target, named)
        for entry in entries:
            for field in fields:
                if field.name in entry.given:
                    self._read_one(field, entry)
            self._read_updated_at(entry)

    def _read_one(self, field: Field, entry: Entry) -> None:
        value = getattr(entry.record, field.attribute) if field.name != "id" else entry.given["id"]
        for reference in _references(field, entry):
            self._check_found(entry, field.name, reference, None)
        if isinstance(value, str) and field.name == "id":
            entry.values["id"] = parse_uuid(value)
        elif value is None:
            if field.name not in STAMPS:
                entry.values[field.column] = None if field.nullable else field.default
        elif isinstance(field.marker, Link):
            entry.values[field.column] = self.lookup.find(field.marker.target, value)
        elif isinstance(field.marker, Converted):
            try:
                entry.values[field.column] = field.marker.store(entry.given[field.name], self.lookup.find)
            except ValueError as error:
                self.run.refuse(entry, field.name, str(error))
        else:
            entry.values[field.column] = msgspec.to_builtins(value) if field.is_json else value

    def _read_updated_at(self, entry: Entry) -> None:
        """Leaves `updatedAt` out of `values` where it does not count."""
        if (given := entry.values.pop("updated_at", None)) is None:
            return
        try:
            if moment := self.run.written_at(given):
                entry.values["updated_at"] = moment
        except ValueError as error:
            self.run.refuse(entry, "updatedAt", str(error))

    def _check_found(self, entry: Entry, name: str, reference: Reference, scope: UUID | None) -> None:
        """Adds a fault for an unknown reference, unless it names a faulty record."""
        if self.lookup.find(reference.target, reference.text, scope) is not None:
            return
        if reference.lenient and parse_uuid(reference.text) is not None:
            return
        entry.broken = True
        if (reference.target, reference.text) in self.run.faulty_records:
            return
        if key := self.lookup.key_by_name(reference.target, reference.text, scope):
            message = f"{reference.text!r} is a name in {reference.target}: give the key, {key}"
        else:
            where = "" if scope is None else " of the record's product"
            message = f"There is no {reference.text!r} in {reference.target}{where}"
        self.run.refuse(entry, name + reference.suffix, message)

    async def _read_links(self, table: Table, entries: Sequence[Entry], late: bool) -> None:
        """Fills `links` of each entry with the named ids, each once, in their order."""
        for field, links in table.links:
            giving = [entry for entry in entries if links.late == late and field.name in entry.given]
            texts: dict[UUID | None, dict[str, None]] = defaultdict(dict)
            for entry in giving:
                named = links.references(entry.given[field.name] or ())
                texts[_scope(links, entry)].update(dict.fromkeys(one.text for one in named))
            for scope, each in texts.items():
                await self.lookup.load(links.target, each, scope)
            for entry in giving:
                self._read_set(field, links, entry)

    def _read_set(self, field: Field, links: Links, entry: Entry) -> None:
        found: dict[UUID, bool] = {}
        value, scope = entry.given[field.name] or (), _scope(links, entry)
        for reference, flag in zip(links.references(value), links.flags(value), strict=True):
            self._check_found(entry, field.name, reference, scope)
            if (id := self.lookup.find(reference.target, reference.text, scope)) is not None:
                found[id] = found.get(id, False) or flag
        entry.links[field.name] = [Linked(id, flag) for id, flag in found.items()]

    def _see(self, table: Table, entries: Sequence[Entry], late: bool) -> None:
        """Refuses a record that the file names twice, at any distance."""
        if table.parents or table.primary != ("id",) or late:
            return
        seen = self.seen[table.path]
        for entry in entries:
            if not entry.broken and (first := seen.setdefault(entry.id, entry.path)) != entry.path:
                self.run.refuse(entry, "", f"Is the same as {first}")

    def _conclude(self, table: Table, entry: Entry, late: bool) -> None:
        """Notes what differs, and the names of a faulty record."""
        if entry.broken:
            names = (entry.given.get(name) for name in NAMES)
            self.run.faulty_records.update((table.path, name) for name in names if isinstance(name, str))
            return
        for field, links in table.links:
            if field.name in entry.links:
                stored = queries.linked(field, links, entry.stored) if entry.stored else []
                if stored != entry.links[field.name]:
                    entry.changed.add(field.name)
                if links.array and entry.is_new and not late:
                    entry.row[links.array] = [one.id for one in entry.links[field.name]]
        if entry.stored is None:
            return
        for name, column in (*((one.name, one.column) for one in table.fields), *((c, c) for c in table.hidden)):
            if not same(entry.stored[column], entry.row[column]):
                entry.changed.add(name)
        is_kept = "updated_at" in entry.values or (late and self.run.is_new)
        if entry.changed - _late_links(table) and table.stamped and not is_kept:
            entry.row["updated_at"] = self.run.tx.now
            entry.changed.add("updatedAt")

    async def _write(self, table: Table, entries: Sequence[Entry]) -> None:
        """Adds new rows. Changes columns that differ: one statement for all rows that differ in the same ones."""
        run = self.run
        new = [entry for entry in entries if entry.is_new]
        waiting = [entry for entry in new if table.numbered and entry.row["number"] is None]
        if table.numbered and waiting:
            for number, entry in zip(await self.numbers.take(table.numbered, len(waiting)), waiting, strict=True):
                entry.row["number"] = number
        if new:
            rows = [[run.workspace_id, *(entry.row[column] for column in table.columns)] for entry in new]
            await queries.add_rows(run.tx, table.name, ("workspace_id", *table.columns), rows)
        columns_of = {one.name: one.column for one in table.fields} | {c: c for c in table.hidden}
        columns_of |= {"position": table.position} if table.position else {}
        alike: dict[tuple[str, ...], list[Entry]] = defaultdict(list)
        for entry in entries:
            if not entry.is_new and entry.changed - _late_links(table):
                alike[tuple(sorted(columns_of[name] for name in entry.changed if name in columns_of))].append(entry)
        for columns, group in alike.items():
            changed = [{c: entry.row[c] for c in (*table.primary, *columns)} for entry in group]
            await queries.change_rows(run.tx, table, run.workspace_id, columns, changed)

    async def _log(self, table: Table, entries: Sequence[Entry]) -> None:
        for action, is_new in (("created", True), ("updated", False)):
            written = [entry for entry in entries if entry.is_new == is_new and (is_new or entry.changed)]
            if table.kind is not None and written:
                actor = Actor(self.run.workspace_id, "file", self.run.actor_id)
                changes = [(entry.id, _public_id(table, entry), _detail(table, entry)) for entry in written]
                await log_changes(self.run.tx, actor, table.kind, action, changes)

    async def _write_links(self, table: Table, entries: Sequence[Entry]) -> None:
        """Changes sets of links: a common start stays, the rest is removed and added in the order of the file."""
        for field, links in table.links:
            removed: list[tuple[UUID, UUID]] = []
            added: list[tuple[UUID, Linked]] = []
            for entry in sorted(entries, key=lambda entry: entry.id):
                if field.name not in entry.changed or field.name not in entry.links:
                    continue
                before = queries.linked(field, links, entry.stored) if entry.stored else []
                after = entry.links[field.name]
                kept = next((n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), len(before))
                kept = min(kept, len(after))
                removed += [(entry.id, id) for id, _ in before[kept:]]
                added += [(entry.id, one) for one in after[kept:]]
            if removed:
                await queries.remove_links(self.run.tx, links, self.run.workspace_id, removed)
            if added:
                columns = ["workspace_id", links.owner, links.member, *([links.flag] if links.flag else [])]
                rows = [[self.run.workspace_id, id, *one[: len(columns) - 2]] for id, one in added]
                await queries.add_rows(self.run.tx, links.table, columns, rows)

    async def _store_inside(self, child: Table, parents: Sequence[Entry]) -> None:
        inside = [
            Entry(f"{entry.path}.{child.list_name}[{index}]", given, entry, index, record, broken=entry.broken)
            for entry in parents
            for index, (given, record) in enumerate(_nested(child, entry))
        ]
        for start in range(0, len(inside), 10_000):
            await self.store(child, inside[start : start + 10_000])
        if child.path in self.run.pruned:
            await self._prune_inside(child, parents, inside)
        if inside:
            self.lookup.forget(child.path)

    async def _prune_inside(self, table: Table, parents: Sequence[Entry], entries: Sequence[Entry]) -> None:
        """Removes the nested records that the file's lists do not name."""
        giving = [one.id for one in parents if not one.broken and one.given.get(table.list_name) is not None]
        if giving and not self.run.faults.count:
            condition = f"t.{table.parents[0][0]} = ANY(:parents::uuid[]) AND t.id <> ALL(:kept::uuid[])"
            kept = [entry.id for entry in entries]
            removed = await queries.remove_where(self.run, table, condition, parents=giving, kept=kept)
            self.tally.remove(table, removed)


def _late_links(table: Table) -> set[str]:
    return {field.name for field, links in table.links if links.late}


def entry_of(path: str, given: dict[str, Any], record: Any, index: int = 0) -> Entry:
    return Entry(path, given, None, index, record)


def _nested(child: Table, entry: Entry) -> Iterable[tuple[dict[str, Any], Any]]:
    given = entry.given.get(child.list_name) or ()
    return zip(given, getattr(entry.record, child.list_name) or (), strict=True) if given else ()


def _references(field: Field, entry: Entry) -> Iterable[Reference]:
    if (value := entry.given.get(field.name)) is None:
        return ()
    if isinstance(field.marker, Link):
        return (Reference("", field.marker.target, value),)
    return field.marker.references(value) if isinstance(field.marker, Converted) else ()


def _scope(links: Links, entry: Entry) -> UUID | None:
    return entry.row.get(links.scope) if links.scope else None


def _merge(run: Run, table: Table, entry: Entry) -> None:
    """Fills `row`: the stored row, changed by the given values; defaults for the rest of a new record."""
    if entry.stored is not None:
        entry.row = dict(entry.stored) | entry.values
        return
    entry.row = {links.array: [] for _, links in table.links if links.array} | dict(table.hidden)
    for field in table.fields:
        is_missing = field.is_required and field.name not in STAMPS and field.column not in entry.values
        if is_missing and not entry.faulty:
            run.refuse(entry, field.name, "Is needed for a new record")
        entry.row[field.column] = field.default
    if table.position:
        entry.row[table.position] = 0
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


def same(before: Any, after: Any) -> bool:
    """Whether a stored value is equal to a new one; of JSON, true is not 1."""
    if before is after or not isinstance(before, msgspec.Raw):
        return bool(before == after)
    return after is not None and _same_json(msgspec.json.decode(before), after)


def _same_json(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same_json(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same_json, one, other))
    return bool(one == other)


def _public_id(table: Table, entry: Entry) -> str | None:
    return f"{table.numbered.upper()}-{entry.row['number']}" if table.numbered else None


def _detail(table: Table, entry: Entry) -> dict[str, Any]:
    """The parts of an idea name it, so that the trail finds them when they are deleted."""
    detail: dict[str, Any] = {}
    if "idea_id" in dict(table.parents):
        detail["ideaId"] = str(entry.row["idea_id"])
    if not entry.is_new:
        detail["fields"] = sorted(entry.changed - {"updatedAt"} or entry.changed)
    if "status" in entry.changed and not entry.is_new:
        detail |= {"from": entry.stored["status"], "to": entry.row["status"]}
    return detail
