"""How a room declares its lists of the workspace file: a type for the record, and a table that stores it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, get_type_hints
from uuid import UUID

import msgspec

from sightline.platform.db import Tx
from sightline.platform.file_section.entries import Entry, Run
from sightline.platform.file_section.fields import Converted, Extra, Field, Link, Links, field_of
from sightline.platform.file_section.records import FileRecord, KeyedRecord

NUMBER = ("number",)
STAMPS = ("id", "key", "number", "createdAt", "updatedAt")


Rules = Callable[[Run, list[Entry]], AbstractAsyncContextManager[None]]
Showing = Callable[[Any], dict[str, Any]]
Shower = Callable[[Tx, UUID, Sequence[Any]], Awaitable[Showing]]


@dataclass(frozen=True)
class Table:
    """A list of records and the table that stores them."""

    path: str  # the list in the file, such as "products.features"
    name: str  # the table in the database
    record: type[FileRecord]
    kind: str | None = None  # what the trail calls a record; None for a list without a trail of its own
    children: "tuple[Table, ...]" = ()  # the lists inside each record
    parents: tuple[tuple[str, str], ...] = ()  # of a list inside a record: own column, and column of that record
    is_single: bool = False  # one object in place of a list
    # How a stored record is found.
    tenant: str = "workspace_id"  # the column of the workspace's id
    primary: tuple[str, ...] = ("id",)  # the primary key without `tenant`
    identities: tuple[tuple[str, ...], ...] = ()  # sets of columns that identify a record too, if all are given
    folded: frozenset[str] = frozenset()  # columns that are compared without letter case
    # What is kept with a record.
    stamped: bool = True  # whether it has created_at and updated_at
    versioned: str | None = None  # the column that each change raises by 1
    numbered: str | None = None  # the kind of its public number: "study" for STUDY-1
    counted: str | None = None  # the kind under which record_counts has it
    position: str | None = None  # the column that keeps the order of the file
    order: str = "created_at, id"  # of an export
    alias: str | None = None  # a column by which references find a record that no id, public id or key names
    hidden: Mapping[str, Any] = field(default_factory=dict)  # columns without a field, with the default of a new row
    rules: Rules | None = None  # before their `yield` they may refuse or change entries, and at it the rows are written
    show: Shower | None = None  # adds to the records of an export
    where: str = "true"  # which rows an export has
    batch: int = 1_000  # rows of an export that are read at once
    is_late: bool = False  # stores only the fields that refer to later lists (see `late`)

    @cached_property
    def members(self) -> tuple[Field, ...]:
        hints = get_type_hints(self.record, include_extras=True)
        found = {one.name: field_of(one, hints[one.name]) for one in msgspec.structs.fields(self.record)}
        first = [found.pop(name) for name in ("id", "key", "number") if name in found]
        last = [found.pop(name) for name in ("created_at", "updated_at") if name in found]
        return (*first, *found.values(), *last)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """Returns the fields that are stored in columns, in the order of an export."""
        inside = {child.list_name for child in self.children}
        stored = [one for one in self.members if not isinstance(one.marker, Links | Extra) and one.name not in inside]
        return tuple(one for one in stored if one.name not in STAMPS or self._keeps(one))

    def _keeps(self, one: Field) -> bool:
        kept = {"id": self.primary[-1] == "id", "key": True, "number": self.numbered is not None}
        return kept.get(one.name, self.stamped or one.column in self.order)

    @cached_property
    def keyed(self) -> bool:
        return issubclass(self.record, KeyedRecord)

    @cached_property
    def known_by(self) -> tuple[tuple[str, ...], ...]:
        """Returns the sets of columns that identify a record, strongest first: the primary key, the key, others."""
        key = [(*(column for column, _ in self.parents), "key")] if self.keyed else []
        return (self.primary, *key, *self.identities, *([NUMBER] if self.numbered else []))

    @cached_property
    def links(self) -> tuple[tuple[Field, Links], ...]:
        return tuple((one, one.marker) for one in self.members if isinstance(one.marker, Links))

    @cached_property
    def referring(self) -> tuple[Field, ...]:
        """Returns the fields that name other records, of those that are stored now."""
        named = (one for one in self.members if isinstance(one.marker, Link | Converted | Links))
        return tuple(one for one in named if one.is_late == self.is_late)

    @cached_property
    def names_itself(self) -> bool:
        """Whether nested records name others of their enclosing record."""
        return any(field.is_scoped and field.marker.target == self.path for field in self.referring)

    @cached_property
    def read_first(self) -> tuple[Field, ...]:
        """Returns the columns that are read before the stored rows are known."""
        now = (one for one in self.fields if one.is_late == self.is_late and not one.is_scoped)
        return tuple(one for one in now if one.name != "id" or not self.is_late)

    @cached_property
    def names(self) -> dict[str, str]:
        """Returns by column the name under which a difference is noted."""
        return {column: column for column in self.hidden} | {one.column: one.name for one in self.fields}

    @cached_property
    def late(self) -> "Table":
        """Returns the table that stores the late fields of known records."""
        return replace(
            self,
            is_late=True,
            kind=None,
            rules=None,
            children=(),
            parents=(),
            identities=(),
            position=None,
            counted=None,
        )

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Returns every column that the file has, each once."""
        own = [one.column for one in self.fields]
        arrays = [link.array for _, link in self.links if link.array]
        parents = [column for column, _ in self.parents]
        return tuple(dict.fromkeys([*parents, *own, *self.hidden, *arrays, *([self.position or own[0]])]))

    @cached_property
    def list_name(self) -> str:
        return self.path.rpartition(".")[2]

    def title(self, columns: Sequence[str]) -> list[str]:
        """Returns the names of these columns in the file; an empty one where there is none."""
        names = {one.column: one.name for one in self.fields}
        return [names[column] for column in columns if column in names] or [""]


@dataclass(frozen=True, slots=True)
class Object:
    """A single object of the file, such as `portal`: read, stored and shown by its room.

    `apply` returns True if it was added, False if it changed, None if nothing changed.
    """

    name: str
    type: Any
    apply: Callable[[Run, dict[str, Any]], Awaitable[bool | None]]
    show: Callable[[Tx, UUID], Awaitable[dict[str, Any] | None]]


@dataclass(frozen=True, slots=True)
class Section:
    """The part of the file that one room stores.

    `rules` surround its lists, whether the file has them or not: until their `yield` they run ahead of the first one,
    after it when the whole file is written.
    """

    tables: tuple[Table, ...] = ()
    objects: tuple[Object, ...] = ()
    rules: Callable[[Run], AbstractAsyncContextManager[None]] | None = None
