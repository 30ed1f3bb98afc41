"""Lines of an import in transactions: the sound ones of a batch in one, whatever stands in the others."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import asyncpg

from sightline.platform.db import Database, Tx
from sightline.platform.file_section import Entry, Run, Table
from sightline.workspace_file import queries
from sightline.workspace_file.line_faults import LineFaults, path_of
from sightline.workspace_file.postponed import Postponed
from sightline.workspace_file.queries_lookups import Lookups
from sightline.workspace_file.reading import Line
from sightline.workspace_file.sections import all_tables
from sightline.workspace_file.seen_lines import SeenLines
from sightline.workspace_file.storing import Store
from sightline.workspace_file.tally import ListCount, Tally
from sightline.workspaces.bulk import Numbers, add_to_counts
from sightline.workspaces.tenants import find_workspace

ATTEMPTS = 3
_MET_OTHERS = (asyncpg.IntegrityConstraintViolationError, asyncpg.TransactionRollbackError)
_REFUSED = (*_MET_OTHERS, asyncpg.DataError, asyncpg.ProgramLimitExceededError, asyncpg.RaiseError)

Write = Callable[[Store, Sequence[Line]], Awaitable[None]]


@dataclass(slots=True)
class Stored:
    """What became of some lines."""

    count: ListCount = field(default_factory=ListCount)
    faults: LineFaults = field(default_factory=LineFaults)


class _Torn(Exception):
    """A record was written, and then something inside of it was found to be wrong."""

    def __init__(self, faults: LineFaults) -> None:
        self.faults = faults


class _LineTally(Tally):
    """Notes which lines were written."""

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
    """Stores lines of one list. What names records of the same list waits in `postponed` until all are there."""

    def __init__(self, db: Database, slug: str, table: Table, actor_id: str, seen: SeenLines) -> None:
        self.db = db
        self.slug = slug
        self.table = table
        self.actor_id = actor_id
        self.seen = seen
        self.postponed = Postponed(table)

    async def store(self, lines: Sequence[Line]) -> Stored:
        """Raises NotFound when there is no such workspace, and what the database says when it is not the lines."""
        async with self.db.read() as alone:
            await queries.keep_figures(alone, self.table)
        return await self._settle(lines, self._write)

    async def store_postponed(self, lines: Sequence[Line]) -> Stored:
        """Likewise, of what `postponed` kept."""
        return await self._settle(lines, self._write_late)

    def close(self) -> None:
        self.postponed.close()

    async def _settle(self, lines: Sequence[Line], write: Write) -> Stored:
        """Once more where somebody else's write came between; in halves where a line is more than the database takes.

        A line that it refuses alone is faulty.
        """
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return await self._store(lines, write)
            except _REFUSED as error:
                if isinstance(error, _MET_OTHERS) and attempt < ATTEMPTS:
                    continue
                if len(lines) == 1:
                    return _refused(lines[0], error)
                break
        middle = len(lines) // 2
        first, second = await self._settle(lines[:middle], write), await self._settle(lines[middle:], write)
        return _together(first, second)

    async def _store(self, lines: Sequence[Line], write: Write) -> Stored:
        """In one transaction, and without those lines that turned out to be faulty when they were half written."""
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
            async with self.db.write() as tx:
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
        """One import of a kind at a time, and none while the workspace is applied: they would meet at every line."""
        await tx.run(queries.SHARE_SLUG, self.slug)
        await tx.run(queries.LOCK_LIST, self.slug, self.table.path)
        for statement in queries.BY_INDEX:
            await tx.run(statement)

    async def _open(self, tx: Tx, lines: Sequence[Line], faults: LineFaults, tally: Tally) -> tuple[Run, Store]:
        workspace = await find_workspace(tx, self.slug)
        lookups = Lookups(tx, workspace.id, all_tables())
        run = Run(tx, workspace.id, self.actor_id, False, faults, lookups, given=frozenset({self.table.path}))
        run.notes |= {"excused": set(), "faulty": set(), "growth": {}, "removed": {}}
        numbers = Numbers(self.db, tx, workspace.id, inside=self.db.pool.get_max_size() < 2)
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
