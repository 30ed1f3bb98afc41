"""Reads a file of lines as records of one list, in batches."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BufferedReader
from typing import Any, Literal, Protocol

from sightline.platform.file_section import Faults
from sightline.workspace_file.cells import CsvRows
from sightline.workspace_file.line_faults import LineFaults, path_of
from sightline.workspace_file.lines import BOM, JsonLines, PhysicalLines
from sightline.workspace_file.sections import lists
from sightline.workspace_file.shapes import check_shape, check_text
from sightline.workspace_file.spool import BATCH_BYTES, BATCH_RECORDS

Format = Literal["jsonl", "csv"]
Line = tuple[int, dict[str, Any]]

DEFAULT_SOURCE = "import"
_PEEKED = 4096
_NAMES = ("id", "key", "sourceKey", "integration", "origin")


@dataclass(slots=True)
class Batch:
    """Consecutive lines: the records of valid lines, and the faults of the others.

    `count`: the number of lines; `last`: the number of the last line; `bytes`: the position in the file after it.
    """

    lines: list[Line] = field(default_factory=list)
    faults: LineFaults = field(default_factory=LineFaults)
    count: int = 0
    last: int = 0
    bytes: int = 0


class Rows(Protocol):
    """The rows of a file in one format, and their conversion to records."""

    def rows(self) -> Iterator[tuple[int, Any]]:
        """Yields the rows, each with the number of its first line."""

    def record(self, row: Any, path: str, faults: Faults) -> Any:
        """Returns the record of a row. Adds a fault and returns None if it cannot be read."""


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
        rows = self._rows(lines)
        batch, begin = Batch(), 0
        for number, row in rows.rows():
            batch.count += 1
            path = path_of(number)
            self._take(batch, number, rows.record(row, path, batch.faults), path)
            if batch.count >= BATCH_RECORDS or lines.bytes - begin >= BATCH_BYTES:
                batch.last, batch.bytes, begin = lines.number, lines.bytes, lines.bytes
                yield batch
                batch = Batch()
        batch.last, batch.bytes = lines.number, lines.bytes
        if batch.count:
            yield batch

    def _rows(self, lines: PhysicalLines) -> Rows:
        format = self.format or _guess_format(self.source)
        return CsvRows(self.table, lines) if format == "csv" else JsonLines(lines)

    def _take(self, batch: Batch, number: int, value: Any, path: str) -> None:
        if value is None and number in batch.faults.lines:
            return
        is_sound = check_shape(value, self.table.record, path, batch.faults) and check_text(value, path, batch.faults)
        if is_sound and number not in batch.faults.lines:
            batch.lines.append((number, self._sourced(value)))

    def _sourced(self, given: dict[str, Any]) -> dict[str, Any]:
        if self._fills_source and given.get("externalId") and all(given.get(name) is None for name in _NAMES):
            return given | {"sourceKey": self.source_key}
        return given


def _guess_format(source: BufferedReader) -> Format:
    """Guesses the format: JSON starts with a brace or a bracket."""
    head = source.peek(_PEEKED).removeprefix(BOM).lstrip()
    return "jsonl" if head[:1] in (b"{", b"[", b"") else "csv"
