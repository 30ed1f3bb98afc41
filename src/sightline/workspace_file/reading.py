"""Reads a file of lines, JSON Lines or CSV, as records of one list, in batches."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from io import BufferedReader
from typing import Any, Literal, NamedTuple

from sightline.platform.file_section import Faults
from sightline.workspace_file.applying import BATCH_CHARACTERS, BATCH_RECORDS
from sightline.workspace_file.cells import CsvRows
from sightline.workspace_file.imports.columns import REASONS
from sightline.workspace_file.imports.encodings import find_encoding, recoded
from sightline.workspace_file.imports.json_rows import JsonRows
from sightline.workspace_file.imports.maps import Map
from sightline.workspace_file.imports.tools.rows import ROWS
from sightline.workspace_file.lines import BOM, TOO_LONG, PhysicalLines, path_of
from sightline.workspace_file.sections import lists
from sightline.workspace_file.values import check, read_json

Format = Literal["jsonl", "csv"]
DEFAULT_SOURCE = "import"
_PEEKED = 4096
_NAMES = ("id", "key", "sourceKey", "origin")


class Line(NamedTuple):
    """A valid line: its number, its record as given and as its type, and what an import reads itself.

    `voters`: addresses. `merged_into`: the externalId of the post that this one was merged into.
    """

    number: int
    given: dict[str, Any]
    record: Any
    voters: tuple[str, ...] = ()
    merged_into: str | None = None


@dataclass(slots=True)
class Batch:
    """Consecutive lines: the records of valid lines, and the faults of the others.

    `count`: the number of lines; `last`: the number of the last line; `bytes`: the position in the file after it.
    `texts`: the lines as they are, by number, if they are kept. `left_out`: lines that the tool's map leaves out.
    """

    lines: list[Line] = field(default_factory=list)
    faults: Faults = field(default_factory=Faults)
    count: int = 0
    last: int = 0
    bytes: int = 0
    faulty: set[int] = field(default_factory=set)
    texts: dict[int, str] = field(default_factory=dict)
    left_out: int = 0


class ListReader:
    """Reads a file as records of a list, in batches of at most 1,000 lines and about 4 MiB.

    `format`: guessed from the first byte by default. `source_key`: the source of records with an externalId and no
    other identity, in lists where an externalId is unique only within its source; `import` by default.
    `map`: which columns fill which fields. `strict`: refuses headers that name no field.
    """

    def __init__(
        self,
        kind: str,
        source: BufferedReader,
        format: Format | None = None,
        source_key: str | None = None,
        map: Map | None = None,
        *,
        strict: bool = False,
    ) -> None:
        self.table = lists()[kind]
        self.source = source
        self.format = format
        self.source_key = source_key or DEFAULT_SOURCE
        self.map = map
        self.strict = strict
        self.keeps_texts = False
        self.encoding = "UTF-8"
        self.rows: CsvRows | JsonRows | None = None
        self.has_default_source = source_key is None and not (map and "sourceKey" in map.constants)
        self._fills_source = ("source_key", "external_id") in self.table.identities
        self._names = (*_NAMES, "integration") if source_key is None else _NAMES
        self._prepare = ROWS.get(map.tool or "") if map else None

    def batches(self) -> Iterator[Batch]:
        """Yields batches. Raises ValidationFailed if the first line of CSV does not name fields of the list."""
        is_csv = self._is_csv()
        if is_csv:
            self.encoding = find_encoding(self.source)
        lines = PhysicalLines(recoded(self.source, self.encoding))
        batch, begin = _new_batch(), 0
        for number, text, value in self._values(lines, is_csv):
            batch.count += 1
            before = batch.faults.count
            self._read(batch, number, value(batch.faults), before)
            if self.keeps_texts:
                batch.texts[number] = text()
            if batch.count >= BATCH_RECORDS or lines.bytes - begin >= BATCH_CHARACTERS:
                batch.last, batch.bytes, begin = lines.number, lines.bytes, lines.bytes
                yield batch
                batch = _new_batch()
        batch.last, batch.bytes = lines.number, lines.bytes
        if batch.count:
            yield batch

    def _is_csv(self) -> bool:
        return (self.format or _guess_format(self.source)) == "csv"

    def _read(self, batch: Batch, number: int, given: Any, before: int) -> None:
        """Adds the line to the batch. `before`: how many faults there were before it was read."""
        if batch.faults.count == before:
            if self._prepare is not None and isinstance(given, dict) and (given := self._prepare(given)) is None:
                batch.left_out += 1
                return
            voters, merged_into = self._take_own(given)
            record = check(given, self.table.record, path_of(number), batch.faults)
            if record is not None:
                given = self._sourced(given, record)
                batch.lines.append(Line(number, given, record, voters, merged_into))
        if batch.faults.count > before:
            batch.faulty.add(number)

    def _take_own(self, given: Any) -> tuple[tuple[str, ...], str | None]:
        """Takes what an import reads itself out of a record of CSV or of a map. Votes of voters are not bare ones."""
        if self.rows is None or self.table.path != "ideas" or not isinstance(given, dict):
            return (), None
        voters = tuple(dict.fromkeys(one.lower() for one in given.pop("voters", None) or () if "@" in one))
        if voters and isinstance(given.get("importedVoteCount"), int):
            given["importedVoteCount"] = max(0, given["importedVoteCount"] - len(voters))
        return voters, given.pop("mergedInto", None)

    def _values(self, lines: PhysicalLines, is_csv: bool) -> Iterator[tuple[int, Callable[[], str], Any]]:
        """Yields for each line its number, a function for its text, and one that reads it, given where faults go."""
        if is_csv:
            rows = self.rows = CsvRows(self.table, lines, self.map or Map(), strict=self.strict)
            for number, row in rows.rows():
                yield number, lambda: rows.cells.text, partial(rows.record, row, path_of(number))
            return
        mapped = self.rows = JsonRows(self.table, self.map) if self.map else None
        for number, line in lines:
            if line is None or line.strip():
                yield number, partial(_text, line), partial(_read_line, line, mapped, path_of(number))

    def _sourced(self, given: dict[str, Any], record: Any) -> dict[str, Any]:
        if self._fills_source and given.get("externalId") and all(given.get(name) is None for name in self._names):
            record.source_key = self.source_key
            return given | {"sourceKey": self.source_key}
        return given


def _new_batch() -> Batch:
    """Returns a batch that keeps the faults of all its lines, for their reasons and kinds."""
    batch = Batch()
    batch.faults.most = 10 * BATCH_RECORDS
    return batch


def _text(line: bytes | None) -> str:
    return (line or b"").decode(errors="replace")


def _read_line(line: bytes | None, mapped: JsonRows | None, path: str, faults: Faults) -> Any:
    if line is None:
        faults.add(path, TOO_LONG)
        return None
    given = read_json(line, path, faults)
    if isinstance(given, dict):
        given.pop(REASONS, None)
    return mapped.record(given, path, faults) if mapped and isinstance(given, dict) else given


def _guess_format(source: BufferedReader) -> Format:
    """Guesses the format: JSON starts with a brace or a bracket."""
    head = source.peek(_PEEKED).removeprefix(BOM).lstrip()
    return "jsonl" if head[:1] in (b"{", b"[", b"") else "csv"
