"""Reads files of any size line by line."""

import json
from collections.abc import Iterator
from io import BufferedReader
from typing import Any

from msgspec import Struct

from sightline.platform.errors import Fault
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
            if is_long := len(line) > LONGEST_LINE:
                while line and not line.endswith(b"\n"):
                    line = self._next()
            yield self.number, None if is_long else line

    def _next(self) -> bytes:
        line = self.source.readline(LONGEST_LINE + 1)
        self.bytes += len(line)
        return line


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


def read_json(text: str) -> Any:
    """Returns the value of a JSON text. Raises ValueError with what is wrong."""
    try:
        value, end = DECODER.raw_decode(text := text.strip())
    except json.JSONDecodeError as error:
        raise ValueError(f"Is not JSON: {error.msg}, at character {error.pos + 1}") from None
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    except ValueError as error:
        raise ValueError(f"Has {error if isinstance(error, Repeated) else 'too large a number'}") from None
    if text[end:]:
        raise ValueError("Is not JSON: something follows its end")
    return value
