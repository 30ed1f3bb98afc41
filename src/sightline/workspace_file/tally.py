"""The result of applying a file: counts by list, ids by key, and each change."""

from collections import Counter
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct

from sightline.platform.file_parts.entries import NOWHERE, Entry
from sightline.platform.file_parts.tables import Table


class ListCount(Struct):
    """How many records of one list were added, changed, unchanged, removed."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0


class RecordChange(Struct, rename="camel"):
    """One record that a file adds, changes or removes. `fields`: the values before and after, both None of links."""

    list: str
    action: str
    name: str
    fields: dict[str, tuple[Any, Any]] = {}


class Applied(Struct, rename="camel"):
    """The result of applying a file. `ids`: by list, then by key; a feature's key is `<product>/<feature>`."""

    workspace_id: UUID
    slug: str
    added: bool
    counts: dict[str, ListCount]
    ids: dict[str, dict[str, UUID]]


class Tally:
    """Counts records. `growth`: the change of the stored counts, by kind. `changes`: each, if they are kept.

    `changed_in_parts`: unchanged records of which a part is added or changed, such as an account with a new contact.
    """

    def __init__(self, *, keeps_changes: bool = False) -> None:
        self.counts: dict[str, ListCount] = {}
        self.ids: dict[str, dict[str, UUID]] = {}
        self.growth: Counter[str] = Counter()
        self.changes: list[RecordChange] | None = [] if keeps_changes else None
        self.changed_in_parts: set[UUID] = set()
        self._changed: dict[tuple[str, UUID], RecordChange] = {}

    def of(self, path: str) -> ListCount:
        return self.counts.setdefault(path, ListCount())

    def note(self, table: Table, entries: Sequence[Entry]) -> None:
        """Counts entries that were stored."""
        added = sum(entry.is_new for entry in entries)
        changed = sum(not entry.is_new and bool(entry.changed) for entry in entries)
        count = self.of(table.path)
        count.added += added
        count.changed += changed
        count.unchanged += len(entries) - added - changed
        for entry in entries:
            if not (entry.is_new or entry.changed):
                continue
            if self.changes is not None:
                self._keep(table, entry)
            if entry.parent and not (entry.parent.is_new or entry.parent.changed):
                self.changed_in_parts.add(entry.parent.id)
        if table.counted:
            self.growth[table.kind] += added
        if table.keyed and (not table.parents or table.path == "products.features"):
            ids = self.ids.setdefault(table.path, {})
            ids.update({key: entry.id for entry in entries if (key := _full_key(entry)) is not None})

    def note_late(self, table: Table, entry: Entry, *, is_counted: bool) -> None:
        """Counts a change of late fields of a record that was counted before, as changed or as unchanged."""
        if not is_counted:
            self.of(table.path).unchanged -= 1
            self.of(table.path).changed += 1
        if self.changes is not None:
            self._keep(table, entry)

    def _keep(self, table: Table, entry: Entry) -> None:
        """Keeps a change, as one with what was changed of the record before."""
        change, place = _change(table, entry), (table.path, entry.id)
        if entry.id != NOWHERE and place in self._changed:
            self._changed[place].fields |= change.fields
        elif self.changes is not None:
            self._changed[place] = change
            self.changes.append(change)

    def remove(self, table: Table, names: Sequence[str]) -> None:
        """Counts removed records."""
        self.of(table.path).removed += len(names)
        if table.counted:
            self.growth[table.kind] -= len(names)
        if self.changes is not None:
            self.changes += [RecordChange(table.path, "removed", name) for name in names]


def _full_key(entry: Entry) -> str | None:
    if (key := entry.row.get("key")) is None or entry.parent is None:
        return key
    above = entry.parent.row.get("key")
    return f"{above}/{key}" if above is not None else None


def _change(table: Table, entry: Entry) -> RecordChange:
    number = entry.row.get("number") if table.numbered else None
    public_id = f"{table.kind}-{number}".upper() if number and number > 0 else None
    own = entry.row.get("key") or public_id or entry.given.get("id")
    name = str(own or entry.row.get("email") or entry.row.get(table.primary[-1]))
    if entry.is_new:
        return RecordChange(table.path, "added", name)
    fields = {
        name: (entry.stored[column], entry.row[column])
        for column, name in table.names.items()
        if name in entry.changed and name != "updatedAt"
    }
    others = entry.changed - {*table.names.values()}
    return RecordChange(table.path, "changed", name, fields | dict.fromkeys(sorted(others), (None, None)))
