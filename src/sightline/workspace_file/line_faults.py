"""The faults of an import, by line."""

import re

from msgspec import Struct

from sightline.platform.errors import Fault
from sightline.platform.file_section import Faults
from sightline.platform.file_section.entries import SHOWN_FAULTS

LONGEST_TEXT = 500
_PLACE = re.compile(r"line ([0-9]+)\.?(.*)", re.DOTALL)


class LineFault(Struct):
    """One fault of a line. `path`: the field, empty for the line as a whole."""

    line: int
    path: str
    message: str


def path_of(line: int) -> str:
    """Returns the path of a line's record, for faults."""
    return f"line {line}"


class LineFaults(Faults):
    """Faults whose paths start with a line. `lines`: the numbers of the faulty lines."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: set[int] = set()

    def add(self, path: str, message: str) -> None:
        super().add(_shown(path), _shown(message))
        if place := _PLACE.match(path):
            self.lines.add(int(place[1]))

    def absorb(self, others: "LineFaults") -> None:
        """Adds the faults of other lines."""
        self.shown += others.shown[: SHOWN_FAULTS - len(self.shown)]
        self.count += others.count
        self.lines |= others.lines


class ImportFaults:
    """The faults of a whole import: keeps the first hundred, and counts the faulty lines."""

    def __init__(self) -> None:
        self.shown: list[LineFault] = []
        self.lines = 0
        self.count = 0

    def add(self, *parts: LineFaults) -> None:
        """Adds the faults of lines. The lines have to be later than those added before."""
        found = [_line_fault(fault) for part in parts for fault in part.shown]
        self.shown += sorted(found, key=lambda fault: fault.line)[: SHOWN_FAULTS - len(self.shown)]
        self.count += sum(part.count for part in parts)
        self.lines += len(set[int]().union(*(part.lines for part in parts)))


def _shown(text: str) -> str:
    """Returns a text of bounded length that is valid Unicode."""
    return text[:LONGEST_TEXT].encode("utf-8", "backslashreplace").decode()


def _line_fault(fault: Fault) -> LineFault:
    place = _PLACE.fullmatch(fault.path)
    return LineFault(int(place[1]), place[2], fault.message) if place else LineFault(0, fault.path, fault.message)
