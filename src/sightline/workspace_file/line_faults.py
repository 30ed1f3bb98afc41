"""What is wrong with lines of an import."""

import re

from msgspec import Struct

from sightline.platform.errors import Fault
from sightline.platform.file_section import Faults
from sightline.platform.file_section.entries import SHOWN_FAULTS

LONGEST_TEXT = 500
_PLACE = re.compile(r"line ([0-9]+)\.?(.*)", re.DOTALL)


class LineFault(Struct):
    """One thing that is wrong with a line. `path`: the field, empty for the line as a whole."""

    line: int
    path: str
    message: str


def path_of(line: int) -> str:
    """Where a line's record stands, for faults."""
    return f"line {line}"


class LineFaults(Faults):
    """Faults whose paths begin with a line. `lines`: those that have one."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: set[int] = set()

    def add(self, path: str, message: str) -> None:
        super().add(_shown(path), _shown(message))
        if place := _PLACE.match(path):
            self.lines.add(int(place[1]))

    def absorb(self, others: "LineFaults") -> None:
        """Takes over the faults of other lines."""
        self.shown += others.shown[: SHOWN_FAULTS - len(self.shown)]
        self.count += others.count
        self.lines |= others.lines


class Told:
    """The faults of a whole import: the first hundred are kept, the lines are counted."""

    def __init__(self) -> None:
        self.shown: list[LineFault] = []
        self.lines = 0
        self.count = 0

    def take(self, *parts: LineFaults) -> None:
        """Faults of some lines that follow those told before."""
        found = [_line_fault(fault) for part in parts for fault in part.shown]
        self.shown += sorted(found, key=lambda fault: fault.line)[: SHOWN_FAULTS - len(self.shown)]
        self.count += sum(part.count for part in parts)
        self.lines += len(set[int]().union(*(part.lines for part in parts)))


def _shown(text: str) -> str:
    """Of a bounded length, and Unicode whatever the file holds."""
    return text[:LONGEST_TEXT].encode("utf-8", "backslashreplace").decode()


def _line_fault(fault: Fault) -> LineFault:
    place = _PLACE.fullmatch(fault.path)
    return LineFault(int(place[1]), place[2], fault.message) if place else LineFault(0, fault.path, fault.message)
