"""Reads a file of lines, JSON Lines or CSV, as records of one list, in batches."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BufferedReader
from typing import Any, Literal, NamedTuple

from sightline.platform.file_section import Faults
from sightline.workspace_file.applying import BATCH_CHARACTERS, BATCH_RECORDS
from sightline.workspace_file.cells import CsvRows
from sightline.workspace_file.lines import BOM, TOO_LONG, PhysicalLines, path_of
from sightline.workspace_file.sections import lists
from sightline.workspace_file.values import check, read_json

Format = Literal["jsonl", "csv"]
DEFAULT_SOURCE = "import"
_PEEKED = 4096
_NAMES = ("id", "key", "sourceKey", "integration", "origin")


class Line(NamedTuple):
    """A valid line: its number, and its record as given and as its type."""

    number: int
    given: dict[str, Any]
    record: Any


@dataclass(slots=True)
class Batch:
    """Consecutive lines: the records of valid lines, and the faults of the others.

    `count`: the number of lines; `last`: the number of the last line; `bytes`: the position in the file after it.
    """

    lines: list[Line] = field(default_factory=list)
    faults: Faults = field(default_factory=Faults)
    count: int = 0
    last: int = 0
    bytes: int = 0
    faulty: set[int] = field(default_factory=set)


class ListReader:
    """Reads a file as records of a list, in batches of at most 1,000 lines and about 4 MiB.

    `format`: guessed from the first byte by default. `source_key`: the source of records with an externalId and no
    other identity, in lists where an externalId is unique only within its source; `import` by default.
    """

    def __init__(
        self, kind: str, source: BufferedReader, format: Format | None = None, source_key: str | None = None
    ) -> None:
        self.table = lists()[kind]
        self.source = source
        self.format = format
        self.source_key = source_key or DEFAULT_SOURCE
        self.has_default_source = source_key is None
        self._fills_source = ("source_key", "external_id") in self.table.identities

    def batches(self) -> Iterator[Batch]:
        """Yields batches. Raises ValidationFailed if the first line of CSV does not name fields of the list."""
        lines = PhysicalLines(self.source)
        batch, begin = Batch(), 0
        for number, value in self._values(lines, batch):
            batch.count += 1
            before = batch.faults.count
            given = value(batch.faults)
            if batch.faults.count == before:
                record = check(given, self.table.record, path_of(number), batch.faults)
                if record is not None:
                    batch.lines.append(self._sourced(number, given, record))
            if batch.faults.count > before:
                batch.faulty.add(number)
            if batch.count >= BATCH_RECORDS or lines.bytes - begin >= BATCH_CHARACTERS:
                batch.last, batch.bytes, begin = lines.number, lines.bytes, lines.bytes
                yield batch
                batch = Batch()
        batch.last, batch.bytes = lines.number, lines.bytes
        if batch.count:
            yield batch

    def _values(self, lines: PhysicalLines, batch: Batch) -> Iterator[tuple[int, Any]]:
        """Yields for each line its number and a function that reads its value, given where faults are added."""
        if (self.format or _guess_format(self.source)) == "csv":
            rows = CsvRows(self.table, lines)
            for number, row in rows.rows():
                yield number, lambda faults, number=number, row=row: rows.record(row, path_of(number), faults)
            return
        for number, line in lines:
            if line is None or line.strip():
                yield number, lambda faults, number=number, line=line: _read_line(line, path_of(number), faults)

    def _sourced(self, number: int, given: dict[str, Any], record: Any) -> Line:
        if self._fills_source and given.get("externalId") and all(given.get(name) is None for name in _NAMES):
            given = given | {"sourceKey": self.source_key}
            record.source_key = self.source_key
        return Line(number, given, record)


def _read_line(line: bytes | None, path: str, faults: Faults) -> Any:
    if line is None:
        faults.add(path, TOO_LONG)
        return None
    return read_json(line, path, faults)


def _guess_format(source: BufferedReader) -> Format:
    """Guesses the format: JSON starts with a brace or a bracket."""
    head = source.peek(_PEEKED).removeprefix(BOM).lstrip()
    return "jsonl" if head[:1] in (b"{", b"[", b"") else "csv"
