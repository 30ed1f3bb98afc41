"""Reads files of any size line by line, and decodes lines of JSON."""

import json
import math
from collections.abc import Iterator
from io import BufferedReader
from typing import Any

from sightline.platform.file_section import Faults
from sightline.platform.wire import DEEPEST
from sightline.workspace_file.composing import compose_value
from sightline.workspace_file.events import NotReadable, json_events

LONGEST_LINE = 8 * 1024 * 1024
TOO_LONG = f"Is longer than {LONGEST_LINE // 1024 // 1024} MiB"
BOM = b"\xef\xbb\xbf"
_SURE_DIGITS = 18


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


class JsonLines:
    """A JSON document in every line. Blank lines are skipped."""

    def __init__(self, lines: PhysicalLines) -> None:
        self.lines = lines

    def rows(self) -> Iterator[tuple[int, bytes | None]]:
        for number, line in self.lines:
            if line is None:
                yield number, None
            elif text := line.strip():
                yield number, text

    def record(self, row: bytes | None, path: str, faults: Faults) -> Any:
        if row is None:
            faults.add(path, TOO_LONG)
        return None if row is None else read_json(row, path, faults)


def read_json(text: bytes, path: str, faults: Faults, level: int = 1) -> Any:
    """Reads JSON by the rules of workspace files: no NUL, no repeated name in an object, numbers of 64 bits.

    `level`: the level of the value in its record, which is level 1.
    """
    try:
        if text.count(b"{") + text.count(b"[") <= DEEPEST - level + 1 and b"\\u0000" not in text:
            return _DECODER.decode(text.decode())
    except (ValueError, RecursionError):
        pass
    return _read_closely(text, path, faults, level)


def _read_closely(text: bytes, path: str, faults: Faults, level: int) -> Any:
    """Reads with the slower reader of workspace files, which reports every fault with its path."""
    try:
        return compose_value(json_events(text), path, faults, level)
    except NotReadable as error:
        problem = str(error).removeprefix("The file ").removesuffix(", in line 1")
        faults.add(path, problem[0].upper() + problem[1:])
        return None


class _Odd(ValueError):
    """The JSON needs the slower reader."""


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise _Odd
    return members


def _whole(digits: str) -> int:
    if len(digits) > _SURE_DIGITS:
        raise _Odd
    return int(digits)


def _number(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _Odd
    return number


def _constant(name: str) -> Any:
    raise _Odd


_DECODER = json.JSONDecoder(object_pairs_hook=_members, parse_int=_whole, parse_float=_number, parse_constant=_constant)
