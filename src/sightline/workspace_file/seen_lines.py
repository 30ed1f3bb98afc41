"""The records that the lines of an import have named so far, on disk, as there may be millions."""

import sqlite3
from collections.abc import Mapping
from uuid import UUID

_PREPARE = (
    "PRAGMA journal_mode = MEMORY",
    "PRAGMA cache_size = -16384",
    "CREATE TABLE seen (id BLOB PRIMARY KEY, path TEXT NOT NULL) WITHOUT ROWID",
)


class SeenLines:
    """The records seen so far. `keep` commits the additions of a batch; `drop` removes them.

    They are in a temporary file of SQLite, which is deleted on closing.
    """

    def __init__(self) -> None:
        self._scratch = sqlite3.connect("", isolation_level=None)
        for statement in _PREPARE:
            self._scratch.execute(statement)
        self._scratch.execute("BEGIN")

    async def note(self, list: str, paths: Mapping[UUID, str]) -> dict[UUID, str]:
        """Adds records with their paths. Returns those that were seen before, each with its first path."""
        before = self._scratch.total_changes
        rows = [(id.bytes, path) for id, path in paths.items()]
        self._scratch.executemany("INSERT INTO seen VALUES (?, ?) ON CONFLICT DO NOTHING", rows)
        if self._scratch.total_changes - before == len(rows):
            return {}
        return {id: first for id, path in paths.items() if (first := self._first(id)) != path}

    def _first(self, id: UUID) -> str:
        found: str = self._scratch.execute("SELECT path FROM seen WHERE id = ?", (id.bytes,)).fetchone()[0]
        return found

    def close(self) -> None:
        self._scratch.close()

    def keep(self) -> None:
        self._scratch.execute("COMMIT")
        self._scratch.execute("BEGIN")

    def drop(self) -> None:
        self._scratch.execute("ROLLBACK")
        self._scratch.execute("BEGIN")
