"""How a room declares its lists of the workspace file: a type for the record, and a table that stores it.

The type is read by msgspec, so bounds, JSON Schema and the cells of CSV come from it. A field is stored in the column
of its name in snake case. Its default is that of a new record; without one (UNSET), a new record needs the field.
`Annotated` says what a type cannot: `Column`, `Link`, `Links`, `Converted`, `Extra`.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import UnionType
from typing import Annotated, Any, NamedTuple, Protocol, Union, get_args, get_origin, get_type_hints
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from sightline.platform.db import Tx
from sightline.platform.file_section.entries import Entry, Linked, Run
from sightline.platform.wire import Id, Moment, Trimmed, WireType

LARGEST = 2**31 - 1
NUMBER = ("number",)
STAMPS = ("id", "key", "number", "createdAt", "updatedAt")


class Name(Trimmed):
    """1 to 255 characters, trimmed."""

    longest = 255


# Kept as in the file.
Word = Annotated[str, Meta(min_length=1, max_length=255, pattern=r"\S")]
Email = Annotated[str, Meta(max_length=254, pattern=r"^[^\s@]+@[^\s@]+\Z", examples=["ada@example.com"])]
Whole = Annotated[int, Meta(ge=0, le=LARGEST)]
Positive = Annotated[int, Meta(ge=1, le=LARGEST)]
Number = Annotated[int, Meta(ge=1, le=2**53)]


class Hexadecimal(bytes, metaclass=WireType):
    """Bytes as hexadecimal digits."""

    @classmethod
    def read(cls, value: Any) -> bytes:
        try:
            return bytes.fromhex(value)
        except (TypeError, ValueError):
            raise ValueError("Expected hexadecimal digits") from None

    @classmethod
    def schema(cls) -> dict[str, Any]:
        return {"type": "string", "pattern": "^([0-9a-fA-F]{2})*$"}


class Part(Struct, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """An object of the file."""


class FileRecord(Part):
    """A record. Any record may have these fields; a list that does not store one checks and ignores it."""

    id: Id | UnsetType | None = UNSET
    number: Number | UnsetType | None = UNSET
    created_at: Moment | UnsetType | None = UNSET
    updated_at: Moment | UnsetType | None = UNSET


class KeyedRecord(FileRecord):
    """A record with a key of the author's own."""

    key: Word | UnsetType | None = UNSET


class Find(Protocol):
    """Finds the id of a record of the list `target` by id, public id or key. Returns None for an unknown one.

    That is a fault at `place` in the field, unless it is an id and `lenient`: the record may have been deleted.
    """

    def __call__(self, target: str, text: str, place: str = "", *, lenient: bool = False) -> UUID | None: ...


class Column(NamedTuple):
    """Stores the field in the column `name`. `nullable`: null is stored, though there is a default."""

    name: str = ""
    nullable: bool = False


class Link(NamedTuple):
    """Another record, by id, public id or key. The column is `<name>_id`.

    `late`: of a list that is stored later. `scope`: the own column that says within which record keys count.
    """

    target: str
    column: str = ""
    late: bool = False
    scope: str | None = None

    def store(self, value: str, find: Find) -> UUID | None:
        return find(self.target, value)


class Converted(NamedTuple):
    """A value that is stored in another form, with the ids of the records that it names.

    `store` runs twice: the first time `find` only takes note of what to look up, and returns None.
    """

    store: Callable[[Any, Find], Any]
    show: Callable[[Any], Any] = lambda stored: stored
    column: str = ""


class Extra(NamedTuple):
    """A field that the table's rules read and store, and `show` shows."""


class Links(NamedTuple):
    """A set of other records that a record names. A file has the complete set, in its order.

    `array`: the column of the owner that repeats the ids. `flag`: a boolean of each link; items are then objects
    `{<item>: ref, <flag>: true}`. `scope`: the owner's column that says within which record keys count.
    `late`: names records of lists that come afterwards; does not touch the owner's `updatedAt`.
    """

    target: str
    table: str
    owner: str
    member: str
    array: str | None = None
    item: str = ""
    flag: str | None = None
    scope: str | None = None
    late: bool = False

    def store(self, value: Sequence[Any], find: Find) -> list[Linked]:
        """Returns each link once; it has the flag if one of its items has."""
        found: dict[UUID, bool] = {}
        for index, item in enumerate(value):
            inside = isinstance(item, dict)
            place = f"[{index}].{self.item}" if inside else f"[{index}]"
            if (id := find(self.target, item[self.item] if inside else item, place)) is not None:
                found[id] = found.get(id, False) or (inside and bool(item.get(self.flag)))
        return [Linked(id, flag) for id, flag in found.items()]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record's type. `attribute`: its name in Python."""

    name: str
    attribute: str
    column: str
    default: Any
    nullable: bool
    is_required: bool
    is_json: bool
    marker: Any

    @property
    def is_late(self) -> bool:
        return bool(getattr(self.marker, "late", False))

    @property
    def is_scoped(self) -> bool:
        """Whether it is read when the row is known."""
        return isinstance(self.marker, Links) or getattr(self.marker, "scope", None) is not None


def _parts(hint: Any) -> Iterator[Any]:
    """Yields the plain types in a type: of a union, and in `Annotated`."""
    if get_origin(hint) is Annotated:
        yield from _parts(get_args(hint)[0])
    elif get_origin(hint) in (Union, UnionType):
        for part in get_args(hint):
            yield from _parts(part)
    else:
        yield hint


def _is_json(hint: Any) -> bool:
    """Whether values of this type are stored as JSON: objects, and lists of anything but texts."""
    for part in _parts(hint):
        items = get_args(part) if get_origin(part) is list else ()
        if get_origin(part) is dict or (isinstance(part, type) and issubclass(part, Struct | dict)):
            return True
        if items and (items[0] is Any or any(_is_json(item) for item in _parts(items[0]))):
            return True
    return False


def _field(member: msgspec.structs.FieldInfo, hint: Any) -> Field:
    marked = getattr(hint, "__metadata__", ()) if get_origin(hint) is Annotated else ()
    marker = next((one for one in marked if isinstance(one, Column | Link | Converted | Extra | Links)), None)
    default = member.default if member.default_factory is msgspec.NODEFAULT else member.default_factory()
    named = getattr(marker, "column", "") or (marker.name if isinstance(marker, Column) else "")
    return Field(
        member.encode_name,
        member.name,
        named or member.name.rstrip("_") + ("_id" if isinstance(marker, Link) else ""),
        None if default is UNSET else default,
        default is None or (isinstance(marker, Column) and marker.nullable),
        default is UNSET,
        _is_json(hint),
        marker,
    )


Rules = Callable[[Run, list[Entry]], AbstractAsyncContextManager[None]]
Showing = Callable[[Any], dict[str, Any]]
Shower = Callable[[Tx, UUID, Sequence[Any]], Awaitable[Showing]]


@dataclass(frozen=True)
class Table:
    """A list of records and the table that stores them.

    `path`: the list's place in the file. `kind`: what the trail calls a record, None for no trail of its own.
    `is_single`: one object in place of a list. `tenant`: the column of the workspace's id.
    `primary`: the primary key beside the workspace. `parents`: own column and column of the enclosing record.
    `identities`: columns that, all given, name a record besides its key; `folded` ones ignore letter case.
    `alias`: a column that names a record in references too, where no id, public id or key does.
    `position`: the column that keeps the order of the file. `order`: the order of export.
    `hidden`: columns that are no fields of the file, with the default that rules may replace.
    `rules` surround the writing of rows: until their `yield` they may refuse and change the rows that are known by
    then, and after it these are written. `show` adds to an export. `is_late`: has only the late fields.
    """

    path: str
    name: str
    record: type[Part]
    kind: str | None = None
    children: "tuple[Table, ...]" = ()
    parents: tuple[tuple[str, str], ...] = ()
    is_single: bool = False
    tenant: str = "workspace_id"
    primary: tuple[str, ...] = ("id",)
    identities: tuple[tuple[str, ...], ...] = ()
    folded: frozenset[str] = frozenset()
    stamped: bool = True
    versioned: str | None = None
    numbered: str | None = None
    counted: str | None = None
    position: str | None = None
    order: str = "created_at, id"
    alias: str | None = None
    hidden: Mapping[str, Any] = field(default_factory=dict)
    rules: Rules | None = None
    show: Shower | None = None
    where: str = "true"
    batch: int = 1_000
    is_late: bool = False

    @cached_property
    def members(self) -> tuple[Field, ...]:
        hints = get_type_hints(self.record, include_extras=True)
        found = {one.name: _field(one, hints[one.name]) for one in msgspec.structs.fields(self.record)}
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
