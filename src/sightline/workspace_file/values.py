"""Values of a file: JSON and YAML that PostgreSQL can store, and that fit their types."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from sightline.platform.errors import Fault
from sightline.platform.faults import below, faults_in, nul_faults
from sightline.platform.file_parts.entries import Faults
from sightline.platform.http.bodies import MOST_EXPONENTS
from sightline.platform.wire import DEEPEST, LONGEST_NUMBER, read_wire_type

LARGEST = 10**LONGEST_NUMBER
LONGEST_TEXT = 8 * 1024 * 1024  # bytes of JSON: as in the largest body of the API
TOO_DEEP = "Is nested too deeply"


class Repeated(ValueError):
    """An object has a name twice."""


def _read_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        name, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise Repeated(f"{name[:100]!r} twice in an object")
    return found


# The decoder of the standard library: it says where a value ends, so a file is read value by value, and lets a repeated
# name be found.
DECODER = json.JSONDecoder(object_pairs_hook=_read_members)


def _is_sound(value: Any) -> bool:
    """Returns whether a value has no faults, at a tenth of what looking for them costs. False if it may have some."""
    try:
        encoded = msgspec.json.encode(value) if _is_plain(value) else b""
        return 0 < len(encoded) <= LONGEST_TEXT and b"\\u0000" not in encoded
    except UnicodeEncodeError:
        return False


def _is_plain(value: Any, level: int = 1) -> bool:
    kind = type(value)
    if kind is dict or kind is list:
        inside = value.values() if kind is dict else value
        return level < DEEPEST and all([_is_plain(each, level + 1) for each in inside if type(each) is not str])
    return value is None or kind in (str, bool) or (kind is int and -LARGEST < value < LARGEST)


def value_faults(value: Any, path: str, level: int = 1) -> Iterator[Fault]:
    """Yields what no record may have: more than 100 levels, large numbers, texts above 8 MiB, half characters."""
    if level > DEEPEST and isinstance(value, dict | list):
        yield Fault(".".join(path.split(".")[:2]), f"{TOO_DEEP}: more than {DEEPEST} levels")
    elif isinstance(value, dict):
        for name, each in value.items():
            yield from _text_faults(name, below(path, name))
            yield from value_faults(each, below(path, name), level + 1)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from value_faults(each, f"{path}[{index}]", level + 1)
    elif isinstance(value, str):
        yield from _text_faults(value, path)
    elif isinstance(value, float) and not math.isfinite(value):
        yield Fault(path, "Is too large a number")
    elif isinstance(value, int) and not -LARGEST < value < LARGEST:
        yield Fault(path, f"Is too large a number: at most {LONGEST_NUMBER} digits")


def _exponent_faults(value: Any, path: str) -> Iterator[Fault]:
    """Yields a fault of more than 100 numbers like 1e30, which PostgreSQL keeps with all their zeros."""
    if sum(abs(number) >= 1e30 or 0 < abs(number) < 1e-29 for number in _floats_in(value)) > MOST_EXPONENTS:
        yield Fault(path, f"At most {MOST_EXPONENTS} numbers like 1e30 in one record")


def _floats_in(value: Any, level: int = 1) -> Iterator[float]:
    if isinstance(value, float):
        yield value
    elif isinstance(value, dict | list) and level <= DEEPEST:
        for each in value.values() if isinstance(value, dict) else value:
            yield from _floats_in(each, level + 1)


def _text_faults(text: str, path: str) -> Iterator[Fault]:
    yield from nul_faults(text, path)
    try:
        if len(msgspec.json.encode(text)) - 2 > LONGEST_TEXT:  # an escaped character takes up to six bytes
            yield Fault(path, "Takes more than 8 MiB")
    except UnicodeEncodeError:
        yield Fault(path, "Has half of a surrogate pair, which is no character")


def convert(value: Any, type: Any) -> Any:
    """Returns the value as the type. Raises ValidationError."""
    return msgspec.convert(value, type, dec_hook=read_wire_type)


def check(value: Any, type: Any, path: str, faults: Faults) -> Any:
    """Returns the value as the type. Adds every fault and returns None if it does not fit."""
    found = [] if _is_sound(value) else [*value_faults(value, path), *_exponent_faults(value, path)]
    if not found:
        try:
            return convert(value, type)
        except msgspec.ValidationError:
            found = list(faults_in(type, value, path))
    elif not any(fault.message.startswith(TOO_DEEP) for fault in found):
        named = {fault.path for fault in found}
        found += [fault for fault in faults_in(type, _with_sound_texts(value), path) if fault.path not in named]
    for fault in found:
        faults.add(fault.path.encode("utf-8", "backslashreplace").decode(), fault.message)
    return None


def _with_sound_texts(value: Any) -> Any:
    """Returns the value with `?` for each character that no text may have, so that its other faults can be found."""
    if isinstance(value, str):
        return value.replace("\0", "?").encode(errors="replace").decode()
    if isinstance(value, dict):
        return {_with_sound_texts(name): _with_sound_texts(each) for name, each in value.items()}
    return [_with_sound_texts(each) for each in value] if isinstance(value, list) else value


def sound_part(value: dict[str, Any], type: Any) -> dict[str, Any]:
    """Returns the fields that fit the type."""
    faults = Faults()
    check(value, type, "", faults)
    wrong = {re.split(r"[.\[]", fault.path.removeprefix("."))[0] for fault in faults.shown}
    fit = {name: each for name, each in value.items() if name not in wrong}
    return fit if check(fit, type, "", Faults()) is not None else {}
