"""Reads a file of lines, JSON Lines or CSV, as records of one list, in batches."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from io import BufferedReader
from typing import Any, NamedTuple

from sightline.imports.columns import REASONS
from sightline.imports.csv_rows import CsvRows
from sightline.imports.files import DAMAGED, find_encoding, is_archive, open_archive, recoded
from sightline.imports.json_rows import JsonItems, JsonRows, find_list
from sightline.imports.lines import TOO_LONG, PhysicalLines, path_of, read_json
from sightline.imports.maps import Map, list_names
from sightline.imports.tools.rows import prepare
from sightline.imports.united import Held, Rows, Text, find_several
from sightline.platform.errors import Fault, ValidationFailed
from sightline.platform.file_parts.entries import Faults
from sightline.workspace_file.applying import BATCH_CHARACTERS, BATCH_RECORDS
from sightline.workspace_file.exporting import Format
from sightline.workspace_file.parts import LISTS
from sightline.workspace_file.storing import Late
from sightline.workspace_file.values import check

DEFAULT_SOURCE = "import"
_PEEKED = 4096
_MARKS = b"\0\xef\xbb\xbf\xff\xfe"  # of encodings
_NAMES = ("id", "key", "sourceKey", "origin")


class Line(NamedTuple):
    """A valid line: its number, its record as given and as its type, and what an import reads itself.

    `voters`: addresses. `merged_into`: the externalId of the post that this one was merged into. `further`: the numbers
    of further rows of this record. `late`: what names records that may be in later lines, of a line that is stored.
    """

    number: int
    given: dict[str, Any]
    record: Any
    voters: tuple[str, ...] = ()
    merged_into: str | None = None
    further: tuple[int, ...] = ()
    late: Late | None = None


@dataclass(slots=True)
class Batch:
    """Consecutive lines: the records of valid lines, and all faults of the others, for their reasons and kinds.

    `count`: the number of lines; `last`: the number of the last line; `bytes`: the position in the file after it.
    `texts`: the lines as they are, by number. `left_out`: lines that the tool's map leaves out.
    """

    lines: list[Line] = field(default_factory=list)
    faults: Faults = field(default_factory=lambda: Faults(10 * BATCH_RECORDS))
    count: int = 0
    last: int = 0
    bytes: int = 0
    faulty: set[int] = field(default_factory=set)
    texts: dict[int, Text] = field(default_factory=dict)
    left_out: int = 0

    def refuse(self, numbers: Iterable[int]) -> None:
        """Counts lines as faulty, with the further rows of their records."""
        self.faulty.update(numbers)
        for line in self.lines:
            if line.further and line.number in self.faulty:
                self.refuse_rows(line.number, line.further)

    def refuse_rows(self, number: int, further: Sequence[int]) -> None:
        """Counts the rows of one record as faulty."""
        for each in sorted({*further} - self.faulty):
            self.faults.add(path_of(each), f"Is of the same record as line {number}, which is refused")
        self.faulty.update((number, *further))


@dataclass
class ListReader:
    """Reads a file as records of a list, in batches of at most 1,000 lines and about 4 MiB.

    `format`: guessed from the first byte by default. `source_key`: the source of records with an externalId and no
    other identity, in lists where an externalId is unique only within its source; `import` by default.
    `map`: which columns fill which fields. `strict`: refuses headers that name no field.
    `member`: the file that was read, of a ZIP. Of a JSON document, the places of its records count as lines.
    """

    kind: str
    source: BufferedReader
    format: Format | None = None
    source_key: str | None = None
    map: Map | None = None
    strict: bool = False
    encoding: str = "UTF-8"
    member: str | None = None
    rows: CsvRows | JsonRows | None = None

    def __post_init__(self) -> None:
        self.table = LISTS[self.kind]
        self.has_default_source = self.source_key is None and not (self.map and "sourceKey" in self.map.constants)
        self._held = Held({})

    def batches(self) -> Iterator[Batch]:
        """Yields batches. Raises ValidationFailed for a file that cannot be read, and for CSV without known headers."""
        try:
            with ExitStack() as files:
                yield from self._batches(*self._open(files))
        except DAMAGED as error:
            raise ValidationFailed([Fault("", f"The ZIP file is damaged: {error}")]) from None

    def _batches(self, lines: PhysicalLines | JsonItems, is_csv: bool) -> Iterator[Batch]:
        batch, begin = Batch(), 0
        for number, text, value in self._values(lines, is_csv):
            batch.count += 1
            batch.texts[number] = text
            before = batch.faults.count
            given, rows = value(batch.faults), None
            if batch.faults.count == before:
                rows = self._held.add(number, given, text, batch.faults)
            if batch.faults.count > before:
                batch.faulty.add(number)
            if rows:
                self._read(batch, rows)
            if batch.count >= BATCH_RECORDS or lines.bytes - begin >= BATCH_CHARACTERS:
                batch.last, batch.bytes, begin = lines.number, lines.bytes, lines.bytes
                yield batch
                batch = Batch()
        for rows in self._held.rows.values():
            self._read(batch, rows)
        batch.last, batch.bytes = lines.number, lines.bytes
        if batch.count or batch.lines:
            yield batch

    def _open(self, files: ExitStack) -> tuple[PhysicalLines | JsonItems, bool]:
        """Returns the lines, and whether they are CSV. Looks first for records of CSV that have several rows."""
        source = self.source
        if is_archive(source):
            self.member, source = open_archive(source, self.table.path, self.map.tool if self.map else None)
        is_csv = (self.format or _guess_format(source)) == "csv"
        self.encoding = find_encoding(source, is_utf=not is_csv)
        source = recoded(source, self.encoding, files)
        if is_csv and self.table.path == "ideas" and source.seekable():
            start = source.tell()
            self._held = find_several(CsvRows(self.table, PhysicalLines(source), self.map or Map(), self.strict))
            source.seek(start)
        name = None if is_csv else find_list(source, list_names(self.table.path))
        return PhysicalLines(source) if name is None else JsonItems(source, name), is_csv

    def _read(self, batch: Batch, rows: Rows) -> None:
        """Adds the rows of a record to the batch as one. If it is faulty, all of them are refused."""
        given, number = rows.given, rows.number
        further = tuple(one for one in rows.texts if one != number)
        batch.texts |= rows.texts
        if self.map and isinstance(given, dict) and (given := prepare(self.map, given)) is None:
            batch.left_out += 1 + len(further)
            return
        voters, merged_into = self._take_own(given)
        record = check(given, self.table.record, path_of(number), batch.faults)
        if record is None:
            batch.refuse_rows(number, further)
        else:
            batch.lines.append(Line(number, self._sourced(given, record), record, voters, merged_into, further))

    def _take_own(self, given: Any) -> tuple[tuple[str, ...], str | None]:
        """Takes what an import reads itself out of a record of CSV or of a map. Votes of voters are not bare ones."""
        if self.rows is None or self.table.path != "ideas" or not isinstance(given, dict):
            return (), None
        named = dict.fromkeys(one.lower() for one in given.pop("voters", None) or () if isinstance(one, str))
        voters = tuple(one for one in named if "@" in one)
        if isinstance(given.get("importedVoteCount"), int):
            given["importedVoteCount"] = max(0, given["importedVoteCount"] - len(voters))
        elif len(named) > len(voters):
            given["importedVoteCount"] = len(named) - len(voters)
        return voters, given.pop("mergedInto", None)

    def _values(self, lines: Any, is_csv: bool) -> Iterator[tuple[int, Text, Any]]:
        """Yields for each line its number, itself, and a function that reads it, given where faults go."""
        if is_csv:
            rows = self.rows = CsvRows(self.table, lines, self.map or Map(), self.strict)
            for number, cells, text in rows.rows():
                yield number, text if isinstance(cells, str) else cells, partial(rows.record, cells, path_of(number))
            return
        mapped = self.rows = JsonRows(self.table, self.map) if self.map else None
        for number, line in lines:
            if line is None or line.strip():
                text = (line or b"").decode(errors="replace")
                yield number, text, partial(_read_line, line, mapped, path_of(number))

    def _sourced(self, given: dict[str, Any], record: Any) -> dict[str, Any]:
        """Gives a record that has nothing but an externalId its source."""
        names = _NAMES if self.source_key else (*_NAMES, "integration")
        if ("source_key", "external_id") not in self.table.identities or not given.get("externalId"):
            return given
        if any(given.get(name) is not None for name in names):
            return given
        record.source_key = self.source_key or DEFAULT_SOURCE
        return given | {"sourceKey": record.source_key}


def _read_line(line: bytes | None, mapped: JsonRows | None, path: str, faults: Faults) -> Any:
    try:
        if line is None:
            raise ValueError(TOO_LONG)
        given = read_json(line.decode())
    except ValueError as error:
        faults.add(path, "Is not JSON: not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error))
        return None
    if isinstance(given, dict):
        given.pop(REASONS, None)
    return mapped.record(given, path, faults) if mapped and isinstance(given, dict) else given


def _guess_format(source: BufferedReader) -> Format:
    """Guesses the format: JSON starts with a brace or a bracket, in any encoding."""
    head = source.peek(_PEEKED).translate(None, _MARKS).lstrip()
    return "jsonl" if head[:1] in (b"{", b"[", b"") else "csv"
