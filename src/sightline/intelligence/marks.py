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
    """Whether a reader would keep an output, and whether an earlier one says the same.

    Counts only while the engine still makes the same output.
    """

    id: str
    output: str
    reader: str
    keep: bool
    repeated: bool = False


class Kept(Struct):
    """How many outputs are marked, how many of them all their readers keep, and that share; null without marks."""

    marked: int
    kept: int
    share: float | None


def write_outputs(path: Path, outputs: Iterable[Output], *, shuffle: bool = True) -> None:
    """Writes JSON Lines for readers: shuffled, in the same order each time, or as they come."""
    written = list(outputs)
    if shuffle:
        written.sort(key=lambda one: one.id)
        Random(_ORDER).shuffle(written)  # noqa: S311 - no secret
    path.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in written))


Marks = dict[tuple[str, str], list[Mark]]


def read_marks(name: str, lines: Iterable[bytes]) -> Marks:
    """Reads JSON Lines; `name` is that of the file. Raises BadRequest at the first line that is not right."""
    marks = defaultdict(list)
    for _, mark in read_json_lines(name, lines, Mark):
        marks[mark.id, mark.output].append(mark)
    return marks


def count_repeated(outputs: Iterable[Output], marks: Marks) -> int:
    """Returns how many outputs repeat an earlier one, as one of their readers says."""
    return sum(any(mark.repeated for mark in marks.get((one.id, one.output), ())) for one in outputs)


def count_kept(outputs: Iterable[Output], marks: Marks) -> Kept:
    """Counts outputs that all their readers keep."""
    given = [marks.get((one.id, one.output)) for one in outputs]
    verdicts = [all(mark.keep for mark in marked) for marked in given if marked]
    kept = sum(verdicts)
    return Kept(len(verdicts), kept, round(kept / len(verdicts), 4) if verdicts else None)
