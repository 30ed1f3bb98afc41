"""The tables of a section: the list of the file, its table, and the mapping between them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from sightline.platform.db import Tx
from sightline.platform.file_section import fields as of
from sightline.platform.file_section.entries import Entry, Run
from sightline.platform.file_section.fields import Field, Reference

Hook = Callable[[Run, list[Entry]], Awaitable[None]]
Showing = Callable[[Any], dict[str, Any]]
Shower = Callable[[Tx, UUID, Sequence[Any]], Awaitable[Showing]]

ID = of.uuid("id")
KEY = of.word("key")
NUMBER = of.whole("number", None, least=1, largest=2**53)
CREATED_AT = of.moment("createdAt")
UPDATED_AT = of.moment("updatedAt")


@dataclass(frozen=True, slots=True)
class Link:
    """A set of other records that a record names. A file has the complete set, in its order.

    `array`: the column of the owner that repeats the ids. `flag`: a boolean of each link; items are then objects
    `{<item>: ref, <flag>: true}`. `scope`: the owner's column that says within which record keys count.
    `late`: names records of lists that come afterwards; does not touch the owner's `updatedAt`.
    """

    name: str
    target: str
    table: str
    owner: str
    member: str
    array: str | None = None
    item: str = ""
    flag: str | None = None
    scope: str | None = None
    late: bool = False

    @property
    def type(self) -> Any:
        if self.flag is None:
            return list[str]
        parts: list[Any] = [(self.item, str), (self.flag, bool | UnsetType, UNSET)]
        item: Any = msgspec.defstruct(self.item.title(), parts, forbid_unknown_fields=True)
        return list[str | item]

    def references(self, value: Sequence[Any]) -> list[Reference]:
        """Returns one reference for each item, in their order."""
        if self.flag is None:
            return [Reference(f"[{index}]", self.target, item) for index, item in enumerate(value)]
        return [
            Reference(f"[{index}]", self.target, item)
            if isinstance(item, str)
            else Reference(f"[{index}].{self.item}", self.target, item[self.item])
            for index, item in enumerate(value)
        ]

    def flags(self, value: Sequence[Any]) -> list[bool]:
        """Returns one flag for each item; false for a plain reference and by default."""
        return [isinstance(item, dict) and bool(item.get(self.flag, False)) for item in value]


def _list_of(item: Any) -> Any:
    return list[item]


@dataclass(frozen=True)
class Table:
    """A list of records and the table that stores them.

    `path`: the list's place in the file. `kind`: what the trail calls a record, None for no trail of its own.
    `primary`: the primary key beside the workspace. `parents`: own column and column of the enclosing record.
    `identities`: columns that, all given, name a record besides its key; `folded` ones ignore letter case.
    `alias`: a column that names a record in references too, where no id, public id or key does.
    `position`: the column that keeps the order of the file. `order`: the order of export.
    `hidden`: columns that are no fields of the file; `settle` fills them. `extra`: fields that hooks read and show.
    `settle` runs when rows are known and may change them, `after` when they are written, `show` adds to an export.
    """

    path: str
    name: str
    fields: tuple[Field, ...]
    kind: str | None = None
    links: tuple[Link, ...] = ()
    children: "tuple[Table, ...]" = ()
    parents: tuple[tuple[str, str], ...] = ()
    primary: tuple[str, ...] = ("id",)
    identities: tuple[tuple[str, ...], ...] = ()
    folded: frozenset[str] = frozenset()
    keyed: bool = True
    stamped: bool = True
    versioned: str | None = None
    numbered: str | None = None
    counted: str | None = None
    position: str | None = None
    order: str = "created_at, id"
    alias: str | None = None
    spilled: bool = False
    hidden: tuple[Field, ...] = ()
    extra: tuple[tuple[str, Any], ...] = ()
    settle: Hook | None = None
    after: Hook | None = None
    show: Shower | None = None
    where: str = "true"
    batch: int = 1_000

    @cached_property
    def all_fields(self) -> tuple[Field, ...]:
        head: tuple[Field, ...] = (ID,) if self.primary[-1] == "id" else ()
        head += (KEY,) if self.keyed else ()
        head += (NUMBER,) if self.numbered else ()
        return head + self.fields + ((CREATED_AT, UPDATED_AT) if self.stamped else ())

    @cached_property
    def ignored_fields(self) -> tuple[Field, ...]:
        """Fields that any record of a file may have, but this table does not store."""
        kept = {field.name for field in self.all_fields}
        return tuple(field for field in (ID, NUMBER, CREATED_AT, UPDATED_AT) if field.name not in kept)

    @cached_property
    def stored_fields(self) -> tuple[Field, ...]:
        return self.all_fields + self.hidden

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Returns every column that the file has, each once."""
        own = [field.column for field in self.stored_fields]
        parents = [column for column, _ in self.parents]
        arrays = [link.array for link in self.links if link.array and not link.late]
        return tuple(dict.fromkeys([*parents, *own, *arrays, *([self.position] if self.position else [])]))

    @cached_property
    def list_name(self) -> str:
        return self.path.rpartition(".")[2]

    @cached_property
    def record(self) -> type[msgspec.Struct]:
        """Returns the type of a record in the file."""
        parts = [(f.name, f.type | UnsetType | None, UNSET) for f in self.all_fields + self.ignored_fields]
        parts += [(link.name, link.type | UnsetType | None, UNSET) for link in self.links]
        inside = [child for child in self.children if not child.spilled]
        parts += [(child.list_name, _list_of(child.record) | UnsetType | None, UNSET) for child in inside]
        parts += [(name, type | UnsetType | None, UNSET) for name, type in self.extra]
        return msgspec.defstruct(self.path, parts, forbid_unknown_fields=True)


@dataclass(frozen=True, slots=True)
class Part:
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

    `begin` runs when the workspace is there, `before` ahead of a list of that name (also when the file does not give
    it), `end` when everything is written.
    """

    tables: tuple[Table, ...] = ()
    parts: tuple[Part, ...] = ()
    before: Mapping[str, Callable[[Run], Awaitable[None]]] = field(default_factory=dict)
    begin: Callable[[Run], Awaitable[None]] | None = None
    end: Callable[[Run], Awaitable[None]] | None = None
