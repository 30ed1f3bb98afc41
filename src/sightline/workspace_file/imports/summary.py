"""What an import says of its fields and of its faults."""

import json
import re
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from sightline.workspace_file.lines import LineFault

MOST_KINDS = 100
_EXAMPLES = 3
_LONGEST = 80
_VARYING = re.compile(r"'[^']*'|\"[^\"]*\"|\d+|\[\d+\]")


class FieldSample(Struct):
    """How many lines have a field, with three examples as JSON."""

    count: int = 0
    examples: list[str] = []


class FaultKind(Struct):
    """Faults that differ only in names and numbers: how many, and the first of them."""

    count: int
    first: LineFault


def add_samples(samples: dict[str, FieldSample], given: dict[str, Any]) -> None:
    for name, value in given.items():
        sample = samples.setdefault(name, FieldSample())
        sample.count += 1
        shown = json.dumps(msgspec.to_builtins(value), ensure_ascii=False)
        shown = shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "\u2026"
        if len(sample.examples) < _EXAMPLES and shown not in sample.examples:
            sample.examples.append(shown)


def add_kinds(kinds: dict[str, FaultKind], faults: Sequence[LineFault]) -> None:
    for fault in faults:
        key = _VARYING.sub("", f"{fault.path}: {fault.message}")
        if key in kinds:
            kinds[key].count += 1
        elif len(kinds) < MOST_KINDS:
            kinds[key] = FaultKind(1, fault)
