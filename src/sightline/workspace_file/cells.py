"""CSV as records: maps columns to fields, reads cells and writes them."""

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import inspect

from sightline.platform.errors import MOST_FAULTS, Fault, ValidationFailed
from sightline.platform.file_section import Faults, Table
from sightline.workspace_file.lines import LONGEST_LINE, TOO_LONG, PhysicalLines, path_of
from sightline.workspace_file.values import read_json

Path = tuple[str, ...]
Read = Callable[[str, str, Faults], Any]

MOST_COLUMNS = 1_000
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?", re.ASCII)
SEPARATORS = (",", ";", "\t")
_QUOTED = re.compile(rb'"[^"]*"')
_FORMULA = re.compile(r"'*[=+\-@\t\r]")  # with the apostrophes that keep it from being one
_FLAGS = {"true": True, "false": False}
_TEXT = (inspect.StrType, inspect.LiteralType, inspect.EnumType, inspect.AnyType, inspect.CustomType)


@dataclass(frozen=True, slots=True)
class Column:
    """A column. `path`: the members of the field. `read`: returns the value of a cell, given its path."""

    name: str
    path: Path
    read: Read


class CsvRows:
    """CSV of RFC 4180 in UTF-8. The first line names the fields. Separators may also be semicolons or tabs."""

    def __init__(self, table: Table, lines: PhysicalLines) -> None:
        csv.field_size_limit(max(csv.field_size_limit(), LONGEST_LINE))
        self.table = table
        self.lines = lines
        self.columns: list[Column] = []

    def rows(self) -> Iterator[tuple[int, list[str] | str]]:
        """Yields rows, with a fault as text in place of faulty ones. Raises ValidationFailed for unknown names."""
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
            if cell := cell[1:] if cell[0:1] == "'" and _FORMULA.match(cell) else cell:
                here = f"{path}.{column.name}"
                _put(record, column.path, column.read(cell, here, faults))
        return record


def write_cell(value: Any) -> str:
    """Returns a cell that is read as this value. An apostrophe goes before what a spreadsheet would calculate."""
    if value is None:
        return ""
    value = msgspec.json.decode(msgspec.json.encode(value))
    is_simple = isinstance(value, list) and value and all(isinstance(item, str) for item in value)
    if is_simple and not any(set(item) & set(";[") or item != item.strip() or not item for item in value):
        value = ";".join(value)
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return f"'{text}" if _FORMULA.match(text) else text


def _put(record: dict[str, Any], path: Path, value: Any) -> None:
    for name in path[:-1]:
        record = record.setdefault(name, {})
    record[path[-1]] = value


class _TooLong(Exception):
    """A row has too many lines."""


class _Cells:
    """Rows of cells with the number of their first line; in place of a faulty row, its fault as a text."""

    def __init__(self, lines: PhysicalLines) -> None:
        self.lines = lines
        self._parts = iter(lines)
        self._ahead: list[bytes | None] = []
        self._left = 0
        self._encoding_fault = ""  # of the present row

    def rows(self) -> Iterator[tuple[int, list[str] | str]]:
        separator = self._find_separator()
        rows = csv.reader(_Texts(self), strict=True, delimiter=separator)
        while True:
            self._left = LONGEST_LINE
            self._encoding_fault = ""
            first = self.lines.number + 1 - len(self._ahead)
            try:
                row = next(rows, None)
            except csv.Error as error:
                yield first, self._encoding_fault or f"Is not CSV: {error}"
            except _TooLong:
                yield first, f"{TOO_LONG}; a quote may not be closed"
                rows = csv.reader(_Texts(self), strict=True, delimiter=separator)
            else:
                if row is None:
                    return
                if row:
                    yield first, self._encoding_fault or row

    def _find_separator(self) -> str:
        """Returns the separator of the first line that is not blank, without consuming the line."""
        for _, line in self._parts:
            if line is None or line.strip():
                self._ahead = [line]
                names = _QUOTED.sub(b"", line or b"")
                return max(SEPARATORS, key=lambda separator: names.count(separator.encode()))
        return SEPARATORS[0]

    def next_text(self) -> str:
        """Returns the next line as a text. Raises _TooLong, StopIteration."""
        line = self._ahead.pop() if self._ahead else next(self._parts)[1]
        self._left -= len(line or b"")
        if line is None or self._left < 0:
            raise _TooLong
        try:
            return line.decode()
        except UnicodeDecodeError as error:
            place = f"Byte {error.start + 1} of line {self.lines.number} is 0x{line[error.start]:02X}"
            self._encoding_fault = self._encoding_fault or f"{place}, which is not UTF-8: save the file as UTF-8"
            return line.decode(errors="replace")


class _Texts:
    def __init__(self, cells: _Cells) -> None:
        self.cells = cells

    def __iter__(self) -> "_Texts":
        return self

    def __next__(self) -> str:
        return self.cells.next_text()


def read_head(table: Table, number: int, row: list[str] | str) -> list[Column]:
    """Returns the columns of a file. Raises ValidationFailed with every name that is unknown or repeated."""
    if isinstance(row, list) and len(row) > MOST_COLUMNS:
        row = f"Has {len(row)} columns; at most {MOST_COLUMNS} can be read"
    if isinstance(row, str):
        raise ValidationFailed([Fault(path_of(number), row)])
    columns: list[Column] = []
    faults = []
    whole: dict[Path, str] = {}
    parts: dict[Path, str] = {}
    record = inspect.type_info(table.record)
    for place, cell in enumerate(row, 1):
        name = cell.strip()
        found = _column(record, name)
        if found is None:
            wrong = "is no field of" if name else f"(column {place}) has no name in"
            faults.append(Fault(path_of(number), f"{name!r} {wrong} {table.path}"))
        elif other := _overlapping(found.path, whole, parts):
            faults.append(Fault(path_of(number), f"{other!r} and {name!r} say the same"))
        else:
            columns.append(found)
            whole[found.path] = name
            parts |= {found.path[:end]: name for end in range(1, len(found.path))}
    if faults:
        raise ValidationFailed(faults, more=max(0, len(faults) - MOST_FAULTS))
    return columns


def _overlapping(path: Path, whole: dict[Path, str], parts: dict[Path, str]) -> str | None:
    """Returns an earlier column with the same field, a part of it, or a field that contains it.

    `whole`: names of columns by their path; `parts`: by the prefixes of their paths.
    """
    within = (whole[path[:end]] for end in range(1, len(path)) if path[:end] in whole)
    return whole.get(path) or parts.get(path) or next(within, None)


def _column(record: inspect.Type, name: str) -> Column | None:
    path = tuple(name.split("."))
    at = record
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
    """Returns the types of a field without null. A type with examples for the documentation counts as that type."""
    types = type.types if isinstance(type, inspect.UnionType) else (type,)
    plain = (one.type if isinstance(one, inspect.Metadata) else one for one in types)
    return [one for one in plain if not isinstance(one, inspect.NoneType)]


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
    """Reads a number. Other texts stay texts, which the check of the record refuses."""
    text = cell.strip()
    return read_json(text.encode(), path, faults) if _NUMBER.fullmatch(text) else cell


def _read_flag(cell: str, path: str, faults: Faults) -> Any:
    return _FLAGS.get(cell.strip().lower(), cell)


def _read_list(cell: str, path: str, faults: Faults) -> Any:
    if cell.lstrip().startswith("["):
        return _read_json(cell, path, faults)
    return [item for part in cell.split(";") if (item := part.strip())]


def _read_json(cell: str, path: str, faults: Faults) -> Any:
    return read_json(cell.strip().encode(), path, faults)


_READERS: Mapping[type[inspect.Type], Read] = {
    inspect.IntType: _read_number,
    inspect.FloatType: _read_number,
    inspect.BoolType: _read_flag,
}
