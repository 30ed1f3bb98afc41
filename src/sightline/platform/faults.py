"""Finds every fault of a decoded value that does not fit its type, each with its path."""

import re
import types
from collections.abc import Iterator
from enum import EnumMeta
from functools import cache
from itertools import islice
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, Meta, Struct, UnsetType
from msgspec.structs import FieldInfo

from sightline.platform.errors import MOST_FAULTS, Fault
from sightline.platform.wire import Input, read_wire_type

MOST_FAULT_BYTES = 40 * 1024  # of all faults, as JSON
LONGEST_SHOWN = 200  # characters of a path or a message
_PLACE = re.compile(r" - at `(?:key in )?\$([^`]*)`$")
_FIELD = re.compile(r"Object (?:(contains unknown)|missing required) field `(.*)`", re.DOTALL)
_JSON_NAMES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
_LENGTH = re.compile(r"Expected `(str|array|object)` of length ([<>])= (\d+)")
_UNITS = {"str": "character", "array": "item", "object": "field"}
_TYPE_NAME = re.compile(r"`(\w+)( \| null)?`")


def faults_in(kind: Any, value: Any, path: str = "") -> Iterator[Fault]:
    """Yields the faults of a value that does not fit the type, for example `classifications[0].groupKey`, "Required".

    In a list that is too long it checks only as many items as are allowed.
    """
    inner = _plain(_member_for(kind, value))
    if isinstance(value, dict) and (by_tag := _members_by_tag(inner)):
        yield from _faults_of_tag(by_tag, value, path)
    elif isinstance(inner, type) and issubclass(inner, Struct):
        yield from _faults_in_struct(inner, value, path)
    elif get_origin(inner) is list and isinstance(value, list):
        yield from _faults_in_list(_member_for(kind, value), value, path)
    else:
        nul = list(islice(nul_faults(value, path), 1))
        yield from nul_faults(value, path) if nul else fault_of(kind, value, path)


def nul_faults(value: Any, path: str = "") -> Iterator[Fault]:
    """Yields a fault for each string or name that holds the character NUL, which PostgreSQL cannot store."""
    if isinstance(value, str):
        if "\0" in value:
            yield Fault(path, "Must not hold the character NUL")
    elif isinstance(value, dict):
        yield from (Fault(path, "A name must not hold the character NUL") for name in value if "\0" in str(name))
        for name, each in value.items():
            yield from nul_faults(each, below(path, name))
    elif isinstance(value, list):
        for n, each in enumerate(value):
            yield from nul_faults(each, f"{path}[{n}]")


def below(path: str, name: Any) -> str:
    return f"{path}.{name}" if path else str(name)


def _plain(kind: Any) -> Any:
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def _members(kind: Any) -> list[Any]:
    """Returns the alternatives of a type, without null and UNSET."""
    if get_origin(kind) not in (Union, types.UnionType):
        return [kind]
    return [member for member in get_args(kind) if member not in (type(None), UnsetType)]


def _member_for(kind: Any, value: Any) -> Any:
    """Returns the alternative to check a value against: the only one, or the record or list among several."""
    members = _members(kind)
    if value is None and type(None) in get_args(kind):
        return kind
    if len(members) == 1:
        return members[0]
    if isinstance(value, dict) and (by_tag := _members_by_tag(kind)):
        tag = value.get(_tag_field(by_tag))
        return by_tag.get(tag, kind) if isinstance(tag, str) else kind
    for member in members:
        inner = _plain(member)
        if isinstance(value, dict) and isinstance(inner, type) and issubclass(inner, Struct):
            return member
        if isinstance(value, list) and get_origin(inner) is list:
            return member
    return kind


def _members_by_tag(kind: Any) -> dict[Any, type[Struct]]:
    """The records of a union by their tag, the field that distinguishes them; nothing for any other type."""
    members = _members(kind)
    structs = [member for member in members if isinstance(member, type) and issubclass(member, Struct)]
    if len(structs) < 2:
        return {}
    return {struct.__struct_config__.tag: struct for struct in structs if struct.__struct_config__.tag is not None}


def _tag_field(by_tag: dict[Any, type[Struct]]) -> str:
    return next(str(struct.__struct_config__.tag_field) for struct in by_tag.values())


def _faults_of_tag(by_tag: dict[Any, type[Struct]], value: dict[str, Any], path: str) -> Iterator[Fault]:
    """The tag is missing or unknown; without it nothing else can be checked."""
    name = _tag_field(by_tag)
    message = f"Expected one of: {', '.join(map(str, by_tag))}" if name in value else "Required"
    yield Fault(below(path, name), message)


def _faults_in_list(kind: Any, value: list[Any], path: str) -> Iterator[Fault]:
    if not value:
        yield from fault_of(kind, [], path)
        return
    longest, fault = _length_fault(kind, value, path)
    if fault is not None:
        yield fault
    (item,) = get_args(_plain(kind))
    for n, each in enumerate(islice(value, longest)):
        yield from faults_in(item, each, f"{path}[{n}]")


def _length_fault(kind: Any, value: list[Any], path: str) -> tuple[int | None, Fault | None]:
    """Returns how many items to check, and the fault of their number."""
    for meta in getattr(kind, "__metadata__", ()):
        if meta.max_length is not None and len(value) > meta.max_length:
            return meta.max_length, Fault(path, _length_message("array", "<", meta.max_length))
        if meta.min_length is not None and len(value) < meta.min_length:
            return None, Fault(path, _length_message("array", ">", meta.min_length))
    return None, None


def _faults_in_struct(kind: type[Struct], value: Any, path: str) -> Iterator[Fault]:
    if not isinstance(value, dict):
        yield Fault(path, "Expected an object")
        return
    fields = _fields(kind)
    if kind.__struct_config__.forbid_unknown_fields:
        known = {*fields, kind.__struct_config__.tag_field}
        yield from (Fault(below(path, name), "Unknown field") for name in value if name not in known)
    wrong: set[str] = set()
    for name, field in fields.items():
        if name in value:
            for fault in faults_in(field.type, value[name], below(path, name)):
                wrong.add(fault.path)
                yield fault
        elif field.default is NODEFAULT and field.default_factory is NODEFAULT:
            yield Fault(below(path, name), "Required")
    if issubclass(kind, Input):
        between = (Fault(below(path, fault.path), fault.message) for fault in kind.faults_between(value))
        yield from (fault for fault in between if fault.path not in wrong)


@cache  # to find them takes longer than all else
def _fields(kind: type[Struct]) -> dict[str, FieldInfo]:
    return {field.encode_name: field for field in msgspec.structs.fields(kind)}


def fault_of(kind: Any, value: Any, path: str = "") -> Iterator[Fault]:
    """Yields the first fault of a value that does not fit the type, at a thousandth of what looking for all costs."""
    try:
        msgspec.convert(value, kind, dec_hook=read_wire_type)
    except msgspec.ValidationError as error:
        text = str(error)
        place = _PLACE.search(text)
        message = text[: place.start()] if place else text
        if message.startswith("Invalid enum value") and (choices := _choices(kind)):
            message = f"Expected one of: {', '.join(choices)}"
        elif "matching regex" in message:
            message = next(_expected_texts(kind), message)
        elif length := _LENGTH.fullmatch(message):
            message = _length_message(length[1], length[2], int(length[3]))
        path = (path + (place[1] if place else "")).lstrip(".")
        if field := _FIELD.fullmatch(message):
            yield Fault(below(path, field[2]), "Unknown field" if field[1] else "Required")
        else:
            yield Fault(path, _TYPE_NAME.sub(_json_name, message))


def _length_message(type: str, sign: str, bound: int) -> str:
    if type == "str" and sign == ">" and bound == 1:
        return "Must not be empty"
    unit = _UNITS[type] + ("s" if bound != 1 else "")
    return f"{'Needs at least' if sign == '>' else 'At most'} {bound} {unit}"


def _json_name(found: re.Match[str]) -> str:
    return f"{_JSON_NAMES.get(found[1], found[1])}{' or null' if found[2] else ''}"


def _choices(kind: Any) -> list[str]:
    """Returns the values of a closed set."""
    if get_origin(kind) is Literal:
        return [str(value) for value in get_args(kind)]
    if isinstance(kind, EnumMeta):
        return [str(member.value) for member in kind]  # type: ignore[var-annotated]  # members of any enumeration
    return [choice for part in get_args(kind) for choice in _choices(part)]


def _expected_texts(kind: Any) -> Iterator[str]:
    """Yields what a text has to be, for each pattern of a type that has an example or forbids blank texts."""
    for part in get_args(kind):
        if not isinstance(part, Meta):
            yield from _expected_texts(part)
        elif part.pattern == r"\S":
            yield "Must not be empty"
        elif part.pattern is not None and part.examples:
            yield f"Expected a text like {part.examples[0]}"


def first_faults(faults: Iterator[Fault]) -> list[Fault]:
    """Returns the first faults: at most 100, cut to what an answer can hold."""
    listed: list[Fault] = []
    size = 0
    for fault in islice(faults, MOST_FAULTS):
        shown = Fault(_cut(fault.path), _cut(fault.message))
        size += len(msgspec.json.encode(shown))
        if size > MOST_FAULT_BYTES:
            break
        listed.append(shown)
    return listed


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."
