"""Keeps references between records of one list until all of them are stored."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from uuid import UUID

import msgspec

from sightline.platform.file_section import Table
from sightline.workspace_file.reading import Line
from sightline.workspace_file.spool import BATCH_RECORDS


class Postponed:
    """The postponed fields, on disk. `names`: the names of these fields."""

    def __init__(self, table: Table) -> None:
        self.names = [field.name for field in table.fields if field.late]
        self._file = tempfile.TemporaryFile(prefix="sightline-") if self.names else None  # noqa: SIM115 - see close()

    def keep(self, lines: Sequence[Line], ids: Mapping[int, UUID]) -> None:
        """Stores the late fields of lines whose record has an id."""
        for number, given in lines:
            waiting = {name: given[name] for name in self.names if name in given}
            if self._file and waiting and number in ids:
                self._file.write(msgspec.json.encode((number, {"id": str(ids[number])} | waiting)) + b"\n")

    def batches(self) -> Iterator[list[Line]]:
        """Yields lines with only these fields and the id of the record."""
        if self._file is None:
            return
        self._file.seek(0)
        while batch := [msgspec.json.decode(line, type=Line) for line in islice(self._file, BATCH_RECORDS)]:
            yield batch

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
