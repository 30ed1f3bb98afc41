"""CSV as records: rows of cells and their columns; and cells of an export."""

import csv
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from sightline.platform.errors import ValidationFailed
from sightline.platform.file_section.entries import Faults
from sightline.platform.file_section.tables import Table
from sightline.workspace_file.imports.columns import Head, completed, fill, identified, read_head
from sightline.workspace_file.imports.encodings import find_delimiter
from sightline.workspace_file.imports.maps import Map
from sightline.workspace_file.lines import LONGEST_LINE, TOO_LONG, PhysicalLines

MOST_TITLES = 20
_FORMULA = re.compile(r"'*[=+\-@\t\r]")  # with the apostrophes that keep it from being one


class CsvRows:
    """CSV of RFC 4180 in UTF-8. The first line names the fields. `map`: which column fills which field.

    Up to 20 rows before that one, such as a title, are passed over if they name no fields; `head_line`: its number.
    """

    def __init__(self, table: Table, lines: PhysicalLines, map: Map, *, strict: bool = False) -> None:
        csv.field_size_limit(max(csv.field_size_limit(), LONGEST_LINE))
        self.table = table
        self.map = map
        self.strict = strict
        self.cells = _Cells(lines)
        self.head: Head | None = None
        self.head_line = 0
        self.head_text = ""

    def rows(self) -> Iterator[tuple[int, list[str] | str]]:
        """Yields rows, with a fault as text in place of faulty ones. Raises ValidationFailed for wrong headers."""
        refused: ValidationFailed | None = None
        tried = 0
        for number, row in self.cells.rows():
            if self.head is not None:
                yield number, row
                continue
            tried += 1
            try:
                head = read_head(self.table, number, row, self.map, strict=self.strict)
            except ValidationFailed as error:
                refused = refused or error
            else:
                if refused is None or sum(bool(column.path) for column in head.columns) > 1:
                    self.head, self.head_line, self.head_text = head, number, self.cells.text
                    self.cells.seeks = False
            if self.head is None and (self.strict or tried > MOST_TITLES):
                break
        if self.head is None and refused is not None:
            raise refused

    def record(self, row: list[str] | str, path: str, faults: Faults) -> Any:
        if self.head is None:
            raise AssertionError("rows() reads the headers first")
        columns = self.head.columns
        if isinstance(row, list) and len(row) == len(columns) - 1 and self.head.has_reasons:
            row = [*row, ""]
        if isinstance(row, list) and len(row) == len(columns):
            return self._record(self.head, row, path, faults)
        width = f"Has {len(row)} cells; the first line has {len(columns)}"
        faults.add(path, row if isinstance(row, str) else width)
        return None

    def _record(self, head: Head, row: list[str], path: str, faults: Faults) -> dict[str, Any]:
        record: dict[str, Any] = {}
        for column, cell in zip(head.columns, row, strict=True):
            if column.path and (cell := cell[1:] if cell[0:1] == "'" and _FORMULA.match(cell) else cell):
                fill(record, column, cell, path, faults)
        record = completed(record, head.constants, path, faults)
        return identified(record, head.known_by) if head.known_by else record


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


class _TooLong(Exception):
    """A row has too many lines."""


class _Cells:
    """Rows of cells with the number of their first line; in place of a faulty row, its fault as a text.

    `text`: the present row as it is in the file. `seeks`: whether the delimiter is found again for the next row, as a
    title may have another one than the headers.
    """

    def __init__(self, lines: PhysicalLines) -> None:
        self.lines = lines
        self.delimiter = ""
        self.seeks = True
        self._parts = iter(lines)
        self._ahead: list[bytes | None] = []
        self._left = 0
        self._encoding_fault = ""  # of the present row
        self._texts: list[str] = []

    @property
    def text(self) -> str:
        return "".join(self._texts)

    def rows(self) -> Iterator[tuple[int, list[str] | str]]:
        rows: Iterator[list[str]] = iter(())
        while True:
            if self.seeks:
                self.delimiter = self._find_delimiter()
                rows = self._reader()
            self._left = LONGEST_LINE
            self._encoding_fault = ""
            first = self.lines.number + 1 - len(self._ahead)
            self._texts = []
            try:
                row = next(rows, None)
            except csv.Error as error:
                yield first, self._encoding_fault or f"Is not CSV: {error}{self._swallowed(first)}"
            except _TooLong:
                yield first, f"{TOO_LONG}{self._swallowed(first)}"
                rows = self._reader()
            else:
                if row is None:
                    return
                if any(row):
                    yield first, self._encoding_fault or row

    def _reader(self) -> Iterator[list[str]]:
        return csv.reader(iter(self._next_text, None), strict=True, delimiter=self.delimiter)

    def _swallowed(self, first: int) -> str:
        last = self.lines.number
        return f"; a quote may not be closed: the lines {first} to {last} are read as one row" if last > first else ""

    def _find_delimiter(self) -> str:
        """Returns the delimiter of the next line that has one, without consuming it."""
        found = next((delimiter for line in self._ahead if (delimiter := find_delimiter(line or b""))), "")
        while not found and len(self._ahead) < MOST_TITLES and (following := next(self._parts, None)):
            self._ahead.append(following[1])
            found = find_delimiter(following[1] or b"")
        return found or ","

    def _next_text(self) -> str | None:
        """Returns the next line as a text, None at the end. Raises _TooLong."""
        found = (0, self._ahead.pop(0)) if self._ahead else next(self._parts, None)
        if found is None:
            return None
        line = found[1]
        self._left -= len(line or b"")
        if line is None or self._left < 0:
            raise _TooLong
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            place = f"Byte {error.start + 1} of line {self.lines.number} is 0x{line[error.start]:02X}"
            self._encoding_fault = self._encoding_fault or f"{place}, which is not UTF-8: save the file as UTF-8"
            text = line.decode(errors="replace")
        self._texts.append(text)
        return text
