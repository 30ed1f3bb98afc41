"""What an import says of its fields and of its faults."""

import json
import re
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from sightline.workspace_file.lines import LineFault

MOST_KINDS = 100
_MOST_NAMES = 20
_EXAMPLES = 3
_LONGEST = 80
_NAME = re.compile(r"'([^']*)'")
_VARYING = re.compile(r"'[^']*'|\"[^\"]*\"|\d+|\[\d+\]")


class FieldSample(Struct):
    """How many lines have a field, with up to three examples."""

    count: int = 0
    examples: list[str] = []


class FaultKind(Struct):
    """Faults that differ only in names and numbers: how many, the first of them, and up to 20 of the first names."""

    first: LineFault
    count: int = 0
    names: list[str] = []


def add_samples(samples: dict[str, FieldSample], given: dict[str, Any], above: str = "") -> None:
    """Adds the values of a record; the members of an object have dotted names."""
    for name, value in given.items():
        if isinstance(value, dict):
            add_samples(samples, value, f"{above}{name}.")
            continue
        if value in (None, [], ()):
            continue
        sample = samples.setdefault(above + name, FieldSample())
        sample.count += 1
        if len(sample.examples) >= _EXAMPLES:
            continue
        items = value if isinstance(value, list | tuple) else [value]
        shown = "; ".join(json.dumps(_plain(item), ensure_ascii=False) for item in items)
        shown = f"{shown[: _LONGEST - 1]}\u2026" if len(shown) > _LONGEST else shown
        if shown not in sample.examples:
            sample.examples.append(shown)


def _plain(value: Any) -> Any:
    """Returns a text on one line."""
    return " ".join(value.split()) if isinstance(value, str) else msgspec.to_builtins(value)


def add_kinds(kinds: dict[str, FaultKind], faults: Sequence[LineFault]) -> None:
    for fault in faults:
        key = _VARYING.sub("", f"{fault.path}: {fault.message}")
        if key not in kinds and len(kinds) >= MOST_KINDS:
            continue
        kind = kinds.setdefault(key, FaultKind(fault))
        kind.count += 1
        name = _NAME.search(fault.message)
        if name and name[1] not in kind.names and len(kind.names) < _MOST_NAMES:
            kind.names.append(name[1])
