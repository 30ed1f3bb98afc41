"""The fields of a record in the workspace file: type, column, and the conversion between the two."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Annotated, Any, Literal, NamedTuple, Protocol
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
from msgspec import Meta

from sightline.platform.refs import parse_uuid
from sightline.platform.wire import Moment

LONGEST_WORD = 255
LARGEST = 2**31 - 1
_CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")


class Reference(NamedTuple):
    """A reference to another record: its path in the field, the list, and the id, public id or key.

    `lenient`: an unknown id is kept, as the record may have been deleted.
    """

    suffix: str
    target: str
    text: str
    lenient: bool = False


class Lookup(Protocol):
    """Finds ids among those looked up for a whole batch."""

    def find(self, target: str, text: str, scope: UUID | None = None) -> UUID | None: ...


def _keep(value: Any, lookup: Lookup) -> Any:
    return value


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True)
class Field:
    """A field. `store` raises ValueError with a message. `late` fields name records of lists that are stored later."""

    name: str
    column: str
    type: Any
    default: Any = None
    nullable: bool = False
    required: bool = False
    store: Callable[[Any, Lookup], Any] = _keep
    show: Callable[[Any], Any] = _same
    references: Callable[[Any], Iterator[Reference]] | None = None
    late: bool = False
    json: bool = False

    def under(self, column: str) -> "Field":
        """Returns the same field with another column."""
        return replace(self, column=column)


def column_of(name: str) -> str:
    return _CAPITAL.sub(r"_\1", name).lower()


def _sized(longest: int | None) -> Any:
    return Annotated[str, Meta(min_length=1, max_length=longest)] if longest else Annotated[str, Meta(min_length=1)]


def _trim(value: str, lookup: Lookup) -> str:
    if not (trimmed := value.strip()):
        raise ValueError("Must not be blank")
    return trimmed


def _full(value: str, lookup: Lookup) -> str:
    if not value.strip():
        raise ValueError("Must not be blank")
    return value


def name(name: str = "name", longest: int = LONGEST_WORD) -> Field:
    """A trimmed text, not blank, required in a new record."""
    return Field(name, column_of(name), _sized(longest), required=True, store=_trim)


def text(name: str, *, longest: int | None = None, default: str | None = "", nullable: bool = False) -> Field:
    """A text stored as in the file; may be empty."""
    type = Annotated[str, Meta(max_length=longest)] if longest else str
    return Field(name, column_of(name), type, None if nullable else default, nullable)


def full_text(name: str, *, longest: int | None = None, nullable: bool = False) -> Field:
    """A text stored as in the file; not blank. Required in a new record unless it may be null."""
    return Field(name, column_of(name), _sized(longest), nullable=nullable, required=not nullable, store=_full)


def word(name: str, *, default: str | None = None, required: bool = False) -> Field:
    """A text of at most 255 characters, not blank; null unless there is a default."""
    nullable = default is None and not required
    return Field(name, column_of(name), _sized(LONGEST_WORD), default, nullable, required, store=_full)


def choice(name: str, *values: str, default: str | None = None, nullable: bool = False) -> Field:
    """One of a few words."""
    required = default is None and not nullable
    return Field(name, column_of(name), Literal[values], default, nullable, required)


def flag(name: str, default: bool) -> Field:
    return Field(name, column_of(name), bool, default)


def whole(name: str, default: int | None, *, least: int = 0, largest: int = LARGEST) -> Field:
    """A whole number; null if the default is."""
    return Field(name, column_of(name), Annotated[int, Meta(ge=least, le=largest)], default, default is None)


def number(name: str, *, least: float, largest: float, nullable: bool = False) -> Field:
    type = Annotated[float, Meta(ge=least, le=largest)]
    return Field(name, column_of(name), type, nullable=nullable, required=not nullable, store=lambda v, _: float(v))


def show_moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def read_moment(value: str, lookup: Lookup) -> datetime:
    return Moment.read(value)


def moment(name: str, *, required: bool = False) -> Field:
    """A time in ISO 8601 with any offset, UTC without one; null unless required."""
    column = column_of(name)
    return Field(name, column, str, nullable=not required, required=required, store=read_moment, show=show_moment)


def _read_zone(value: str, lookup: Lookup) -> str:
    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("There is no such time zone") from None
    return value


def zone(name: str) -> Field:
    """A time zone by its IANA name; UTC by default."""
    return Field(name, column_of(name), _sized(LONGEST_WORD), "UTC", store=_read_zone)


def address(name: str = "email") -> Field:
    """An e-mail address."""
    type = Annotated[str, Meta(max_length=254, pattern=r"^[^\s@]+@[^\s@]+\Z", examples=["ada@example.com"])]
    return Field(name, column_of(name), type, required=True)


def read_day(value: str, lookup: Lookup) -> date:
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII):
        raise ValueError("Expected a date like 2026-11-20")
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise ValueError("There is no such day") from None


def day(name: str) -> Field:
    show: Callable[[Any], Any] = lambda stored: stored and stored.isoformat()  # noqa: E731 - one expression
    return Field(name, column_of(name), str, nullable=True, store=read_day, show=show)


def show_json(stored: Any) -> Any:
    return None if stored is None else msgspec.json.decode(stored)


def json(name: str, type: Any = dict[str, Any], *, default: Any = None) -> Field:
    """A JSON value stored as in the file; null if the default is."""
    return Field(name, column_of(name), type, default, default is None, show=show_json, json=True)


def strings(name: str, type: Any = str, *, default: Sequence[str] = ()) -> Field:
    return Field(name, column_of(name), list[type], list(default))


def read_uuid(value: str) -> UUID:
    if (found := parse_uuid(value)) is None:
        raise ValueError("Expected a UUID")
    return found


def show_id(stored: UUID | None) -> str | None:
    return None if stored is None else str(stored)


def uuid(name: str, *, required: bool = False) -> Field:
    """An id. It need not name a record of the workspace."""
    read: Callable[[Any, Lookup], Any] = lambda value, _: read_uuid(value)  # noqa: E731 - one expression
    return Field(name, column_of(name), str, nullable=not required, required=required, store=read, show=show_id)


def _read_hex(value: str, lookup: Lookup) -> bytes:
    try:
        return bytes.fromhex(value)
    except ValueError:
        raise ValueError("Expected hexadecimal digits") from None


def hexadecimal(name: str) -> Field:
    show: Callable[[Any], Any] = lambda stored: None if stored is None else stored.hex()  # noqa: E731 - one expression
    return Field(name, column_of(name), str, nullable=True, store=_read_hex, show=show)


def reference(name: str, target: str, *, required: bool = False, late: bool = False) -> Field:
    """Names one record of another list by id, public id or key. The column is `<name>_id`."""

    def references(value: str) -> Iterator[Reference]:
        yield Reference("", target, value)

    return Field(
        name,
        column_of(name) + "_id",
        _sized(LONGEST_WORD),
        nullable=not required,
        required=required,
        store=lambda value, lookup: lookup.find(target, value),
        show=show_id,
        references=references,
        late=late,
    )


class Extract(msgspec.Struct, forbid_unknown_fields=True):
    text: str
    signal: str | None = None
    turn: Annotated[int, Meta(ge=0)] | None = None
    start: Annotated[int, Meta(ge=0)] | None = None
    end: Annotated[int, Meta(ge=0)] | None = None
    speaker: str | None = None


_PLACES = ("turn", "start", "end", "speaker")


def _place_of(extract: Mapping[str, Any]) -> dict[str, Any]:
    return {name: extract[name] for name in _PLACES if extract.get(name) is not None}


def extracts(name: str = "extracts") -> Field:
    """Quotes with their signals: `[{text, signal}]` in the file, `[{text, signalId}]` in the database.

    Both may have the place in the signal: turn, start, end, and speaker.
    """

    def references(value: Sequence[Mapping[str, Any]]) -> Iterator[Reference]:
        for index, extract in enumerate(value):
            if extract.get("signal") is not None:
                yield Reference(f"[{index}].signal", "signals", extract["signal"], lenient=True)

    def store(value: Sequence[Mapping[str, Any]], lookup: Lookup) -> Any:
        signals = (extract.get("signal") for extract in value)
        found = [None if signal is None else lookup.find("signals", signal) for signal in signals]
        return [
            {"text": extract["text"], "signalId": id and str(id), **_place_of(extract)}
            for extract, id in zip(value, found, strict=True)
        ]

    def show(stored: Any) -> Any:
        quotes = show_json(stored)
        return quotes and [
            {"text": quote["text"], "signal": quote.get("signalId"), **_place_of(quote)} for quote in quotes
        ]

    return Field(
        name,
        column_of(name),
        list[Extract],
        nullable=True,
        store=store,
        show=show,
        references=references,
        json=True,
    )
