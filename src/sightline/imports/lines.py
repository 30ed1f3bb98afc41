"""Reads files of any size line by line."""

import json
from collections.abc import Iterator
from io import BufferedReader
from typing import Any

from msgspec import Struct

from sightline.platform.errors import Fault
from sightline.platform.file_section.entries import Faults
from sightline.workspace_file.values import DECODER, TOO_DEEP, Repeated

LONGEST_LINE = 8 * 1024 * 1024
TOO_LONG = f"Is longer than {LONGEST_LINE // 1024 // 1024} MiB"
BOM = b"\xef\xbb\xbf"
_LONGEST_TEXT = 500


class PhysicalLines:
    """Lines with their numbers, from 1; None for a line longer than 8 MiB. `bytes`: how many bytes were read."""

    def __init__(self, source: BufferedReader) -> None:
        self.source = source
        self.number = 0
        self.bytes = 0

    def __iter__(self) -> Iterator[tuple[int, bytes | None]]:
        while line := self._next():
            self.number += 1
            if self.number == 1:
                line = line.removeprefix(BOM)
            if len(line) > LONGEST_LINE:
                self._pass_over(line)
            yield self.number, line if len(line) <= LONGEST_LINE else None

    def _next(self) -> bytes:
        line = self.source.readline(LONGEST_LINE + 1)
        self.bytes += len(line)
        return line

    def _pass_over(self, part: bytes) -> None:
        while part and not part.endswith(b"\n"):
            part = self._next()


class LineFault(Struct):
    """One fault of a line. `path`: the field, empty for the line as a whole."""

    line: int
    path: str
    message: str


def path_of(line: int) -> str:
    """Returns the path of a line's record, for faults."""
    return f"line {line}"


def line_fault(fault: Fault) -> LineFault:
    """Returns a fault at `line 7.name` by its line, with texts of bounded length."""
    place, _, field = fault.path.removeprefix("line ").partition(".")
    number, bracket, rest = place.partition("[")
    field = bracket + rest + ("." + field if bracket and field else field)
    return LineFault(int(number) if number.isdigit() else 0, field[:_LONGEST_TEXT], fault.message[:_LONGEST_TEXT])


def read_json(text: bytes, path: str, faults: Faults) -> Any:
    """Returns the JSON of a line. Adds a fault and returns None if it is none."""
    try:
        value, end = DECODER.raw_decode(decoded := text.decode().strip())
        if not decoded[end:]:
            return value
        faults.add(path, "Is not JSON: something follows its end")
    except UnicodeDecodeError:
        faults.add(path, "Is not JSON: not UTF-8")
    except json.JSONDecodeError as error:
        faults.add(path, f"Is not JSON: {error.msg}, at character {error.pos + 1}")
    except RecursionError:
        faults.add(path, TOO_DEEP)
    except ValueError as error:
        faults.add(path, f"Has {error if isinstance(error, Repeated) else 'too large a number'}")
    return None
