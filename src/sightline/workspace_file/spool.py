"""Keeps the checked records of a file on disk until they are stored."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import msgspec

from sightline.platform.file_section import Faults, Part, Table
from sightline.workspace_file.composing import Composer
from sightline.workspace_file.events import NotReadable, read_events
from sightline.workspace_file.shapes import check_shape, check_text

BATCH_RECORDS = 1_000
BATCH_BYTES = 4 * 1024 * 1024
NAMES = ("id", "key", "email", "label", "externalId")
_FAULTY = b"null\n"


def _open_file() -> Any:
    return tempfile.TemporaryFile(prefix="sightline-")


@dataclass(slots=True)
class _List:
    """The records of one list as lines `[path, parent, record]`."""

    file: Any = field(default_factory=_open_file)
    count: int = 0
    largest: int = 0


class Spool:
    """The parts of a file, and its lists in batches. `faulty_records`: list and name of each faulty record."""

    def __init__(self, tables: Mapping[str, Table], parts: Mapping[str, Part], faults: Faults) -> None:
        self.tables = tables
        self.lists = frozenset(tables)
        self.known_parts = parts
        self.parts: dict[str, dict[str, Any]] = {}
        self.prune: list[str] = []
        self.faults = faults
        self.faulty_records: set[tuple[str, str]] = set()
        self.faulty_parts: set[str] = set()
        self._kept: dict[str, _List] = {}

    def read(self, source: BinaryIO) -> bool:
        """Reads the whole file. Adds a fault and returns False if it ends early or is malformed."""
        composer = Composer(read_events(source), self, self.faults)
        try:
            composer.read()
        except NotReadable as error:
            self.faults.add("" if error.has_place else composer.where, str(error))
            return False
        return True

    @property
    def given(self) -> frozenset[str]:
        return frozenset(self._kept)

    def count(self, list: str) -> int:
        return self._kept[list].count if list in self._kept else 0

    def largest_number(self, list: str) -> int:
        """Returns the largest number that a record of the list has in the file."""
        return self._kept[list].largest if list in self._kept else 0

    def part(self, name: str, value: Any) -> None:
        if name in self.lists:
            if value is not None:
                self.faults.add(name, "Expected a list")
        elif name == "prune":
            self._take_prune(value)
        elif check_shape(value, self.known_parts[name].type, name, self.faults):
            self.parts[name] = value
        else:
            self.faulty_parts.add(name)

    def _take_prune(self, value: Any) -> None:
        if check_shape(value, list[str] | None, "prune", self.faults):
            self.prune = value or []

    def knows(self, name: str) -> bool:
        return name in self.lists or name in self.known_parts or name == "prune"

    def begin(self, list: str) -> None:
        self._kept.setdefault(list, _List())

    def record(self, list: str, path: str, index: int, parent: int, value: Any) -> None:
        kept = self._kept[list]
        kept.count += 1
        line = _FAULTY
        if check_shape(value, self.tables[list].record, path, self.faults) and check_text(value, path, self.faults):
            line = msgspec.json.encode([path, parent, value]) + b"\n"
            kept.largest = max(kept.largest, value.get("number") or 0)
        elif isinstance(value, dict):
            self._note_faulty(list, value)
        kept.file.write(line)

    def _note_faulty(self, list: str, record: Mapping[str, Any]) -> None:
        """Keeps the names of a faulty record, so that references to it are not further faults."""
        names = [record.get(name) for name in NAMES]
        self.faulty_records.update((list, name) for name in names if isinstance(name, str))

    def batches(self, list: str) -> Iterator[Sequence[tuple[int, str, int, dict[str, Any]]]]:
        """Yields records with their index, path and the enclosing record's index. Can be iterated again."""
        if list not in self._kept:
            return
        file = self._kept[list].file
        file.seek(0)
        batch: Any = []
        size = 0
        for index, line in enumerate(file):
            if line != _FAULTY:
                batch.append((index, *msgspec.json.decode(line)))
                size += len(line)
            if len(batch) >= BATCH_RECORDS or size >= BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def close(self) -> None:
        for kept in self._kept.values():
            kept.file.close()
