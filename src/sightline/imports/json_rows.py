"""JSON of other tools: the objects of a document, and their members as columns, by dotted names."""

import json
import re
from collections.abc import Container, Iterator
from io import BufferedReader
from typing import Any

from sightline.imports.columns import Column, Headers, record_of
from sightline.imports.lines import BOM
from sightline.imports.maps import Map, folded
from sightline.platform.errors import Fault, ValidationFailed
from sightline.platform.file_parts.entries import Faults
from sightline.platform.file_parts.tables import Table
from sightline.workspace_file.documents import JsonReader, Unreadable
from sightline.workspace_file.values import DECODER

_DEEPEST = 5
_HEAD = 65_536
_MEMBER = re.compile(r'\s*"((?:[^"\\]|\\.)*)"\s*:\s*')
_LIST = re.compile(r"\[\s*[{\]]")  # of objects
_NO_WRAPPER = ("id", "key", "externalId", "number", "name", "title", "subject")  # members of records


class JsonItems:
    """The items of a list in a JSON document, as lines. `number`: of the last one; `bytes`: how many were read."""

    def __init__(self, source: BufferedReader, name: str) -> None:
        self.number = self.bytes = 0
        self._name = name
        self._reader = JsonReader(source, {name})

    def __iter__(self) -> Iterator[tuple[int, bytes | None]]:
        """Yields lines with their numbers. Raises ValidationFailed for what is no JSON."""
        try:
            for item in self._reader.items() if self._name else self._reader.list(""):
                if item.list == self._name and item.place >= 0:
                    self.number += 1
                    line = json.dumps(item.value, ensure_ascii=False).encode("utf-8", "surrogatepass")
                    self.bytes += len(line)
                    yield self.number, line
        except Unreadable as error:
            raise ValidationFailed([Fault("", str(error))]) from None


def find_list(source: BufferedReader, names: Container[str]) -> str | None:
    """Returns the name of the list that a JSON document has its records in, empty for the document itself.

    Returns None for JSON Lines. Raises ValidationFailed for an object of several lines without such a list.
    """
    head = source.peek(_HEAD)[:_HEAD].removeprefix(BOM).decode(errors="replace").lstrip()
    if head.startswith("["):
        return ""
    at, empty = 1, None
    while (found := _MEMBER.match(head, at)) and found[1] not in _NO_WRAPPER:
        if found[1].lower() in names and (start := _LIST.match(head, found.end())):
            if start[0].endswith("{"):
                return found[1]
            empty = empty or found[1]
        try:
            _, at = DECODER.raw_decode(head, found.end())
        except (ValueError, RecursionError):
            break
        at += len(head[at:]) - len(head[at:].lstrip(" ,\t\r\n"))
    if empty is None and head.partition("\n")[0].strip() == "{":
        raise ValidationFailed([Fault("", "The file is one JSON object without a list of records that is known here")])
    return empty


class JsonRows:
    """Maps the members of objects to fields. Raises ValidationFailed for a map with unknown fields.

    `left_out`: members that name no field, at most 100.
    """

    def __init__(self, table: Table, map: Map) -> None:
        self.headers = Headers(table, map)
        if self.headers.faults:
            raise ValidationFailed(self.headers.faults)
        self._map = map
        self.left_out: list[str] = []
        self._columns: dict[str, Column] = {}
        self._constants = self.headers.constants()

    def record(self, given: dict[str, Any], path: str, faults: Faults) -> dict[str, Any]:
        members = [(self._column(name), value) for name, value in _flat(given, "")]
        cells = (
            (column, str(value) if type(value) in (int, float) else value)
            for column, value in sorted(members, key=lambda member: member[0].rank)
            if column.path and value not in (None, "")
        )
        return record_of(cells, self._constants, path, faults)

    @property
    def missing(self) -> list[str]:
        return self._map.missing({folded(name) for name in self._columns})

    def _column(self, name: str) -> Column:
        if name not in self._columns:
            column = self.headers.column(name)
            if self.headers.lacks(column) and len(self.left_out) < 100:
                self.left_out.append(name)
            if len(self._columns) >= 10_000:
                return column
            self._columns[name] = column
        return self._columns[name]


def _flat(given: dict[str, Any], above: str, level: int = 1) -> Iterator[tuple[str, Any]]:
    """Yields members with dotted names; lists, and objects below the fifth level, are values."""
    for name, value in given.items():
        if isinstance(value, dict) and level < _DEEPEST:
            yield from _flat(value, f"{above}{name}.", level + 1)
        else:
            yield above + name, value
