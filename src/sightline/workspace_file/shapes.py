"""Whether a record has the shape its list asks for; every fault with its path, not only the first."""

import re
from typing import Any, Literal, Union, cast, get_args, get_origin

import msgspec
from msgspec import Struct, UnsetType

from sightline.platform.file_section import Faults

_WHERE = re.compile(r" - at `(?:key in )?\$([^`]*)`$")


def check_shape(value: Any, shape: Any, path: str, faults: Faults) -> bool:
    """Whether the value fits; notes every fault below `path` when it does not."""
    try:
        msgspec.convert(value, shape)
    except msgspec.ValidationError as error:
        before = faults.count
        _look_closer(value, shape, path, faults)
        if faults.count == before:
            faults.add(*_placed(error, path, shape))
        return False
    return True


def check_text(value: Any, path: str, faults: Faults) -> bool:
    """Whether all of its texts are Unicode; notes a fault when not."""
    try:
        msgspec.json.encode(value)
    except (UnicodeEncodeError, TypeError):
        faults.add(path, "Holds a text that is no Unicode")
        return False
    return True


def _placed(error: msgspec.ValidationError, path: str, shape: Any) -> tuple[str, str]:
    text = str(error)
    where = _WHERE.search(text)
    message = text[: where.start()] if where else text
    if message.startswith("Invalid enum value") and (words := _words(shape)):
        message = f"Has to be one of {', '.join(words)}"
    return path + (where[1] if where else ""), message.replace("`", "").replace(" | null", " or null")


def _words(shape: Any) -> list[str]:
    if get_origin(shape) is Literal:
        return [str(word) for word in get_args(shape)]
    return [word for part in get_args(shape) for word in _words(part)]


def _look_closer(value: Any, shape: Any, path: str, faults: Faults) -> None:
    struct = _struct_of(shape)
    item = _item_of(shape)
    if struct is not None and isinstance(value, dict):
        _look_into(value, struct, path, faults)
    elif item is not None and isinstance(value, list):
        for index, element in enumerate(value):
            check_shape(element, item, f"{path}[{index}]", faults)
    else:
        _note(value, shape, path, faults)


def _note(value: Any, shape: Any, path: str, faults: Faults) -> None:
    try:
        msgspec.convert(value, shape)
    except msgspec.ValidationError as error:
        faults.add(*_placed(error, path, shape))


def _look_into(value: dict[Any, Any], struct: type[Struct], path: str, faults: Faults) -> None:
    known = {field.encode_name: field for field in msgspec.structs.fields(struct)}
    for name, given in value.items():
        here = f"{path}.{name}" if path else str(name)
        if name not in known:
            faults.add(here, "Unknown field")
        else:
            check_shape(given, known[name].type, here, faults)
    for name, field in known.items():
        if field.required and name not in value:
            faults.add(f"{path}.{name}" if path else name, "Is missing")


def _members(shape: Any) -> tuple[Any, ...]:
    """The alternatives of a shape, without null and absence."""
    import types

    if get_origin(shape) in (Union, types.UnionType):
        return tuple(part for part in get_args(shape) if part not in (None.__class__, UnsetType))
    return (shape,)


def _struct_of(shape: Any) -> "type[Struct] | None":
    for part in _members(shape):
        if isinstance(part, msgspec.StructMeta):
            return cast("type[Struct]", part)
    return None


def _item_of(shape: Any) -> Any:
    for part in _members(shape):
        if get_origin(part) is list:
            return get_args(part)[0]
    return None
