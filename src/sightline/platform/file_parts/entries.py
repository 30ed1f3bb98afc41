"""The state of a file and its records while it is applied."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sightline.platform.db import Tx
from sightline.platform.errors import Fault

SHOWN_FAULTS = 100
NOWHERE = UUID(int=0)


class Linked(NamedTuple):
    """One link of a record: its target and its flag."""

    id: UUID
    flag: bool = False


@dataclass(slots=True, eq=False)
class Entry:
    """A record of the file.

    `given`: as in the file. `values`: converted, by column. `row`: to be stored. `stored`: the stored row.
    `links`: the complete sets of links in the file, by name. `changed`: the names of fields that differ.
    `broken`: has a fault and is not written. `is_partial`: fields that do not fit their types are left out of it.
    """

    path: str
    given: dict[str, Any]
    record: Any
    parent: "Entry | None" = None
    index: int = 0
    values: dict[str, Any] = field(default_factory=dict)
    row: dict[str, Any] = field(default_factory=dict)
    stored: Any = None
    links: dict[str, list[Linked]] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)
    broken: bool = False
    is_partial: bool = False

    @property
    def id(self) -> UUID:
        found = self.row.get("id") or self.row.get("workspace_id")
        return found if isinstance(found, UUID) else NOWHERE

    @property
    def is_new(self) -> bool:
        return self.stored is None


def sound(entries: Iterable[Entry]) -> list[Entry]:
    """Returns the entries without a fault."""
    return [entry for entry in entries if not entry.broken]


class Faults:
    """The faults of a file: keeps the first hundred, or `most`, and counts the rest."""

    def __init__(self, most: int = SHOWN_FAULTS) -> None:
        self.shown: list[Fault] = []
        self.count = 0
        self.most = most

    def add(self, path: str, message: str) -> None:
        self.count += 1
        if len(self.shown) < self.most:
            self.shown.append(Fault(path, message))


@dataclass(slots=True, eq=False)
class Run:
    """One application of a file, in one transaction.

    `pruned`, `given`: names of lists. `faulty_records`: list and name of each faulty record, with an empty name for a
    part such as `taxonomy`; a reference to one is not another fault. `seen`: by list the path of each record that the
    file names, by primary key. `removed`: by list, the names of records that a rule removed.
    `notes`: of one room for another. `is_import`: brings lines of another tool, again and again. `locks`: an attempt
    before was overtaken by another write, so records are locked before they are compared.
    """

    tx: Tx
    workspace_id: UUID
    actor_id: str
    is_new: bool
    faults: Faults
    pruned: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()
    faulty_records: set[tuple[str, str]] = field(default_factory=set)
    seen: dict[str, Any] = field(default_factory=lambda: defaultdict(dict))
    removed: dict[str, list[str]] = field(default_factory=dict)
    notes: dict[str, list[UUID]] = field(default_factory=lambda: defaultdict(list))
    is_import: bool = False
    locks: bool = False

    def written_at(self, entry: Entry, name: str, given: datetime | None) -> datetime | None:
        """Returns the file's `updatedAt` where it counts: in the workspace that this run creates. Else None, for now.

        Whoever follows a workspace by `updatedSince` would miss a record that is written into the past. Refuses a time
        after now.
        """
        if given and given > self.tx.now:
            self.refuse(entry, name, "Is after now")
        return given if self.is_new else None

    def refuse(self, entry: Entry, name: str, message: str) -> None:
        """Adds a fault at a field of a record. The record is then not written."""
        entry.broken = True
        self.faults.add(f"{entry.path}.{name}" if name else entry.path, message)
