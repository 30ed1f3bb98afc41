"""The refused lines of an import, as they were, with a column of reasons."""

import csv
import json
from collections import defaultdict
from collections.abc import Callable
from io import StringIO

from sightline.workspace_file.cells import CsvRows
from sightline.workspace_file.imports.columns import REASONS
from sightline.workspace_file.lines import line_fault
from sightline.workspace_file.reading import Batch, ListReader


class Rejects:
    """Writes the faulty lines of each batch. They can be mended and imported again: the reasons are ignored then."""

    def __init__(self, reader: ListReader, write: Callable[[str], object]) -> None:
        self.reader = reader
        self.write = write
        self._has_head = False
        reader.keeps_texts = True

    def add(self, batch: Batch) -> None:
        reasons: dict[int, list[str]] = defaultdict(list)
        for fault in map(line_fault, batch.faults.shown):
            reasons[fault.line].append(f"{fault.path}: {fault.message}" if fault.path else fault.message)
        rows = self.reader.rows
        for number in sorted(batch.faulty & batch.texts.keys()):
            if isinstance(rows, CsvRows):
                if not self._has_head:
                    self.write(_csv_row(rows.head_text, [REASONS], rows))
                    self._has_head = True
                self.write(_csv_row(batch.texts[number], reasons[number], rows))
            else:
                self.write(_json_line(batch.texts[number], reasons[number]))


def _csv_row(text: str, reasons: list[str], rows: CsvRows) -> str:
    """Returns the row with its reasons. What is not CSV stays as it is, without them."""
    delimiter = rows.cells.delimiter
    try:
        cells = next(csv.reader(StringIO(text, newline=""), strict=True, delimiter=delimiter))
    except (csv.Error, StopIteration):
        return text if text.endswith("\n") else text + "\n"
    if rows.head is not None and rows.head.has_reasons and len(cells) == len(rows.head.columns):
        cells = cells[:-1]
    out = StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerow([*cells, "; ".join(reasons)])
    return out.getvalue()


def _json_line(text: str, reasons: list[str]) -> str:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        return text.rstrip("\r\n") + "\n"
    return json.dumps(found | {REASONS: reasons}, ensure_ascii=False) + "\n"
