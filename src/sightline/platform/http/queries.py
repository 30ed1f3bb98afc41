"""Reading a query string: unknown parameters are ignored, known ones are strict."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from types import UnionType
from typing import Any, Generic, Literal, TypeVar, Union, get_args, get_origin
from urllib.parse import parse_qsl

import msgspec
from msgspec import Struct

from sightline.platform.db.sql import Position, Window
from sightline.platform.errors import Fault, NotFound, Refusal, ValidationFailed
from sightline.platform.http.cursors import read_cursor
from sightline.platform.refs import Ref
from sightline.platform.wire import WireType, schema_of_wire_type

Wanted = TypeVar("Wanted", bound="Query")
Reader = Callable[[str], Any]

_DIGITS = re.compile(r"[0-9]+", re.ASCII)
LARGEST_OFFSET = 2**31 - 1


class Query(Struct, rename="camel", kw_only=True):
    """The parameters of one operation; every field has a default."""


@dataclass(frozen=True, slots=True)
class Paging:
    """How long a page may be. With `clamp` a larger limit is served as `most`, without it is refused.

    With `cursor` the list is a feed: `Link` also carries `after`, which costs the same however deep the page lies.
    """

    default: int = 20
    most: int = 100
    clamp: bool = False
    cursor: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return ("limit", "offset", "after") if self.cursor else ("limit", "offset")

    def read(self, given: list[tuple[str, str]], faults: list[Fault]) -> Window:
        found = dict(given)
        if len(found) < len(given):
            names = [name for name, _ in given]
            faults += [Fault(name, "Given more than once") for name in self.names if names.count(name) > 1]
        limit = self._limit(found.get("limit"), faults)
        after = self._after(found.get("after"), faults)
        offset = found.get("offset", "0")
        if not _DIGITS.fullmatch(offset) or len(offset) > 20 or int(offset) > LARGEST_OFFSET:
            faults.append(Fault("offset", f"Expected a whole number from 0 to {LARGEST_OFFSET}"))
            return Window(limit)
        return Window(limit, int(offset), after)

    def _after(self, given: str | None, faults: list[Fault]) -> Position | None:
        if given is None or not self.cursor:
            return None
        try:
            return read_cursor(given)
        except ValueError as error:
            faults.append(Fault("after", str(error)))
            return None

    def _limit(self, given: str | None, faults: list[Fault]) -> int:
        if given is None:
            return self.default
        largest = None if self.clamp else self.most
        if not _DIGITS.fullmatch(given) or not given.strip("0"):
            faults.append(Fault("limit", f"Expected a whole number from 1 to {self.most}"))
            return self.default
        limit = int(given) if len(given.lstrip("0")) < 10 else self.most + 1
        if largest is not None and limit > largest:
            faults.append(Fault("limit", f"Expected a whole number from 1 to {self.most}"))
        return min(limit, self.most)


def parse_query(query_string: bytes) -> list[tuple[str, str]]:
    """Raises ValidationFailed for a query that is not UTF-8 or has more than 200 parameters."""
    if not query_string:
        return []
    try:
        return parse_qsl(query_string.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=200)
    except (UnicodeDecodeError, ValueError):
        fault = Fault("", "The query has to be percent-encoded UTF-8 of at most 200 parameters")
        raise ValidationFailed([fault]) from None


class QueryReader(Generic[Wanted]):
    """Reads one type of query."""

    def __init__(self, kind: type[Wanted]) -> None:
        self.kind = kind
        fields = msgspec.structs.fields(kind)
        self._readers = {field.encode_name: (field.name, reader_of(field.type)) for field in fields}

    def read(self, given: list[tuple[str, str]], faults: list[Fault]) -> Wanted | None:
        """None when there were faults, which are added to the list."""
        found: dict[str, Any] = {}
        before = len(faults)
        for name, text in given:
            if name not in self._readers:
                continue
            attribute, reader = self._readers[name]
            try:
                if "\0" in text:
                    raise ValueError("Must not hold the character NUL")
                value = reader(text)
            except ValueError as error:
                faults.append(Fault(name, str(error)))
                continue
            except Refusal as refusal:
                faults.append(Fault(name, refusal.detail))
                continue
            if attribute not in found:
                found[attribute] = value
            elif isinstance(value, tuple):
                found[attribute] += value
            else:
                faults.append(Fault(name, "Given more than once"))
        return None if len(faults) > before else self.kind(**found)


def reader_of(kind: Any) -> Reader:
    """How a parameter of a type is read: texts, ids, moments, references, choices, and tuples of these by comma."""
    if get_origin(kind) in (Union, UnionType):
        (kind,) = (member for member in get_args(kind) if member is not type(None))
    if get_origin(kind) is tuple:
        return _comma_list(reader_of(get_args(kind)[0]))
    if get_origin(kind) is Literal:
        return _choice(get_args(kind))
    if issubclass(kind, StrEnum):
        return _choice(tuple(kind))
    if issubclass(kind, Ref):
        return lambda text: _reference(kind, text)
    if isinstance(kind, WireType):
        return lambda text: kind.read(text)
    assert kind is str, f"no parameter can be a {kind}"  # noqa: S101 - a fault of the program, at start
    return str


def _reference(kind: type[Ref], text: str) -> Ref:
    """A well-formed reference to something else finds nothing; only a shapeless one is refused."""
    try:
        return kind.parse(text)
    except NotFound:
        return kind(number=0)


def _comma_list(reader: Reader) -> Reader:
    return lambda text: tuple(reader(item.strip()) for item in text.split(",") if item.strip())


def _choice(allowed: tuple[str, ...]) -> Reader:
    def read(text: str) -> str:
        for choice in allowed:
            if text == choice:
                return choice
        raise ValueError(f"Expected one of: {', '.join(allowed)}")

    return read


def schema_of_parameter(kind: Any) -> dict[str, Any]:
    """The JSON schema of a parameter's type."""
    if get_origin(kind) in (Union, UnionType):
        (kind,) = (member for member in get_args(kind) if member is not type(None))
    if get_origin(kind) is tuple:
        return {"type": "array", "items": schema_of_parameter(get_args(kind)[0])}
    if get_origin(kind) is Literal or issubclass(kind, StrEnum):
        return {"type": "string", "enum": list(get_args(kind) or kind)}
    if issubclass(kind, Ref):
        described: dict[str, Any] = kind.schema()
        return described
    return schema_of_wire_type(kind) if isinstance(kind, WireType) else {"type": "string"}
