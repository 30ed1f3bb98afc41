"""What is known about a record of the file while it is applied."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol
from uuid import UUID

from sightline.platform.db import Tx
from sightline.platform.errors import Fault
from sightline.platform.file_section.fields import Lookup

SHOWN_FAULTS = 100
NOWHERE = UUID(int=0)


class Linked(NamedTuple):
    """One link of a record: to which, and its flag."""

    id: UUID
    flag: bool


@dataclass(slots=True, eq=False)
class Entry:
    """`given`: as in the file. `values`: by column, as given. `row`: as it will be stored. `stored`: as it is."""

    path: str
    given: dict[str, Any]
    parent: "Entry | None" = None
    index: int = 0
    values: dict[str, Any] = field(default_factory=dict)
    row: dict[str, Any] = field(default_factory=dict)
    stored: Any = None
    links: dict[str, list[Linked]] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)
    notes: dict[str, Any] = field(default_factory=dict)
    broken: bool = False

    @property
    def id(self) -> UUID:
        found = self.row.get("id", NOWHERE)
        return found if isinstance(found, UUID) else NOWHERE

    @property
    def is_new(self) -> bool:
        return self.stored is None


class Faults:
    """Everything that is wrong; keeps the first hundred and counts the rest."""

    def __init__(self) -> None:
        self.shown: list[Fault] = []
        self.count = 0

    def add(self, path: str, message: str) -> None:
        self.count += 1
        if len(self.shown) < SHOWN_FAULTS:
            self.shown.append(Fault(path, message))


class BatchLookup(Lookup, Protocol):
    async def load(self, target: str, texts: Iterable[str], scope: UUID | None = None) -> None:
        """Looks up what was not looked up before."""

    def forget(self, target: str) -> None:
        """After records of the list came, went or changed their names."""


@dataclass(slots=True)
class Run:
    """One application of a file, in one transaction."""

    tx: Tx
    workspace_id: UUID
    actor_id: str
    is_new: bool
    faults: Faults
    lookup: BatchLookup
    pruned: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()
    notes: dict[str, Any] = field(default_factory=dict)

    def refuse(self, entry: Entry, name: str, message: str) -> None:
        """Notes a fault at a field of a record, which is then not written."""
        entry.broken = True
        self.faults.add(f"{entry.path}.{name}" if name else entry.path, message)
