"""How a room declares its lists of the workspace file: a type for the record, and a table that stores it.

A record is read by msgspec, so bounds, JSON Schema and the cells of CSV come from its type. A field is stored in the
column of its name in snake case. Its default is that of a new record; without one (UNSET), a new record needs it. What
a type cannot say is a marker in `Annotated`.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, NamedTuple, Protocol, get_origin, get_type_hints
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from sightline.platform.db import Tx
from sightline.platform.file_parts.entries import Entry, Linked, Run
from sightline.platform.wire import Id, Moment, Word

Number = Annotated[int, Meta(ge=1, le=2**53)]


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


class Nullable(NamedTuple):
    """A field with a default in which null is stored too."""


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


class Extra(NamedTuple):
    """A field that the table's rules read and store, and `show` shows."""


def singular(name: str) -> str:
    """Returns what one of a list or of a table is called: "feature" of "products.features"."""
    last = name.rpartition(".")[2]
    return f"{last[:-3]}y" if last.endswith("ies") else last.removesuffix("s")


class Links(NamedTuple):
    """A set of other records that a record names. A file has the complete set, in its order.

    `flag`: a boolean of each link; items are then objects `{<item>: ref, <flag>: true}`. `scope`: the owner's column
    that says within which record keys count. `late`: names records of lists that come afterwards; does not touch the
    owner's `updatedAt`. `is_repeated`: a column of the owner repeats the ids. `owner`: the column of the owner's id,
    by default the one that the table of links is named by.
    """

    target: str
    table: str
    flag: str | None = None
    scope: str | None = None
    late: bool = False
    is_repeated: bool = True
    owner: str = ""

    @property
    def item(self) -> str:
        return singular(self.target)

    @property
    def columns(self) -> tuple[str, ...]:
        """Returns the columns of owner, member and flag."""
        owner = self.owner or f"{self.table.rpartition('_')[0]}_id"
        return (owner, f"{self.item}_id", *([self.flag] if self.flag else []))

    @property
    def array(self) -> str | None:
        return f"{self.item}_ids" if self.is_repeated else None

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
    marker: Any

    @property
    def is_late(self) -> bool:
        return bool(getattr(self.marker, "late", False))

    @property
    def is_scoped(self) -> bool:
        """Whether it is read when the row is known."""
        return isinstance(self.marker, Links) or getattr(self.marker, "scope", None) is not None


def field_of(member: msgspec.structs.FieldInfo, hint: Any) -> Field:
    marked = getattr(hint, "__metadata__", ()) if get_origin(hint) is Annotated else ()
    marker = next((one for one in marked if isinstance(one, Nullable | Link | Converted | Extra | Links)), None)
    default = member.default if member.default_factory is msgspec.NODEFAULT else member.default_factory()
    named = marker.column if isinstance(marker, Link) else ""
    return Field(
        member.encode_name,
        member.name,
        named or member.name.rstrip("_") + ("_id" if isinstance(marker, Link) else ""),
        None if default is UNSET else default,
        default is None or isinstance(marker, Nullable),
        default is UNSET,
        marker,
    )


NUMBER = ("number",)
STAMPS = ("id", "key", "number", "createdAt", "updatedAt")


Rules = Callable[[Run, list[Entry]], AsyncIterator[None]]
Check = Callable[[Run, list[Entry]], Awaitable[None]]
Show = Callable[[Tx, UUID, Sequence[Any]], Awaitable[list[dict[str, Any]]]]


@dataclass(frozen=True)
class Table:
    """A list of records and the table that stores them."""

    path: str  # the list in the file, such as "products.features"
    name: str  # the table in the database
    record: type[FileRecord]
    children: "tuple[Table, ...]" = ()  # the lists inside each record
    # Of a list inside a record: the columns that name that record, last the one of its id.
    parents: tuple[str, ...] = ()
    is_single: bool = False  # one object in place of a list
    # How a stored record is found.
    tenant: str = "workspace_id"  # the column of the workspace's id
    primary: tuple[str, ...] = ("id",)  # the primary key without `tenant`
    identities: tuple[tuple[str, ...], ...] = ()  # sets of columns that identify a record too, if all are given
    folded: str | None = None  # a column that is compared without letter case
    # What is kept with a record.
    logged: bool = True  # whether the trail of changes names it
    stamped: bool = True  # whether it has created_at and updated_at
    versioned: str | None = None  # the column that each change raises by 1
    numbered: bool = False  # whether it has a public id such as STUDY-1
    counted: bool = False  # whether record_counts has it
    placed: bool = False  # whether `position` keeps the order of the file
    order: str = ""  # of an export
    alias: str | None = None  # a column by which references find a record that no id, public id or key names
    hidden: Mapping[str, Any] = field(default_factory=dict)  # columns without a field, with the default of a new row
    complete: Callable[[Run, Entry], None] | None = None  # fills the row of a sound entry, or refuses it
    rules: Rules | None = None  # before their `yield` they may refuse or change entries, and at it the rows are written
    check_late: Check | None = None  # refuses entries whose late fields were changed, when those of all are stored
    show: Show | None = None  # returns what it adds to the record of each row of an export
    where: str = "true"  # which rows an export has
    batch: int = 1_000  # rows of an export that are read at once
    is_late: bool = False  # stores only the fields that refer to later lists (see `late`)

    @property
    def kind(self) -> str:
        """Returns what the trail, the counts and the public ids call a record."""
        return singular(self.name)

    @property
    def above(self) -> tuple[str, ...]:
        """Returns the columns of the enclosing record that are equal to `parents`."""
        return (*self.parents[:-1], "id") if self.parents else ()

    @cached_property
    def sorting(self) -> list[str]:
        """Returns the columns by which an export is sorted."""
        usual = "number" if self.numbered else "position, id" if self.placed else "created_at, id"
        return (self.order or usual).split(", ")

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
        kept = {"id": self.primary[-1] == "id", "key": True, "number": self.numbered}
        return kept.get(one.name, self.stamped or one.column in self.sorting)

    @cached_property
    def keyed(self) -> bool:
        return issubclass(self.record, KeyedRecord)

    @cached_property
    def known_by(self) -> tuple[tuple[str, ...], ...]:
        """Returns the sets of columns that identify a record, strongest first: the primary key, the key, others."""
        key = [(*self.parents, "key")] if self.keyed else []
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
        nothing: Any = {"children": (), "parents": (), "identities": (), "placed": False}
        return replace(self, is_late=True, complete=None, rules=None, **nothing)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Returns every column that the file has, each once."""
        own = [one.column for one in self.fields]
        arrays = [link.array for _, link in self.links if link.array]
        position = ["position"] if self.placed else []
        return tuple(dict.fromkeys([*self.parents, *own, *self.hidden, *arrays, *position]))

    @cached_property
    def list_name(self) -> str:
        return self.path.rpartition(".")[2]

    def title(self, columns: Sequence[str]) -> list[str]:
        """Returns the names of these columns in the file; an empty one where there is none."""
        return [self.names[column] for column in columns if column in self.names] or [""]
