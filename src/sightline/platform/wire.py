"""Types of requests, responses and the workspace file: records, inputs, and their bounds."""

import re
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any, ClassVar, Generic, TypeVar
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from sightline.platform.db import Position, Row, Window
from sightline.platform.errors import Fault, InvalidReference
from sightline.platform.lists.large import LargeRecords
from sightline.platform.refs import UUID_PATTERN, Ref, SignalRef, parse_uuid

Shown = TypeVar("Shown")

WITHOUT_NUL = r"^[^\x00]*$"  # the pattern of a text: PostgreSQL cannot store the character NUL
_GAP, _MARK = r"[\s\x1c-\x1f\x85]", r"[^\s\x00\x1c-\x1f\x85]"  # white space, in every dialect of patterns
LONGEST_NUMBER = 309  # digits, as the largest float has: the time of longer ones grows with the square
DEEPEST = 100  # levels of objects and arrays in a body or in a record of a file; the outermost one is the first


class Record(Struct, rename="camel"):
    """A record in a response. Built from a row by position, so fields are in the order of the columns."""

    @property
    def quoted_ids(self) -> list[UUID]:
        """The ids of the records whose text this record has. Deleting one erases the answer kept for a repeat."""
        id: UUID | None = getattr(self, "id", None)
        return [id] if id else []


def decode_parts(record: Shown) -> Shown:
    """Returns the record with the parts decoded that the database gives as JSON."""
    return msgspec.json.decode(msgspec.json.encode(record), type=type(record))


class Input(Struct, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """A part of a request body. Unknown fields are refused. UNSET means absent, which is different from null.

    `schema_between` is what JSON Schema can say about several fields at once.
    """

    schema_between: ClassVar[dict[str, Any]] = {}

    @classmethod
    def faults_between(cls, value: dict[str, Any]) -> Iterable[Fault]:
        """Yields faults that concern several fields, with paths below this object. The fields may have any type."""
        return ()


def some_of(*names: str) -> dict[str, Any]:
    """The JSON schema of an object in which one of the fields is there and not null, or several are."""
    return {"not": none_of(*names)}


def both_or_none_of(first: str, second: str) -> dict[str, Any]:
    """The JSON schema of an object in which two fields come together; null counts as absent."""
    return {"if": some_of(first), "then": {**some_of(second), "required": [second]}, "else": none_of(second)}


def none_of(*names: str) -> dict[str, Any]:
    """The JSON schema of an object in which each of the fields is absent or null."""
    return {"properties": {name: {"type": "null"} for name in names}}


Timestamp = Annotated[
    str,
    Meta(
        description="A time: ISO 8601, UTC, milliseconds.",
        examples=["2026-11-20T09:30:00.000Z"],
        extra_json_schema={"format": "date-time"},
    ),
]


ShownDay = Annotated[
    str, Meta(description="A day, YYYY-MM-DD.", examples=["2026-11-20"], extra_json_schema={"format": "date"})
]


class Versioned(Struct, Generic[Shown], frozen=True):
    """A record with the tag of the version that was read. The tag is quoted as in `ETag`."""

    record: Shown
    tag: str
    headers: tuple[tuple[bytes, bytes], ...] = ()


def versioned(kind: type[Shown], row: Row, flags: str = "", *, at: str = "") -> Versioned[Shown]:
    """Returns the record of a row with its tag. The row has the record's fields in their order, then the version."""
    *fields, version = row
    return Versioned(kind(*fields), version_tag(row["id"], version, flags, at=at))


class Page(Struct, Generic[Shown], frozen=True):
    """A part of a list, and the length of the whole list.

    A list with positions says where its next page begins, null at its end; others are followed by offset alone. Of a
    page with large records `items` are only the first, or none: `rest` reads the others while the page is sent.
    """

    items: list[Shown]
    total: int
    window: Window
    after: Position | UnsetType | None = UNSET
    rest: LargeRecords[Shown] | None = None

    @property
    def has_more(self) -> bool:
        if self.after is not UNSET:
            return self.after is not None
        length = len(self.items) + (len(self.rest) if self.rest else 0)
        return length > 0 and self.window.offset + length < self.total


class Listed(Struct, Generic[Shown], frozen=True):
    """A record that shows a part of a list and says which part itself."""

    record: Shown
    window: Window
    has_more: bool


def record_of(result: Any) -> Any:
    """Returns what the body of a response shows."""
    return result.record if isinstance(result, (Versioned, Listed)) else result


Expectation = Callable[[str | None], None]


def expect_anything(tag: str | None) -> None:
    """The expectation of a request without `If-Match`: every version is accepted."""


def shown_moment(moment: datetime) -> str:
    """Returns a time as responses show it, in the same form as the database's `iso()`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def version_tag(id: UUID, version: int, flags: str = "", *, at: str = "") -> str:
    """Returns the ETag of one version of one record. `flags` names a representation of that version.

    `at`: a time of the record, where one that is removed and made again begins at version 1 again.
    """
    moment = "-" + "".join(filter(str.isdigit, at)) if at else ""
    return f'"{id.hex}.{version}{moment}{flags}"'


class WireType(type):
    """A type that reads itself from JSON, and has a JSON schema.

    `read` returns a plain value, which counts as an instance. It raises ValueError with a message.
    """

    read: Callable[[Any], Any]
    schema: Callable[[], dict[str, Any]]

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, cls.__mro__[-2])


def read_wire_type(kind: Any, value: Any) -> Any:
    """The hook by which msgspec reads the types below."""
    return kind.read(value)


def schema_of_wire_type(kind: Any) -> dict[str, Any]:
    """The hook by which msgspec describes the types below."""
    schema: dict[str, Any] = kind.schema()
    return schema


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("Expected a string")
    return value


def _in_bounds(text: str, shortest: int, longest: int | None) -> str:
    if len(text) < shortest:
        raise ValueError("Must not be empty" if shortest == 1 else f"Needs at least {shortest} characters")
    if longest is not None and len(text) > longest:
        raise ValueError(f"At most {longest} characters")
    return text


class Trimmed(str, metaclass=WireType):
    """A string without its surrounding white space; 1 to `longest` characters."""

    longest: ClassVar[int | None] = None
    shortest: ClassVar[int] = 1
    __slots__ = ()

    @classmethod
    def read(cls, value: Any) -> str:
        return _in_bounds(_text(value).strip(), cls.shortest, cls.longest)

    @classmethod
    def schema(cls) -> dict[str, Any]:
        """The bounds hold for what is between the white space, so the pattern says them."""
        longest = "" if cls.longest is None else cls.longest - 2
        inside = rf"{_MARK}[^\x00]{{{cls.shortest - 2},{longest}}}{_MARK}"
        if cls.shortest == 1:
            inside = rf"{_MARK}([^\x00]{{0,{longest}}}{_MARK})?"
        return {"type": "string", "minLength": cls.shortest, "pattern": f"^{_GAP}*{inside}{_GAP}*$"}


class Text(str, metaclass=WireType):
    """A string stored as sent, which must not be blank."""

    longest: ClassVar[int | None] = None
    __slots__ = ()

    @classmethod
    def read(cls, value: Any) -> str:
        if not _text(value).strip():
            raise ValueError("Must not be blank")
        return _in_bounds(_text(value), 1, cls.longest)

    @classmethod
    def schema(cls) -> dict[str, Any]:
        bounds = {"minLength": 1, "maxLength": cls.longest, "pattern": rf"^[^\x00]*{_MARK}[^\x00]*$"}
        return {"type": "string"} | {name: bound for name, bound in bounds.items() if bound is not None}


class Name(Trimmed):
    """1 to 255 characters, trimmed."""

    longest = 255


class Word(Text):
    """1 to 255 characters, kept as sent."""

    longest = 255


class Id(UUID, metaclass=WireType):
    """A UUID in its hyphenated form, in any letter case."""

    @classmethod
    def read(cls, value: Any) -> UUID:
        found = parse_uuid(value) if isinstance(value, str) else None
        if found is None:
            raise ValueError("Expected a UUID")
        return found

    @classmethod
    def schema(cls) -> dict[str, Any]:
        return {"type": "string", "format": "uuid", "pattern": f"^{UUID_PATTERN}$"}


class Reference(str, metaclass=WireType):
    """A record's UUID or public id, in any letter case, for `to.parse`."""

    to: ClassVar[type[Ref]]
    __slots__ = ()

    @classmethod
    def read(cls, value: Any) -> str:
        try:
            cls.to.parse(_text(value))
        except InvalidReference as refusal:
            raise ValueError(refusal.detail) from None
        return _text(value)

    @classmethod
    def schema(cls) -> dict[str, Any]:
        return cls.to.schema()


class SignalReference(Reference):
    """A signal's UUID or public id, in any letter case, for `SignalRef.parse`."""

    to = SignalRef


IdSet = Annotated[list[Id], Meta(max_length=1_000)]


_DATE = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_HOUR, _MINUTE = "([01][0-9]|2[0-3])", "[0-5][0-9]"
_CLOCK = f"{_HOUR}:{_MINUTE}(:{_MINUTE}([.,][0-9]{{1,9}})?)?"
_OFFSET = f"([Zz]|[+-]{_HOUR}(:?{_MINUTE})?)"
_MOMENT = re.compile(rf"{_DATE}([Tt ]{_CLOCK}(\s?{_OFFSET})?)?")
_SHOWN_MOMENT = rf"^\s*{_DATE}([Tt ]{_CLOCK}(\s?{_OFFSET})?|[Tt]{_CLOCK} {_HOUR}:?{_MINUTE})?\s*$"
_BELOW_MICROSECOND = re.compile(r"[.,]\d{6}\d*[1-9]", re.ASCII)
_SPACE_FOR_PLUS = re.compile(r"(?<=[0-9]) (?=\d{2}:?\d{2}$)", re.ASCII)
_EARLIEST = datetime(1, 1, 2, tzinfo=UTC)  # the driver stores the first moment of all as -infinity


class Moment(datetime, metaclass=WireType):
    """A time: ISO 8601 with any offset, UTC without one. A plain date is its midnight UTC."""

    @classmethod
    def read(cls, value: Any) -> datetime:
        """Returns the time cut to milliseconds, as it is stored. Raises ValueError."""
        moment = cls.read_exactly(value)
        if moment < _EARLIEST:
            raise ValueError("Expected a time from 0001-01-02 on")
        below = moment.microsecond % 1000
        return moment - timedelta(microseconds=below) if below else moment

    @classmethod
    def read_exactly(cls, value: Any) -> datetime:
        """Returns the time to compare with stored ones. A finer one keeps its order between them. Raises ValueError.

        A space before a final hh:mm was a `+` before URL decoding.
        """
        text = _text(value).strip()
        if not _MOMENT.fullmatch(text):
            text = _SPACE_FOR_PLUS.sub("+", text) if "T" in text.upper() else text
            if not _MOMENT.fullmatch(text):
                raise ValueError("Expected an ISO 8601 timestamp")
        try:
            moment = datetime.fromisoformat(text.upper().replace(",", "."))
            moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
            if moment.microsecond % 1000 == 0 and _BELOW_MICROSECOND.search(text):
                moment += timedelta(microseconds=1)  # between two milliseconds, where all fractions compare the same
        except (ValueError, OverflowError):
            raise ValueError("Expected an ISO 8601 timestamp") from None
        return moment

    @classmethod
    def schema(cls) -> dict[str, Any]:
        return {"type": "string", "format": "date-time", "pattern": _SHOWN_MOMENT}


class Day(date, metaclass=WireType):
    """A day in a request, YYYY-MM-DD."""

    @classmethod
    def read(cls, value: Any) -> date:
        text = _text(value)
        try:
            if re.fullmatch(_DATE, text):
                return date.fromisoformat(text)
        except ValueError:
            pass
        raise ValueError("Expected a day, YYYY-MM-DD")

    @classmethod
    def schema(cls) -> dict[str, Any]:
        return {"type": "string", "format": "date", "pattern": f"^{_DATE}$"}


_LARGEST_INTEGER = 2**31 - 1  # of a column
Email = Annotated[str, Meta(max_length=254, pattern=r"^[^\s@]+@[^\s@]+\Z", examples=["ada@example.com"])]
Short = Annotated[str, Meta(max_length=255)]
Line = Annotated[str, Meta(max_length=10_000)]
Whole = Annotated[int, Meta(ge=0, le=_LARGEST_INTEGER)]
Positive = Annotated[int, Meta(ge=1, le=_LARGEST_INTEGER)]


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
