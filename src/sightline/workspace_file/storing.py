"""Stores records in batches: references, rows, links, and the lists inside the records."""

import dataclasses
from collections import defaultdict
from collections.abc import Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec

from sightline.platform.access import Actor
from sightline.platform.db.updates import same
from sightline.platform.file_parts.entries import Entry, Linked, Run, sound
from sightline.platform.file_parts.tables import STAMPS, Converted, Field, Find, Link, Links, Table
from sightline.platform.refs import parse_uuid
from sightline.workspace_file import queries
from sightline.workspace_file.matching import Lookups, match, place
from sightline.workspace_file.tally import Tally
from sightline.workspaces.bulk import Numbers, log_changes

NAMES = ("id", "key", "email", "label", "externalId")
_KEPT = (bytes, date, datetime, UUID)  # as the database takes them


class Late(msgspec.Struct):
    """The late fields of a record, and whether its other fields added or changed it."""

    table: Table
    path: str
    id: UUID
    given: dict[str, Any]
    is_new: bool
    is_changed: bool


@dataclasses.dataclass
class Store:
    """Stores batches of a run. `late`: what names records of lists that are stored later."""

    run: Run
    lookup: Lookups
    numbers: Numbers
    tally: Tally
    late: list[Late] = dataclasses.field(default_factory=list)

    async def store(self, table: Table, entries: Sequence[Entry]) -> None:
        """Stores records with the lists inside them."""
        await self.read(table, entries)
        whole = [entry for entry in entries if not (entry.parent and entry.parent.broken)]
        await match(self.run, table, whole)
        if table.names_itself:
            self.lookup.keep(table, whole)
        for entry in whole:
            _merge(self.run, table, entry)
            self._read_scoped(table, entry)
            if table.complete and not entry.broken:
                table.complete(self.run, entry)
        async with asynccontextmanager(table.rules)(self.run, whole) if table.rules else nullcontext():
            await place(self.run, table, whole)
            for entry in whole:
                self._conclude(table, entry)
            await self._write(table, sound(whole))
            for child in table.children:
                await self._store_inside(child, entries)
        self._keep_late(table, sound(whole))

    async def read(self, table: Table, entries: Sequence[Entry]) -> None:
        """Fills the values of records, and refuses those that name others which do not exist."""
        await self._look_up(table, entries)
        for entry in entries:
            self._read(table, entry)

    async def store_late(self, *, reads_only: bool = False) -> None:
        """Stores the late fields, when the records that they name are stored; or only notes what they would change."""
        late, self.late = self.late, []
        for path in dict.fromkeys(one.table.path for one in late):
            waiting = [one for one in late if one.table.path == path]
            table, changed = waiting[0].table.late, list[Entry]()
            for start in range(0, len(waiting), 1_000):
                batch = waiting[start : start + 1_000]
                entries = [Entry(one.path, one.given, None, values={"id": one.id}) for one in batch]
                if reads_only:
                    await self.read(table, entries)
                    await self._compare(
                        table, [entry for one, entry in zip(batch, entries, strict=True) if not one.is_new]
                    )
                    for entry in (entry for one, entry in zip(batch, entries, strict=True) if one.is_new):
                        entry.changed = {name for name, value in entry.given.items() if value is not None}
                else:
                    await self.store(table, entries)
                changed += [entry for entry in sound(entries) if entry.changed]
                await self._note_late(table, [pair for pair in zip(batch, entries, strict=True) if pair[1].changed])
            if table.check_late and changed:
                await table.check_late(self.run, changed)

    async def _compare(self, table: Table, entries: Sequence[Entry]) -> None:
        """Notes what differs from the stored records."""
        await match(self.run, table, entries)
        for entry in entries:
            _merge(self.run, table, entry)
            self._conclude(table, entry)

    async def _note_late(self, table: Table, pairs: Sequence[tuple[Late, Entry]]) -> None:
        """Logs and counts changes of late fields, unless the record itself was added."""
        known = [(one, entry) for one, entry in pairs if not one.is_new and not entry.broken]
        await self._log(table, [entry for _, entry in known])
        for one, entry in known:
            self.tally.note_late(table, entry, is_counted=one.is_changed)

    def _keep_late(self, table: Table, entries: Sequence[Entry]) -> None:
        """Keeps the late fields of a record, unless they name nothing and it has nothing in them."""
        fields = () if table.is_late else table.late.referring
        for entry in entries if fields else ():
            given = {field.name: entry.given[field.name] for field in fields if field.name in entry.given}
            if any(given[field.name] or _has_any(field, entry.stored) for field in fields if field.name in given):
                self.late.append(Late(table, entry.path, entry.id, given, entry.is_new, bool(entry.changed)))

    async def _look_up(self, table: Table, entries: Sequence[Entry]) -> None:
        """Looks up every record that some entries name."""
        texts: dict[str, dict[str, None]] = defaultdict(dict)

        def note(target: str, text: str, place: str = "", *, lenient: bool = False) -> None:
            texts[target][text] = None

        for entry in entries:
            for field in table.referring:
                if (value := entry.given.get(field.name)) is not None:
                    with suppress(ValueError):
                        field.marker.store(value, note)
        for target, named in texts.items():
            await self.lookup.load(target, named)

    def _read(self, table: Table, entry: Entry) -> None:
        """Fills `values`. Leaves out an `updatedAt` that does not count."""
        for column, above in zip(table.parents, table.above, strict=True):
            entry.values[column] = entry.parent.row.get(above) if entry.parent else None
        if table.is_single:
            entry.values[table.tenant] = self.run.workspace_id
        for field in table.read_first:
            if field.name in entry.given:
                self._read_one(field, entry)
        if moment := self.run.written_at(entry, "updatedAt", entry.values.pop("updated_at", None)):
            entry.values["updated_at"] = moment

    def _read_one(self, field: Field, entry: Entry) -> None:
        given = entry.given[field.name]
        if given is None:
            if field.name not in STAMPS:
                entry.values[field.column] = None if field.nullable else field.default
        elif field.name == "id":
            entry.values["id"] = parse_uuid(given)
        elif isinstance(field.marker, Link | Converted):
            try:
                entry.values[field.column] = field.marker.store(given, self._finder(field, entry))
            except ValueError as error:
                self.run.refuse(entry, field.name, str(error))
        else:
            value = getattr(entry.record, field.attribute)
            entry.values[field.column] = msgspec.to_builtins(value, builtin_types=_KEPT)

    def _read_scoped(self, table: Table, entry: Entry) -> None:
        """Fills `links`, and columns whose references depend on the row."""
        for field in table.referring:
            if not field.is_scoped or field.name not in entry.given:
                continue
            value, find = entry.given[field.name], self._finder(field, entry)
            if isinstance(field.marker, Links):
                entry.links[field.name] = field.marker.store(value or (), find)
            else:
                entry.row[field.column] = None if value is None else field.marker.store(value, find)

    def _finder(self, field: Field, entry: Entry) -> Find:
        """Returns the function that finds ids. It adds a fault for an unknown reference, but not to a faulty record."""
        column = getattr(field.marker, "scope", None)

        def find(target: str, text: str, place: str = "", *, lenient: bool = False) -> UUID | None:
            scope = entry.row[column] if column else None
            found = self.lookup.find(target, text, scope)
            if found is None and not (lenient and parse_uuid(text) is not None):
                entry.broken = True
                if (target, text) not in self.run.faulty_records:
                    self.run.refuse(entry, field.name + place, self._miss(target, text, scope))
            return found

        return find

    def _miss(self, target: str, text: str, scope: UUID | None) -> str:
        if key := self.lookup.key_by_name(target, text, scope):
            return f"{text!r} is a name in {target}: give the key, {key}"
        where = "" if scope is None else " of the record's product"
        return f"There is no {text!r} in {target}{where}"

    def _conclude(self, table: Table, entry: Entry) -> None:
        """Notes what differs, and the names of a faulty record."""
        if entry.broken:
            names = (entry.given.get(name) for name in NAMES)
            self.run.faulty_records.update((table.path, name) for name in names if isinstance(name, str))
            return
        for field, links in table.links:
            if (after := entry.links.get(field.name)) is not None and after != queries.linked(
                field, links, entry.stored
            ):
                entry.changed.add(field.name)
                if links.array and entry.is_new:
                    entry.row[links.array] = [one.id for one in after]
        if entry.stored is None:
            return
        stored, row = entry.stored, entry.row
        entry.changed |= {name for column, name in table.names.items() if not same(stored[column], row[column])}
        moves = entry.changed - {field.name for field, links in table.links if links.late}
        if moves and table.stamped and "updated_at" not in entry.values and not (table.is_late and self.run.is_new):
            entry.row["updated_at"] = self.run.tx.now
            entry.changed.add("updatedAt")

    async def _write(self, table: Table, entries: Sequence[Entry]) -> None:
        """Adds new rows, changes the columns that differ, and the links; logs and counts it."""
        run = self.run
        new = [entry for entry in entries if entry.is_new]
        waiting = [entry for entry in new if table.numbered and entry.row["number"] is None]
        if table.numbered and waiting:
            for number, entry in zip(await self.numbers.take(table.kind, len(waiting)), waiting, strict=True):
                entry.row["number"] = number
        if new:
            added = [column for column in table.columns if column != table.tenant]
            rows = [[run.workspace_id, *(entry.row[column] for column in added)] for entry in new]
            await queries.add_rows(run.tx, table.name, (table.tenant, *added), rows)
        columns = {name: column for column, name in table.names.items()} | {"position": "position"}
        late = {field.name for field, links in table.links if links.late}
        named = [*table.primary, *([] if run.locks else ["state_"])]
        changed = [
            {column: entry.row[column] for column in (*named, *map(columns.get, entry.changed)) if column}
            for entry in entries
            if not entry.is_new and entry.changed - late
        ]
        await queries.change_rows(run.tx, table, run.workspace_id, changed)
        for field, links in table.links:
            await self._write_links(field, links, [entry for entry in entries if field.name in entry.changed])
        if not table.is_late:
            await self._log(table, entries)
            self.tally.note(table, entries)

    async def _write_links(self, field: Field, links: Links, entries: Sequence[Entry]) -> None:
        """Changes sets of links: a common start stays, the rest is removed and added in the order of the file."""
        removed: list[tuple[UUID, UUID]] = []
        added: list[tuple[UUID, Linked]] = []
        for entry in sorted(entries, key=lambda entry: entry.id):
            before, after = queries.linked(field, links, entry.stored), entry.links.get(field.name, [])
            pairs = enumerate(zip(before, after, strict=False))
            kept = next((n for n, (a, b) in pairs if a != b), min(len(before), len(after)))
            removed += [(entry.id, id) for id, _ in before[kept:]]
            added += [(entry.id, one) for one in after[kept:]]
        if removed:
            await queries.remove_links(self.run.tx, links, self.run.workspace_id, removed)
        if added:
            columns = ["workspace_id", *links.columns]
            rows = [[self.run.workspace_id, id, *one[: len(columns) - 2]] for id, one in added]
            await queries.add_rows(self.run.tx, links.table, columns, rows)

    async def _log(self, table: Table, entries: Sequence[Entry]) -> None:
        actor = Actor(self.run.workspace_id, "file", self.run.actor_id)
        for action in ("created", "updated"):
            written = [one for one in entries if one.is_new == (action == "created") and (one.is_new or one.changed)]
            if table.logged and written:
                changes = [(entry.id, _public_id(table, entry), _detail(table, entry)) for entry in written]
                await log_changes(self.run.tx, actor, table.kind, action, changes)

    async def _store_inside(self, child: Table, parents: Sequence[Entry]) -> None:
        name = child.list_name
        inside = [
            Entry(f"{above.path}.{name}[{n}]", given, getattr(above.record, name)[n], above, n, broken=above.broken)
            for above in parents
            for n, given in enumerate(above.given.get(name) or ())
        ]
        for start in range(0, len(inside), 10_000):
            await self.store(child, inside[start : start + 10_000])
        giving = [one.id for one in sound(parents) if one.given.get(name) is not None]
        if child.path in self.run.pruned and giving and not self.run.faults.count:
            condition = f"t.{child.parents[-1]} = ANY(:parents::uuid[]) AND t.id <> ALL(:kept::uuid[])"
            kept = [entry.id for entry in inside]
            removed = await queries.remove_where(self.run, child, condition, parents=giving, kept=kept)
            self.tally.remove(child, removed)
        if inside:
            self.lookup.forget(child.path)


def _has_any(field: Field, row: Any) -> bool:
    """Whether a stored row names records in this field."""
    if isinstance(field.marker, Links):
        return bool(queries.linked(field, field.marker, row))
    return row is not None and row[field.column] is not None


def _merge(run: Run, table: Table, entry: Entry) -> None:
    """Fills `row`: the stored row, changed by the given values; defaults for the rest of a new record."""
    if entry.stored is not None:
        entry.row = dict(entry.stored) | entry.values
        return
    entry.row = {links.array: [] for _, links in table.links if links.array} | dict(table.hidden)
    for field in table.fields:
        is_missing = field.is_required and field.name not in STAMPS and not entry.is_partial
        if is_missing and field.column not in entry.values and not (field.is_scoped and field.name in entry.given):
            run.refuse(entry, field.name, "Is needed for a new record")
        entry.row[field.column] = field.default
    if table.placed:
        entry.row["position"] = 0
    entry.row |= entry.values
    if table.stamped:
        entry.row["created_at"] = entry.values.get("created_at") or _created_at(run, table, entry)
        entry.row["updated_at"] = entry.values.get("updated_at") or run.tx.now


def _created_at(run: Run, table: Table, entry: Entry) -> datetime:
    """Returns the current time; nested records of one list are a millisecond apart, to keep the order of the file."""
    if entry.parent is None or table.placed:
        return run.tx.now
    siblings = entry.parent.given.get(table.list_name) or [entry]
    return run.tx.now - timedelta(milliseconds=len(siblings) - 1 - entry.index)


def _public_id(table: Table, entry: Entry) -> str | None:
    if table.is_single and table.alias:
        return str(entry.row[table.alias])
    return f"{table.kind.upper()}-{entry.row['number']}" if table.numbered else None


def _detail(table: Table, entry: Entry) -> dict[str, Any]:
    """The parts of an idea name it, so that the trail finds them when they are deleted."""
    detail: dict[str, Any] = {"ideaId": str(entry.row["idea_id"])} if "idea_id" in table.parents else {}
    if not entry.is_new:
        detail["fields"] = sorted(entry.changed - {"updatedAt"} or entry.changed)
        if "status" in entry.changed:
            detail |= {"from": entry.stored["status"], "to": entry.row["status"]}
    return detail
