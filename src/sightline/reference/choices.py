"""The choices of several values in requests and responses, each with one name in the document."""

import sys
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any, Literal, get_args, get_origin, get_type_hints

from msgspec import Struct


def choices_of(kinds: Iterable[Any]) -> dict[frozenset[str], str]:
    """Returns the name of each choice by its values: its alias in the module of a record.

    Raises ValueError for values that have two names, and for a name of different values.
    """
    found: dict[frozenset[str], str] = {}
    for module in sorted({record.__module__ for record in records_in(kinds, set())}):
        for name, value in vars(sys.modules[module]).items():
            values = _values_of(value)
            if len(values) < 2:
                continue
            if found.setdefault(values, name) != name or [*found.values()].count(name) > 1:
                raise ValueError(f"{module}.{name}: give each choice one name, and each name one choice.")
    return found


def _values_of(kind: Any) -> frozenset[str]:
    if isinstance(kind, type) and issubclass(kind, Enum):
        return frozenset(member.value for member in kind)
    return frozenset(get_args(kind)) if get_origin(kind) is Literal else frozenset()


def records_in(kinds: Iterable[Any], seen: set[type]) -> Iterator[type]:
    """Yields the records that the types name, each once."""
    for kind in kinds:
        if not (isinstance(kind, type) and issubclass(kind, Struct)):
            yield from records_in(get_args(kind), seen)
        elif kind not in seen:
            seen.add(kind)
            yield kind
            yield from records_in(get_type_hints(kind).values(), seen)
