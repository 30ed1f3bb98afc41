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
    """Outputs that are marked, how many of them all readers keep, their share, and how many repeat an earlier one."""

    marked: int
    kept: int
    share: float | None
    repeated: int = 0


def write_outputs(path: Path, outputs: Iterable[Output], *, shuffle: bool = True) -> None:
    """Writes JSON Lines for readers: shuffled, in the same order each time, or as they come."""
    written = list(outputs)
    if shuffle:
        written.sort(key=lambda one: one.id)
        Random(_ORDER).shuffle(written)  # noqa: S311 - no secret
    path.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in written))


Marks = dict[tuple[str, str], list[Mark]]


def read_marks(name: str, lines: Iterable[bytes]) -> Marks:
    """Reads the JSON Lines of the file called `name`. Raises BadRequest at the first line that is not right."""
    marks = defaultdict(list)
    for _, mark in read_json_lines(name, lines, Mark):
        marks[mark.id, mark.output].append(mark)
    return marks


def count_kept(outputs: Iterable[Output], marks: Marks) -> Kept:
    """Counts outputs that all their readers keep, and outputs that one of them finds repeated."""
    given = [marked for one in outputs if (marked := marks.get((one.id, one.output)))]
    kept = sum(all(mark.keep for mark in marked) for marked in given)
    repeated = sum(any(mark.repeated for mark in marked) for marked in given)
    return Kept(len(given), kept, round(kept / len(given), 4) if given else None, repeated)
