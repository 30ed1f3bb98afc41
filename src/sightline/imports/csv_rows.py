"""CSV as records: rows of cells and their columns."""

import csv
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from operator import eq
from typing import Any, NamedTuple

from sightline.imports.columns import Head, Headers, identified, read_head, record_of
from sightline.imports.files import DELIMITERS
from sightline.imports.lines import LONGEST_LINE, TOO_LONG, PhysicalLines
from sightline.imports.maps import Map
from sightline.platform.errors import ValidationFailed
from sightline.platform.file_parts.entries import Faults
from sightline.platform.file_parts.tables import Table
from sightline.workspace_file.exporting import FORMULA

MOST_TITLES = 20
_LEAST_SIZE = 64  # bytes of memory that an empty line takes
csv.field_size_limit(max(csv.field_size_limit(), LONGEST_LINE))


class Row(NamedTuple):
    """A row: the number of its first line, its cells or what is wrong with it, and its text."""

    number: int
    cells: list[str] | str
    text: str


@dataclass
class CsvRows:
    """CSV of RFC 4180 in UTF-8. The first line names the fields. `map`: which column fills which field.

    Up to 20 rows before that one, such as a title, are passed over if they name no fields; `head_line`: its number.
    """

    table: Table
    lines: PhysicalLines
    map: Map
    strict: bool
    head: Head | None = None
    head_line: int = 0
    delimiter: str = ","

    def rows(self) -> Iterator[Row]:
        """Yields the rows below the headers. Raises ValidationFailed if there are no headers."""
        ahead: list[tuple[int, bytes | None]] = []
        lines, left, filled = iter(self.lines), LONGEST_LINE, 0
        for number, line in lines:
            ahead.append((number, line))
            left -= max(len(line or b""), _LEAST_SIZE)
            filled += line is None or bool(line.strip())
            if left <= 0 or filled > MOST_TITLES:
                break
        self._find_head(ahead)
        for row in _rows(chain(ahead, lines), self.delimiter):
            if row.number > self.head_line and not self._is_head(row.cells):
                yield row

    def _is_head(self, cells: list[str] | str) -> bool:
        """Whether these are the headers again, as where several files were joined."""
        columns = self.head.columns if self.head else []
        names = (column.name for column in columns)
        return not isinstance(cells, str) and len(cells) == len(columns) and all(map(eq, map(str.strip, cells), names))

    def _find_head(self, ahead: list[tuple[int, bytes | None]]) -> None:
        """Takes the first row that names fields, with the delimiter by which it names most; below a title, several.

        One name alone is a title, such as `Company`, if a row below it names several fields.
        """
        headers = Headers(self.table, self.map)
        found: list[tuple[int, int, int, str, Head]] = []
        refused: list[tuple[int, int, ValidationFailed]] = []
        for delimiter in DELIMITERS:
            rows = islice(_rows(ahead, delimiter), 1 if self.strict else MOST_TITLES + 1)
            for place, (number, row, _) in enumerate(rows):
                try:
                    head = read_head(headers, number, row, strict=self.strict)
                except ValidationFailed as error:
                    cells = [] if isinstance(row, str) else row
                    known = sum(bool(headers.column(cell.strip()).path) for cell in cells)
                    refused += [(-known, -len(cells), error)] if not place or known > 1 else []
                    continue
                count = sum(bool(column.path) for column in head.columns)
                if not place or count > 1:
                    found.append((number, -count, -len(row), delimiter, head))
        if found:
            several = [each for each in found if each[1:3] != (-1, -1)]
            self.head_line, _, _, self.delimiter, self.head = min(several or found, key=lambda each: each[:3])
        elif refused:
            raise min(refused, key=lambda each: each[:2])[2]

    def record(self, row: list[str] | str, path: str, faults: Faults, only: Container[str] | None = None) -> Any:
        """Returns the record of a row, or `only` these fields. Call it after `rows` has read the headers."""
        head: Any = self.head
        if isinstance(row, str):
            return faults.add(path, row)
        if len(row) == len(head.columns) - 1 and head.has_reasons:
            row = [*row, ""]
        if len(row) != len(head.columns):
            return faults.add(path, f"Has {len(row)} cells; the first line has {len(head.columns)}")
        cells = (
            (column, cell[1:] if cell[0] == "'" and FORMULA.match(cell) else cell)
            for column, cell in zip(head.columns, row, strict=True)
            if cell and column.path and (only is None or column.path[0] in only)
        )
        record = record_of(cells, head.constants, path, faults)
        return identified(record, head.known_by) if head.known_by else record


def _rows(lines: Iterable[tuple[int, bytes | None]], delimiter: str) -> Iterator[Row]:
    """Yields the rows that are not empty."""
    texts = _Texts(lines)
    reader = csv.reader(texts, strict=True, delimiter=delimiter)
    while True:
        texts.start()
        try:
            cells = next(reader, None)
        except (csv.Error, ValueError) as error:
            fault = texts.fault or (f"Is not CSV: {error}" if isinstance(error, csv.Error) else str(error))
            if texts.last > texts.first and not texts.fault:
                lines_read = f"the lines {texts.first} to {texts.last} are read as one row"
                fault += f"; a quote may not be closed: {lines_read}"
            yield Row(texts.first, fault, "".join(texts.texts))
        else:
            if cells is None:
                return
            if any(cells):
                yield Row(texts.first, texts.fault or cells, "".join(texts.texts))


class _Texts:
    """Lines as texts. Of the present row: `first` and `last` line, `texts`, and the `fault` of its encoding."""

    def __init__(self, lines: Iterable[tuple[int, bytes | None]]) -> None:
        self._lines = iter(lines)
        self.start()

    def start(self) -> None:
        self.first = self.last = 0
        self.texts: list[str] = []
        self.fault = ""
        self._left = LONGEST_LINE

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        """Raises ValueError for a row that is too long."""
        self.last, line = next(self._lines)
        self.first = self.first or self.last
        self._left -= len(line or b"")
        if line is None or self._left < 0:
            raise ValueError(TOO_LONG)
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            place = f"Byte {error.start + 1} of line {self.last} is 0x{line[error.start]:02X}"
            self.fault = self.fault or f"{place}, which is not UTF-8: save the file as UTF-8"
            text = line.decode(errors="replace")
        self.texts.append(text)
        return text
