"""What an import says: its fields, its faults, and the refused lines with their reasons."""

import csv
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from types import SimpleNamespace
from typing import Any

import msgspec
from msgspec import Struct

from sightline.imports.columns import REASONS, Head
from sightline.imports.csv_rows import CsvRows
from sightline.imports.lines import LineFault, line_fault, read_json
from sightline.imports.reading import Batch, ListReader
from sightline.imports.united import Text

MOST_KINDS = 100
_MOST_NAMES = 20
_EXAMPLES = 3
_LONGEST = 80
_NOT_KEPT = "Has faults that are not kept: too many lines near it have some"
_NAME = re.compile(r"'([^']*)'")
_VARYING = re.compile(r"'[^']*'|\"[^\"]*\"|\d+|\[\d+\]")


class FieldSample(Struct):
    """How many lines have a field, with up to three examples."""

    count: int = 0
    examples: list[str] = []


class FaultKind(Struct):
    """Faults that differ only in names and numbers: how many, the first of them, and up to 20 of the first names."""

    first: LineFault
    count: int = 0
    names: list[str] = []


class Imported(Struct, rename="camel"):
    """The result of an import. `lines`: how many are not blank; `faults`: the first hundred.

    `left_out`: lines that the tool's map leaves out; `merged`: posts that became evidence of another one; `united`:
    further rows of a record. `votes_added`: those of named voters. `file`: of a ZIP, which one was read.
    `accounts_added`, `accounts_left_out`: how many named accounts there were not; `accounts_namesakes`: how many were
    added beside one of the same name. `ignored_columns`: of no field.
    `missing_columns`: of the map, not in the file. `dates_without_zone`: columns that were read as UTC.
    `encoding`, `delimiter`, `header_line`: of CSV. `known_by`: the fields that identify its records if no column does.
    `fields`: of a dry run, what would be stored.
    """

    kind: str
    lines: int = 0
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    faulty: int = 0
    seconds: float = 0
    left_out: int = 0
    merged: int = 0
    united: int = 0
    votes_added: int = 0
    accounts_added: int = 0
    accounts_left_out: int = 0
    accounts_namesakes: int = 0
    ignored_columns: list[str] = []
    missing_columns: Sequence[str] = ()
    dates_without_zone: Sequence[str] = ()
    file: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    header_line: int | None = None
    known_by: Sequence[str] = ()
    fields: dict[str, FieldSample] = {}
    faults: list[LineFault] = msgspec.field(default_factory=list)


def add_samples(samples: dict[str, FieldSample], given: dict[str, Any], above: str = "") -> None:
    """Adds the values of a record; the members of an object have dotted names."""
    for name, value in given.items():
        if isinstance(value, dict):
            add_samples(samples, value, f"{above}{name}.")
            continue
        if value in (None, [], ()):
            continue
        sample = samples.setdefault(above + name, FieldSample())
        sample.count += 1
        if len(sample.examples) >= _EXAMPLES:
            continue
        items = value if isinstance(value, list | tuple) else [value]
        shown = "; ".join(json.dumps(_plain(item), ensure_ascii=False) for item in items)
        shown = f"{shown[: _LONGEST - 1]}\u2026" if len(shown) > _LONGEST else shown
        if shown not in sample.examples:
            sample.examples.append(shown)


def _plain(value: Any) -> Any:
    """Returns a text on one line."""
    return " ".join(value.split()) if isinstance(value, str) else msgspec.to_builtins(value)


def add_kinds(kinds: dict[str, FaultKind], faults: Sequence[LineFault]) -> None:
    for fault in faults:
        key = _VARYING.sub("", f"{fault.path}: {fault.message}")
        if key not in kinds and len(kinds) >= MOST_KINDS:
            continue
        kind = kinds.setdefault(key, FaultKind(fault))
        kind.count += 1
        name = _NAME.search(fault.message)
        if name and name[1] not in kind.names and len(kind.names) < _MOST_NAMES:
            kind.names.append(name[1])


_ADVICE = {  # by words of a fault
    "among the workspace's labels": (
        "To import labels as others, give a --map-file with: values: {{status: {{{names}}}}}"
    ),
    " in accounts": (
        "To add these accounts or leave them out, give --unknown-accounts create or skip. To find ones that are there,"
        " give a --map-file with: values: {{{field}: {{{names}}}}}"
    ),
}


def fault_lines(faults: Sequence[LineFault], count: int, kinds: Iterable[FaultKind]) -> Iterator[str]:
    """Yields each fault with all its lines; of more than are kept, how many there are of each kind. Then advice."""
    kinds = sorted(kinds, key=lambda kind: -kind.count)
    if count > len(faults):
        yield f"{count} faults:"
        yield from (f"{kind.count} like {_shown([kind.first])}" for kind in kinds)
    else:
        same: dict[tuple[str, str], list[LineFault]] = defaultdict(list)
        for fault in faults:
            same[fault.path, fault.message].append(fault)
        yield from map(_shown, same.values())
    for kind in kinds:
        for words, advice in _ADVICE.items():
            if words in kind.first.message:
                names = ", ".join(f"{name!r}: ..." for name in kind.names)
                yield advice.format(field=kind.first.path.partition("[")[0], names=names)


def _shown(faults: Sequence[LineFault]) -> str:
    """Returns one fault of several lines, such as `lines 2-41, 50: name: Is needed`."""
    lines = list(dict.fromkeys(fault.line for fault in faults))
    runs = [[line for _, line in run] for _, run in groupby(enumerate(lines), lambda each: each[1] - each[0])]
    places = ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
    field = f"{faults[0].path}: " if faults[0].path else ""
    text = f"line{'s' * (len(lines) > 1)} {places}: {field}{faults[0].message}"
    return "".join(letter if letter.isprintable() else " " for letter in text)


class Rejects:
    """Writes the faulty lines of each batch. They can be mended and imported again: the reasons are ignored then."""

    def __init__(self, reader: ListReader, write: Callable[[str], object]) -> None:
        self.reader = reader
        self.write = write
        self._has_head = False

    def add(self, batch: Batch) -> None:
        reasons: dict[int, list[str]] = defaultdict(list)
        for fault in map(line_fault, batch.faults.shown):
            reasons[fault.line].append(f"{fault.path}: {fault.message}" if fault.path else fault.message)
        rows = self.reader.rows
        for number in sorted(batch.faulty & batch.texts.keys()):
            text, found = batch.texts[number], reasons[number] or [_NOT_KEPT]
            if not (isinstance(rows, CsvRows) and rows.head):
                self.write(_json_line(str(text), found))
                continue
            out = csv.writer(SimpleNamespace(write=self.write), delimiter=rows.delimiter)
            if not self._has_head:
                self.write("\ufeff")  # or Excel reads other letters than there are
                out.writerow(_csv_row([column.name for column in rows.head.columns], REASONS, rows.head))
                self._has_head = True
            out.writerow(_csv_row(text, "; ".join(found), rows.head))


def _csv_row(text: Text, reasons: str, head: Head) -> Sequence[str]:
    """Returns the cells of a row and its reasons. What does not fit the columns stands behind the reasons."""
    width = len(head.columns) - head.has_reasons
    cells = [text.rstrip("\r\n")] if isinstance(text, str) else text
    if cells is text and len(cells) in (width, len(head.columns)):
        return [*cells[:width], reasons]
    if head.has_reasons and cells is text and not any(cells[:width]):
        return cells  # has not been mended since it was refused
    return [*[""] * width, reasons, *cells]


def _json_line(text: str, reasons: list[str]) -> str:
    """Returns the object of a line with its reasons; of a line that has none, the line itself as a member."""
    try:
        found = read_json(text)
    except ValueError:
        found = None
    given = found if isinstance(found, dict) else {"line": text.rstrip("\r\n")}
    line = json.dumps(given | {REASONS: reasons}, ensure_ascii=False)
    return line.encode(errors="backslashreplace").decode() + "\n"  # half of a surrogate pair stays an escape
