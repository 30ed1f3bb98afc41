"""From the types of a body to values at their bounds and past them, each with the path it stands at."""

import types
from collections.abc import Iterator
from enum import EnumMeta
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin
from uuid import UUID

import msgspec
from msgspec import Struct, UnsetType

from sightline.platform.wire import WireType, schema_of_wire_type
from sightline.signals.records import Slug, WebAddress

ID = "6f1c0f7e-8a0c-4c53-9a35-1f7f4f2d7c11"
LONG = 50_000  # characters that fit where no bound is said
Json = dict[str, Any]
NO_BOOL: list[Any] = ["true", 1, []]
NO_LIST: list[Any] = [{}, "text", 7]
NO_NUMBER: list[Any] = ["1", True, []]
NO_TEXT: list[Any] = [7, True, [], {}]


class Trial(NamedTuple):
    """A part of a body with one value to try: where it stands, whether it fits, and what it is."""

    path: str
    body: Json
    fits: bool
    said: str


def trials_of(kind: type[Struct], path: str = "") -> list[Trial]:
    """One value after the other, at every field of the type and of the types in it."""
    found = []
    for field in msgspec.structs.fields(kind):
        for at, value, fits, said in _values(field.type):
            found.append(Trial(f"{path}{field.encode_name}{at}", {field.encode_name: value}, fits, said))
    return found


def faults_of_struct(kind: type[Struct]) -> list[tuple[str, Json]]:
    """Bodies with an unknown field, at the top and in every object below, and the path of that field."""
    found: list[tuple[str, Json]] = [("nonsense", {"nonsense": 1})]
    for field in msgspec.structs.fields(kind):
        for at, value in _with_unknown_fields(field.type):
            found.append((f"{field.encode_name}{at}", {field.encode_name: value}))
    return found


def sample(kind: Any) -> Any:
    """A value that fits the type."""
    if commands := _tagged(kind):
        return _sample_struct(commands[0])
    kind = _inner(kind)
    if isinstance(kind, WireType):
        schema = schema_of_wire_type(kind)
        formats = {"uuid": ID, "date-time": "2026-01-02T03:04:05.678Z", "date": "2026-01-02"}
        if "examples" in schema and "format" not in schema:
            return schema["examples"][0]
        return formats.get(schema.get("format", ""), "x" * int(schema.get("minLength", 1)))
    if choices := _choices(kind):
        return choices[0]
    if get_origin(kind) in (list, tuple):
        return [sample(get_args(kind)[0])]
    if _is_struct(kind):
        return _sample_struct(kind)
    return {str: "x", bool: True, int: 1, float: 1.0, UUID: ID, dict: {}}.get(get_origin(kind) or kind)


def full_samples(kind: type[Struct]) -> list[Json]:
    """Bodies with every field of the type; one for each command if a field is one of several."""
    bodies: list[Json] = [{}]
    for field in msgspec.structs.fields(kind):
        commands = _tagged(field.type)
        values = [_full(command) for command in commands] or [_full_value(field.type)]
        bodies = [{**body, field.encode_name: value} for body in bodies for value in values]
    return bodies


def _full(kind: type[Struct]) -> Json:
    return _tag(kind) | full_samples(kind)[0]


def _full_value(kind: Any) -> Any:
    inner = _inner(kind)
    if get_origin(inner) is list and _is_struct(item := _inner(get_args(inner)[0])):
        return [_full(item)]
    return _full(inner) if _is_struct(inner) else sample(kind)


def _sample_struct(kind: type[Struct]) -> Json:
    return _tag(kind) | {
        field.encode_name: sample(field.type) for field in msgspec.structs.fields(kind) if field.required
    }


def _tag(kind: type[Struct]) -> Json:
    config = kind.__struct_config__
    return {} if config.tag is None else {str(config.tag_field): config.tag}


Value = tuple[str, Any, bool, str]


def _values(kind: Any) -> Iterator[Value]:
    """What to try for one type: the path below it, the value, whether it fits, and what it is."""
    takes_null = type(None) in _members(kind)
    yield ("", None, takes_null, "null")
    if commands := _tagged(kind):
        yield from _values_of_structs(commands)
    else:
        yield from _values_of_one(kind)


def _values_of_structs(kinds: list[type[Struct]]) -> Iterator[Value]:
    yield ("", [], False, "a wrong type")
    for kind in kinds:
        for trial in trials_of(kind):
            yield (f".{trial.path}", {**_sample_struct(kind), **trial.body}, trial.fits, trial.said)


def _values_of_one(kind: Any) -> Iterator[Value]:
    inner = _inner(kind)
    metas = getattr(_annotated(kind), "__metadata__", ())
    if get_origin(inner) is list:
        yield from _values_of_list(get_args(inner)[0], metas)
    elif _is_struct(inner):
        yield from _values_of_structs([inner])
    elif choices := _choices(inner):
        yield from [("", choice, True, "a choice") for choice in choices]
        yield ("", "nonsense", False, "no choice")
        yield ("", 7, False, "a wrong type")
    elif inner is bool:
        yield from [("", wrong, False, "a wrong type") for wrong in NO_BOOL]
    elif inner in (int, float):
        yield from _values_of_number(metas)
    elif isinstance(inner, WireType) or inner is str:
        yield from _values_of_text(inner, metas)


def _values_of_list(item: Any, metas: Any) -> Iterator[Value]:
    yield from [("", wrong, False, "a wrong type") for wrong in NO_LIST]
    for meta in metas:
        if meta.max_length is not None:
            yield ("", [sample(item)] * meta.max_length, True, "at the bound")
            yield ("", [sample(item)] * (meta.max_length + 1), False, "past the bound")
    before = _items_before(item, metas)
    for at, value, fits, said in _values(item):
        yield (f"[{len(before)}]{at}", [*before, value], fits, said)


def _items_before(item: Any, metas: Any) -> list[Any]:
    """What stands in a list before the item to try: another one, where there is room for two."""
    return [] if any(meta.max_length == 1 for meta in metas) else [sample(item)]


def _values_of_number(metas: Any) -> Iterator[Value]:
    yield from [("", wrong, False, "a wrong type") for wrong in NO_NUMBER]
    for meta in metas:
        for bound, beyond in ((meta.ge, -1), (meta.le, 1)):
            if bound is not None:
                yield ("", bound, True, "at the bound")
                yield ("", bound + beyond, False, "past the bound")


def _values_of_text(kind: Any, metas: Any) -> Iterator[Value]:
    yield from [("", wrong, False, "a wrong type") for wrong in NO_TEXT]
    schema = schema_of_wire_type(kind) if isinstance(kind, WireType) else {}
    if "format" in schema:
        wrong = {"uuid": ["", "nonsense", ID.replace("-", ""), f"{ID} "]}.get(schema["format"], ["", "nonsense"])
        yield from [("", text, False, "no id") for text in wrong]
        yield ("", f"{sample(kind)}\0", False, "NUL")
        return
    yield ("", "a\0b", False, "NUL")
    if schema.get("examples") or issubclass(kind, Slug | WebAddress):
        return
    longest = getattr(kind, "longest", None) or next((meta.max_length for meta in metas if meta.max_length), None)
    if longest is not None:
        yield ("", "\u00e9" * longest, True, "at the bound")
        yield ("", "x" * (longest + 1), False, "past the bound")
    else:
        yield ("", "x" * LONG, True, "long")
    if schema.get("minLength"):
        yield from [("", blank, False, "blank") for blank in ("", " ", "\n\t")]


def _with_unknown_fields(kind: Any) -> Iterator[tuple[str, Any]]:
    for command in _tagged(kind):
        yield from ((f".{path}", {**_sample_struct(command), **body}) for path, body in faults_of_struct(command))
    if _tagged(kind):
        return
    inner = _inner(kind)
    if get_origin(inner) is list:
        item = get_args(inner)[0]
        before = _items_before(item, getattr(_annotated(kind), "__metadata__", ()))
        yield from ((f"[{len(before)}]{at}", [*before, value]) for at, value in _with_unknown_fields(item))
    elif _is_struct(inner):
        yield from ((f".{path}", {**_sample_struct(inner), **body}) for path, body in faults_of_struct(inner))


def _members(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)


def _tagged(kind: Any) -> list[type[Struct]]:
    """The records of a union that a tag tells apart; none for any other type."""
    structs = [member for member in _members(kind) if _is_struct(member)]
    return structs if len(structs) > 1 else []


def _annotated(kind: Any) -> Any:
    """The one member of a union that is neither null nor absence."""
    (member,) = (member for member in _members(kind) if member not in (type(None), UnsetType))
    return member


def _inner(kind: Any) -> Any:
    member = _annotated(kind)
    return get_args(member)[0] if get_origin(member) is Annotated else member


def _choices(kind: Any) -> list[Any]:
    """The values of a closed set; none for any other type."""
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    members: list[Any] = list(kind) if isinstance(kind, EnumMeta) else []
    return [member.value for member in members]


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Struct)
