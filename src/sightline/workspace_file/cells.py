"""CSV as records: which column is which field, and what its cells say."""

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from msgspec import inspect

from sightline.platform.errors import Fault, ValidationFailed
from sightline.platform.file_section import Faults, Table
from sightline.workspace_file.line_faults import path_of
from sightline.workspace_file.lines import LONGEST_LINE, TOO_LONG, PhysicalLines, read_json

Read = Callable[[str, str, Faults], Any]

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?", re.ASCII)
_FLAGS = {"true": True, "false": False}
_TEXT = (inspect.StrType, inspect.LiteralType, inspect.AnyType)


@dataclass(frozen=True, slots=True)
class Column:
    """`path`: the members that lead to the field; `read`: from a cell to its value, faults with the cell's path."""

    name: str
    path: tuple[str, ...]
    read: Read


class CsvRows:
    """RFC 4180, in UTF-8; the first line names the fields."""

    def __init__(self, table: Table, lines: PhysicalLines) -> None:
        csv.field_size_limit(max(csv.field_size_limit(), LONGEST_LINE))
        self.table = table
        self.lines = lines
        self.columns: list[Column] = []

    def rows(self) -> Iterator[tuple[int, list[str] | str]]:
        """A text instead of cells says what is wrong. Raises ValidationFailed for a first line with other names."""
        for number, row in _Cells(self.lines).rows():
            if self.columns:
                yield number, row
            else:
                self.columns = read_head(self.table, number, row)

    def record(self, row: list[str] | str, path: str, faults: Faults) -> Any:
        if isinstance(row, list) and len(row) == len(self.columns):
            return self._record(row, path, faults)
        width = f"Has {len(row)} cells; the first line has {len(self.columns)}"
        faults.add(path, row if isinstance(row, str) else width)
        return None

    def _record(self, row: list[str], path: str, faults: Faults) -> dict[str, Any]:
        record: dict[str, Any] = {}
        for column, cell in zip(self.columns, row, strict=True):
            if cell:
                here = f"{path}.{column.name}"
                if "\x00" in cell:
                    faults.add(here, "A text must not hold NUL")
                _put(record, column.path, column.read(cell, here, faults))
        return record


def _put(record: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for name in path[:-1]:
        record = record.setdefault(name, {})
    record[path[-1]] = value


class _TooLong(Exception):
    """A row takes too many lines."""


class _Cells:
    """Rows of cells with the number of the line each begins in; what is wrong instead of one that is none."""

    def __init__(self, lines: PhysicalLines) -> None:
        self.lines = lines
        self._parts = iter(lines)
        self._left = 0

    def rows(self) -> Iterator[tuple[int, list[str] | str]]:
        rows = csv.reader(_Texts(self), strict=True)
        while True:
            self._left = LONGEST_LINE
            first = self.lines.number + 1
            try:
                row = next(rows, None)
            except csv.Error as error:
                yield first, f"Is not CSV: {error}"
            except _TooLong:
                yield first, f"{TOO_LONG}; a quote may not be closed"
                rows = csv.reader(_Texts(self), strict=True)
            else:
                if row is None:
                    return
                if row:
                    yield first, row

    def next_text(self) -> str:
        """Raises _TooLong, StopIteration."""
        _, line = next(self._parts)
        self._left -= len(line or b"")
        if line is None or self._left < 0:
            raise _TooLong
        return line.decode("utf-8", "surrogateescape")


class _Texts:
    def __init__(self, cells: _Cells) -> None:
        self.cells = cells

    def __iter__(self) -> "_Texts":
        return self

    def __next__(self) -> str:
        return self.cells.next_text()


def read_head(table: Table, number: int, row: list[str] | str) -> list[Column]:
    """The columns of a file. Raises ValidationFailed with every name that is no field, or stands there twice."""
    if isinstance(row, str):
        raise ValidationFailed([Fault(path_of(number), row)])
    columns: list[Column] = []
    faults = []
    for place, cell in enumerate(row, 1):
        name = cell.strip()
        found = _column(table, name)
        if found is None:
            wrong = "is no field of" if name else f"(column {place}) has no name in"
            faults.append(Fault(path_of(number), f"{name!r} {wrong} {table.path}"))
        elif other := next((one for one in columns if _overlap(one.path, found.path)), None):
            faults.append(Fault(path_of(number), f"{other.name!r} and {name!r} say the same"))
        else:
            columns.append(found)
    if faults:
        raise ValidationFailed(faults)
    return columns


def _overlap(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return all(left == right for left, right in zip(one, other, strict=False))


def _column(table: Table, name: str) -> Column | None:
    path = tuple(name.split("."))
    at: inspect.Type = inspect.type_info(table.record)
    for member in path:
        found = _member(at, member)
        if found is None:
            return None
        at = found
    return Column(name, path, _reader_of(at))


def _member(type: inspect.Type, name: str) -> inspect.Type | None:
    for one in _alternatives(type):
        if isinstance(one, inspect.StructType):
            return next((field.type for field in one.fields if field.encode_name == name), None)
        if isinstance(one, inspect.DictType):
            return one.value_type if name else None
    return None


def _alternatives(type: inspect.Type) -> list[inspect.Type]:
    types = type.types if isinstance(type, inspect.UnionType) else (type,)
    return [one for one in types if not isinstance(one, inspect.NoneType)]


def _reader_of(type: inspect.Type) -> Read:
    one = _alternatives(type)[0]
    if isinstance(one, _TEXT):
        return _keep
    if isinstance(one, inspect.ListType):
        plain = any(isinstance(item, _TEXT) for item in _alternatives(one.item_type))
        return _read_list if plain else _read_json
    return _READERS.get(one.__class__, _read_json)


def _keep(cell: str, path: str, faults: Faults) -> Any:
    return cell


def _read_number(cell: str, path: str, faults: Faults) -> Any:
    """A cell that is none stays a text, which is refused as such."""
    text = cell.strip()
    return read_json(text.encode(), path, faults) if _NUMBER.fullmatch(text) else cell


def _read_flag(cell: str, path: str, faults: Faults) -> Any:
    return _FLAGS.get(cell.strip().lower(), cell)


def _read_list(cell: str, path: str, faults: Faults) -> Any:
    if cell.lstrip().startswith("["):
        return _read_json(cell, path, faults)
    return [item for part in cell.split(";") if (item := part.strip())]


def _read_json(cell: str, path: str, faults: Faults) -> Any:
    return read_json(cell.strip().encode("utf-8", "surrogateescape"), path, faults)


_READERS: Mapping[type[inspect.Type], Read] = {
    inspect.IntType: _read_number,
    inspect.FloatType: _read_number,
    inspect.BoolType: _read_flag,
}
