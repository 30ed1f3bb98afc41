"""Stores the valid lines of a batch in one transaction; faulty lines do not prevent it."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import asyncpg

from sightline.platform.db import Database, Tx
from sightline.platform.file_section import Entry, Run, Table
from sightline.workspace_file import queries
from sightline.workspace_file.line_faults import LineFaults, path_of
from sightline.workspace_file.lookups import Lookups
from sightline.workspace_file.postponed import Postponed
from sightline.workspace_file.reading import Line
from sightline.workspace_file.sections import all_tables
from sightline.workspace_file.seen_lines import SeenLines
from sightline.workspace_file.storing import Store
from sightline.workspace_file.tally import ListCount, Tally
from sightline.workspaces.bulk import Numbers, add_to_counts
from sightline.workspaces.tenants import find_workspace

ATTEMPTS = 3
_OVERTAKEN = (asyncpg.IntegrityConstraintViolationError, asyncpg.TransactionRollbackError)
_REFUSED = (*_OVERTAKEN, asyncpg.DataError, asyncpg.ProgramLimitExceededError, asyncpg.RaiseError)

Write = Callable[[Store, Sequence[Line]], Awaitable[None]]


@dataclass(slots=True)
class Stored:
    """The result of some lines."""

    count: ListCount = field(default_factory=ListCount)
    faults: LineFaults = field(default_factory=LineFaults)


class _Torn(Exception):
    """A fault was found inside a record that is already written."""

    def __init__(self, faults: LineFaults) -> None:
        self.faults = faults


class _LineTally(Tally):
    """A tally that also keeps which lines were written."""

    def __init__(self, list: str) -> None:
        super().__init__()
        self.list = list
        self.written: set[int] = set()

    def note(
        self, table: Table, new: Sequence[Any], changed: Sequence[Any], unchanged: int, all: Sequence[Entry]
    ) -> None:
        super().note(table, new, changed, unchanged, all)
        if table.path == self.list:
            self.written.update(entry.index for entry in all)


class _Lines:
    """Lines as the records of a list."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines

    def batches(self, list: str) -> Iterator[Sequence[tuple[int, str, int, dict[str, Any]]]]:
        yield [(number, path_of(number), -1, given) for number, given in self.lines]


class LineStore:
    """Stores lines of one list. References to records of the same list are kept in `postponed` until all are stored."""

    def __init__(self, db: Database, slug: str, table: Table, actor_id: str, seen: SeenLines) -> None:
        self.db = db
        self.slug = slug
        self.table = table
        self.actor_id = actor_id
        self.seen = seen
        self.postponed = Postponed(table)

    async def store(self, lines: Sequence[Line]) -> Stored:
        """Stores lines. Raises NotFound for an unknown workspace, and database errors that lines do not cause."""
        async with self.db.autocommit() as alone:
            await queries.analyze_if_outgrown(alone, self.table)
        return await self._settle(lines, self._write)

    async def store_postponed(self, lines: Sequence[Line]) -> Stored:
        """Stores the fields kept in `postponed`. Raises like `store`."""
        return await self._settle(lines, self._write_late)

    def close(self) -> None:
        self.postponed.close()

    async def _settle(self, lines: Sequence[Line], write: Write) -> Stored:
        """Retries after a conflict with another write; retries in halves if the database refuses a line.

        A line that it refuses on its own is faulty.
        """
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return await self._store(lines, write)
            except _REFUSED as error:
                if isinstance(error, _OVERTAKEN) and attempt < ATTEMPTS:
                    continue
                if len(lines) == 1:
                    return _refused(lines[0], error)
                break
        middle = len(lines) // 2
        first, second = await self._settle(lines[:middle], write), await self._settle(lines[middle:], write)
        return _together(first, second)

    async def _store(self, lines: Sequence[Line], write: Write) -> Stored:
        """Stores lines in one transaction. A line with a fault found after a part was written is left out."""
        faults = LineFaults()
        while lines:
            try:
                stored = await self._attempt(lines, write)
            except _Torn as torn:
                faults.absorb(torn.faults)
                lines = [line for line in lines if line[0] not in torn.faults.lines]
            else:
                stored.faults.absorb(faults)
                return stored
        return Stored(faults=faults)

    async def _attempt(self, lines: Sequence[Line], write: Write) -> Stored:
        faults, tally = LineFaults(), _LineTally(self.table.path)
        try:
            async with self.db.transaction() as tx:
                await self._lock(tx)
                run, store = await self._open(tx.later(), lines, faults, tally)
                await write(store, lines)
                if faults.lines & tally.written:
                    raise _Torn(faults)
                await add_to_counts(tx, run.workspace_id, tally.growth)
        except BaseException:
            self.seen.drop()
            raise
        self.seen.keep()
        self.postponed.keep(lines, store.ids.get(self.table.path, {}))
        return Stored(tally.of(self.table.path), faults)

    async def _lock(self, tx: Tx) -> None:
        """Allows one import of a kind at a time, and none while a file is applied: they would deadlock."""
        await tx.run(queries.SHARE_SLUG, slug=self.slug)
        await tx.run(queries.LOCK_LIST, slug=self.slug, list=self.table.path)
        for statement in queries.READ_BY_INDEX:
            await tx.run(statement)

    async def _open(self, tx: Tx, lines: Sequence[Line], faults: LineFaults, tally: Tally) -> tuple[Run, Store]:
        workspace = await find_workspace(tx, self.slug)
        lookups = Lookups(tx, workspace.id, all_tables())
        run = Run(tx, workspace.id, self.actor_id, False, faults, lookups, given=frozenset({self.table.path}))
        numbers = Numbers(self.db, tx, workspace.id, inside=self.db.pool.size < 2)
        largest = max((given.get("number") or 0 for _, given in lines), default=0)
        if self.table.numbered and largest:
            await numbers.raise_to(self.table.numbered, largest)
        return run, Store(run, _Lines(lines), self.seen, numbers, tally)

    async def _write(self, store: Store, lines: Sequence[Line]) -> None:
        await store.store_list(self.table.path)
        if not self.postponed.names:
            await store.store_late(self.table.path)

    async def _write_late(self, store: Store, lines: Sequence[Line]) -> None:
        store.ids[self.table.path] = {number: UUID(given["id"]) for number, given in lines}
        await store.store_late(self.table.path)
        store.ids.clear()


def _refused(line: Line, error: Exception) -> Stored:
    stored = Stored()
    detail = getattr(error, "detail", None)
    stored.faults.add(path_of(line[0]), f"The database refuses: {error}" + (f". {detail}" if detail else ""))
    return stored


def _together(one: Stored, other: Stored) -> Stored:
    for name in ListCount.__struct_fields__:
        setattr(one.count, name, getattr(one.count, name) + getattr(other.count, name))
    one.faults.absorb(other.faults)
    return one
