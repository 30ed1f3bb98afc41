"""Fields of records: where they are stored, and which other records they name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, Protocol, get_origin
from uuid import UUID

import msgspec
from msgspec import UNSET

from sightline.platform.file_section.entries import Linked


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
        marker,
    )
