"""Reading a query string: every parameter is strict, and an unknown one is refused."""

import re
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin
from urllib.parse import parse_qsl

import msgspec
from msgspec import Struct

from sightline.platform.db import Window
from sightline.platform.errors import Fault, InvalidReference, ValidationFailed
from sightline.platform.lists.paging import Paging
from sightline.platform.refs import Ref
from sightline.platform.wire import WITHOUT_NUL, Moment, WireType

Reader = Callable[[str], Any]
Parameters = list[tuple[str, str]]
Json = dict[str, Any]

_UNKNOWN_NAME_LENGTH = 100  # characters of an unknown parameter's name that are repeated in the fault
LONGEST_TEXT = 1000  # characters of a string that is searched for
MOST_ITEMS = 200  # of a comma list
MOST_PARAMETERS = 200
_has_escapes = re.compile("[%+]").search


class Query(Struct, rename="camel", kw_only=True):
    """The parameters of one operation. Every field has a default and a description, in `Meta`."""


def parse_query(query_string: bytes) -> Parameters:
    """Raises ValidationFailed for a query that is not UTF-8 or has more than 200 parameters."""
    if not query_string:
        return []
    try:
        text = query_string.decode("ascii")
        if _has_escapes(text) or text.count("&") >= MOST_PARAMETERS:
            return parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=MOST_PARAMETERS)
        return [(name, value) for name, _, value in (part.partition("=") for part in text.split("&") if part)]
    except (UnicodeDecodeError, ValueError):
        raise ValidationFailed.of("", "The query has to be percent-encoded UTF-8 of at most 200 parameters") from None


class QueryReader:
    """Reads the parameters of one operation: its filters and its page."""

    def __init__(self, kind: type[Query], paging: Paging | None = None) -> None:
        self.kind = kind
        fields = msgspec.structs.fields(kind)
        page = paging.readers() if paging else {}
        self._readers = {field.encode_name: parameter_of(field.type)[0] for field in fields} | page
        self._attributes = {field.encode_name: field.name for field in fields}
        self._first = Window(paging.default if paging else 0)
        names = ", ".join(self._readers)
        self._expected = f"expected one of: {names}" if names else "this operation takes none"

    def read(self, parameters: Parameters) -> tuple[Any, Window]:
        """Raises ValidationFailed with the first fault of each parameter."""
        if not parameters:
            return self.kind(), self._first
        found: dict[str, Any] = {}
        faults: dict[str, Fault] = {}
        for name, text in parameters:
            attribute = self._attributes.get(name, name)
            try:
                found[attribute] = _joined(found.get(attribute), self._read(name, text))
            except ValueError as error:
                faults.setdefault(name, Fault(name[:_UNKNOWN_NAME_LENGTH], str(error)))
        if faults:
            raise ValidationFailed(list(faults.values()))
        window = Window(found.pop("limit", self._first.limit), found.pop("offset", 0), found.pop("after", None))
        return self.kind(**found), window

    def _read(self, name: str, text: str) -> Any:
        """Raises ValueError with what is wrong. A filter that is ignored would answer another question."""
        if (reader := self._readers.get(name)) is None:
            raise ValueError(f"Unknown parameter; {self._expected}")
        if "\0" in text:
            raise ValueError("Must not hold the character NUL")
        return reader(text)


def _joined(before: Any, value: Any) -> Any:
    """A comma list may be repeated, and its parts count together; nothing else may."""
    if before is None:
        return value
    if not isinstance(value, tuple):
        raise ValueError("Repeated; send it once")
    return _bounded(before + value)


def _bounded(items: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(items) > MOST_ITEMS:
        raise ValueError(f"At most {MOST_ITEMS} items")
    return items


def parameter_of(kind: Any) -> tuple[Reader, Json]:
    """Returns how a parameter of a type is read, and its JSON schema.

    A type is a text, an id, a moment, a reference, a set of choices, or a tuple of one of these, written with commas.
    """
    kind = type_of_parameter(kind)
    if get_origin(kind) is tuple:
        reader, items = parameter_of(get_args(kind)[0])
        return partial(_comma_list, reader), {"type": "array", "items": items, "maxItems": MOST_ITEMS}
    if get_origin(kind) is Literal or issubclass(kind, StrEnum):
        choices = get_args(kind) or tuple(kind)
        return partial(_choice, choices), {"type": "string", "enum": list(choices)}
    if issubclass(kind, Ref):
        return partial(_reference, kind), kind.schema_of_filter()
    if isinstance(kind, WireType):
        return Moment.read_exactly if kind is Moment else kind.read, kind.schema()
    assert kind is str, f"no parameter can be a {kind}"  # noqa: S101 - a fault of the program, at start
    return _text, {"type": "string", "maxLength": LONGEST_TEXT, "pattern": WITHOUT_NUL}


def _text(text: str) -> str:
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"At most {LONGEST_TEXT} characters")
    return text


def _reference(kind: type[Ref], text: str) -> Ref:
    try:
        return kind.parse(text)
    except InvalidReference as refusal:
        raise ValueError(refusal.detail) from None


def _comma_list(reader: Reader, text: str) -> tuple[Any, ...]:
    items = _bounded(tuple(item.strip() for item in text.split(",") if item.strip()))
    return tuple(map(reader, items))


def _choice(allowed: tuple[str, ...], text: str) -> str:
    if text not in allowed:
        raise ValueError(f"Expected one of: {', '.join(allowed)}")
    return allowed[allowed.index(text)]


def type_of_parameter(kind: Any) -> Any:
    """The type of a parameter without its description and without None."""
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) in (Union, UnionType):
        (kind,) = (member for member in get_args(kind) if member is not type(None))
    return kind
