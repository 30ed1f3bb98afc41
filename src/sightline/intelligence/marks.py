"""What readers would keep of an engine's outputs: the outputs without their labels, and the marks that come back."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from random import Random

import msgspec
from msgspec import Struct

from sightline.platform.json_lines import read_json_lines

_ORDER = 1  # of shuffling, so that the same outputs give the same file


class Output(Struct, frozen=True):
    """An output as readers see it, and the text that it is about. `id` is unique in a world."""

    id: str
    about: str
    output: str


class Mark(Struct, frozen=True):
    """Whether a reader would keep an output. Counts only while the engine still makes the same output."""

    id: str
    output: str
    reader: str
    keep: bool


class Kept(Struct):
    """How many outputs are marked, how many of them all their readers keep, and that share; null without marks."""

    marked: int
    kept: int
    share: float | None


def write_outputs(path: Path, outputs: Iterable[Output]) -> None:
    """Writes JSON Lines for readers, shuffled, in the same order each time."""
    shuffled = sorted(outputs, key=lambda one: one.id)
    Random(_ORDER).shuffle(shuffled)  # noqa: S311 - no secret
    path.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in shuffled))


def count_kept(outputs: Iterable[Output], name: str, lines: Iterable[bytes]) -> Kept:
    """Reads marks as JSON Lines; `name` is that of the file. Raises BadRequest at the first line that is not right."""
    marks = defaultdict(list)
    for _, mark in read_json_lines(name, lines, Mark):
        marks[mark.id, mark.output].append(mark.keep)
    verdicts = [all(given) for one in outputs if (given := marks.get((one.id, one.output)))]
    kept = sum(verdicts)
    return Kept(len(verdicts), kept, round(kept / len(verdicts), 4) if verdicts else None)
