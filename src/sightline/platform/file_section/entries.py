"""The state of a file and its records while it is applied."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, Protocol, TypeVar
from uuid import UUID

from sightline.platform.db import Tx
from sightline.platform.errors import Fault

State = TypeVar("State")

SHOWN_FAULTS = 100
NOWHERE = UUID(int=0)


class Linked(NamedTuple):
    """One link of a record: its target and its flag."""

    id: UUID
    flag: bool


@dataclass(slots=True, eq=False)
class _WithState:
    """Has state that hooks share: one object of each type that they declare."""

    states: dict[type, Any] = field(default_factory=dict, kw_only=True, repr=False)

    def state(self, type: type[State]) -> State:
        """Returns the object of this type. The first call creates it without arguments."""
        if type not in self.states:
            self.states[type] = type()
        found: State = self.states[type]
        return found


@dataclass(slots=True, eq=False)
class Entry(_WithState):
    """A record of the file.

    `given`: as in the file. `values`: converted, by column. `row`: to be stored. `stored`: the stored row.
    `links`: the complete sets of links in the file, by name. `changed`: the names of fields that differ.
    `faulty`: those that do not fit their types and are left out.
    """

    path: str
    given: dict[str, Any]
    parent: "Entry | None" = None
    index: int = 0
    record: Any = None
    values: dict[str, Any] = field(default_factory=dict)
    row: dict[str, Any] = field(default_factory=dict)
    stored: Any = None
    links: dict[str, list[Linked]] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)
    faulty: set[str] = field(default_factory=set)
    has_derived_id: bool = False
    broken: bool = False

    @property
    def id(self) -> UUID:
        found = self.row.get("id", NOWHERE)
        return found if isinstance(found, UUID) else NOWHERE

    @property
    def is_new(self) -> bool:
        return self.stored is None


class Faults:
    """The faults of a file: keeps the first hundred and counts the rest."""

    def __init__(self) -> None:
        self.shown: list[Fault] = []
        self.count = 0
        self.most = SHOWN_FAULTS

    def add(self, path: str, message: str) -> None:
        self.count += 1
        if len(self.shown) < self.most:
            self.shown.append(Fault(path, message))


class Lookup(Protocol):
    """Finds the ids of records by id, public id or key; each text is looked up once."""

    def find(self, target: str, text: str, scope: UUID | None = None) -> UUID | None: ...

    async def load(self, target: str, texts: Iterable[str], scope: UUID | None = None) -> None:
        """Looks up the texts that are not known yet."""


@dataclass(slots=True, eq=False)
class Run(_WithState):
    """One application of a file, in one transaction.

    `faulty_records`: list and name of each faulty record. A reference to one is not another fault.
    `faulty_parts`: the parts of the file, such as `taxonomy`, that are faulty.
    `removed`: by list, how many records a hook removed.
    """

    tx: Tx
    workspace_id: UUID
    actor_id: str
    is_new: bool
    faults: Faults
    lookup: Lookup
    pruned: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()
    faulty_records: set[tuple[str, str]] = field(default_factory=set)
    faulty_parts: set[str] = field(default_factory=set)
    removed: dict[str, int] = field(default_factory=dict)

    def written_at(self, given: datetime) -> datetime | None:
        """Returns the file's `updatedAt` where it counts: in the workspace that this run creates. Else None, for now.

        Whoever follows a workspace by `updatedSince` would miss a record that is written into the past. Raises
        ValueError for a time after now.
        """
        if given > self.tx.now:
            raise ValueError("Is after now")
        return given if self.is_new else None

    def refuse(self, entry: Entry, name: str, message: str) -> None:
        """Adds a fault at a field of a record. The record is then not written."""
        entry.broken = True
        self.faults.add(f"{entry.path}.{name}" if name else entry.path, message)
