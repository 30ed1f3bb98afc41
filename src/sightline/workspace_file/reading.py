"""A file of lines as records of one list, in batches."""

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
Given = dict[str, Any]
Line = tuple[int, Given]

_PEEKED = 4096
_NAMES = ("id", "key", "sourceKey", "integration", "origin")


@dataclass(slots=True)
class Batch:
    """Some lines that follow each other: those that are well shaped, and what is wrong with the others.

    `count`: all of them; `last`: the number of the last one; `bytes`: how far the file was read.
    """

    lines: list[Line] = field(default_factory=list)
    faults: LineFaults = field(default_factory=LineFaults)
    count: int = 0
    last: int = 0
    bytes: int = 0


class Rows(Protocol):
    """What stands in the lines of a file, and how a record is made of it."""

    def rows(self) -> Iterator[tuple[int, Any]]:
        """With the number of the line in which each begins."""

    def record(self, row: Any, path: str, faults: Faults) -> Any:
        """Notes what cannot be read."""


class ListReader:
    """Reads a file as records of a list, in batches of at most 1,000 lines and about 4 MiB.

    `format`: told by the first byte when left out. `source_key`: of records that have an externalId and nothing else
    to know them by, in lists where an externalId counts within its source only.
    """

    def __init__(
        self, kind: str, source: BufferedReader, format: Format | None = None, source_key: str = "import"
    ) -> None:
        self.table = lists()[kind]
        self.source = source
        self.format = format
        self.source_key = source_key
        self._fills_source = ("source_key", "external_id") in self.table.identities

    def batches(self) -> Iterator[Batch]:
        """Raises ValidationFailed where the first line of CSV does not name fields of the list."""
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

    def _sourced(self, given: Given) -> Given:
        if self._fills_source and given.get("externalId") and all(given.get(name) is None for name in _NAMES):
            return given | {"sourceKey": self.source_key}
        return given


def _guess_format(source: BufferedReader) -> Format:
    """JSON begins with a brace or a bracket."""
    head = source.peek(_PEEKED).removeprefix(BOM).lstrip()
    return "jsonl" if head[:1] in (b"{", b"[", b"") else "csv"
