"""The result of applying a file: counts by list, ids by key."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from msgspec import Struct

from sightline.platform.file_section import Entry, Table


class ListCount(Struct):
    """How many records of one list were added, changed, unchanged, removed."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0


class Applied(Struct, rename="camel"):
    """The result of applying a file. `ids`: by list, then by key; a feature's key is `<product>/<feature>`."""

    workspace_id: UUID
    slug: str
    added: bool
    counts: dict[str, ListCount]
    ids: dict[str, dict[str, UUID]]


class Tally:
    """Counts records. `growth`: the change of the stored counts, by kind."""

    def __init__(self) -> None:
        self.counts: dict[str, ListCount] = {}
        self.ids: dict[str, dict[str, UUID]] = {}
        self.growth: dict[str, int] = {}

    def of(self, path: str) -> ListCount:
        return self.counts.setdefault(path, ListCount())

    def note(
        self, table: Table, new: Sequence[Any], changed: Sequence[Any], unchanged: int, all: Sequence[Entry]
    ) -> None:
        count = self.of(table.path)
        count.added += len(new)
        count.changed += len(changed)
        count.unchanged += unchanged
        self.grow(table, len(new))
        if table.keyed and (not table.parents or table.path == "products.features"):
            ids = self.ids.setdefault(table.path, {})
            for entry in all:
                if (key := _full_key(entry)) is not None:
                    ids[key] = entry.id

    def remove(self, table: Table, count: int) -> None:
        self.of(table.path).removed += count
        self.grow(table, -count)

    def grow(self, table: Table, by: int) -> None:
        if table.counted:
            self.growth[table.counted] = self.growth.get(table.counted, 0) + by


def _full_key(entry: Entry) -> str | None:
    key: str | None = entry.row.get("key")
    if entry.parent is None or key is None:
        return key
    above = entry.parent.row.get("key")
    return f"{above}/{key}" if above else key
