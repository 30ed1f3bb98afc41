"""Applies a workspace file in one transaction, all or nothing, and reports every fault."""

import asyncio
from collections.abc import Sequence
from typing import Any, BinaryIO

import asyncpg

from sightline.platform.db import Database, Tx
from sightline.platform.errors import Fault, ValidationFailed
from sightline.platform.file_section import Faults, Run
from sightline.workspace_file import queries
from sightline.workspace_file.late_numbers import LateNumbers
from sightline.workspace_file.lookups import Lookups
from sightline.workspace_file.pruning import check_prune, prune_list
from sightline.workspace_file.sections import SECTIONS, STORED, all_tables, lists, parts
from sightline.workspace_file.seen import SeenInDatabase
from sightline.workspace_file.spool import Spool
from sightline.workspace_file.storing import Store
from sightline.workspace_file.tally import Applied, ListCount, Tally
from sightline.workspaces.bulk import Numbers, add_to_counts
from sightline.workspaces.file import open_workspace

ATTEMPTS = 3
_OVERTAKEN = (
    asyncpg.UniqueViolationError,
    asyncpg.ForeignKeyViolationError,
    asyncpg.CheckViolationError,
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
)


class FileRefused(ValidationFailed):
    """Nothing was applied. `faults`: the first hundred, each with its path; `more`: how many others there are."""

    def __init__(self, faults: Sequence[Fault], more: int = 0) -> None:
        super().__init__(list(faults), more=more)
        self.faults = list(faults)
        self.more = more


class FileUnreadable(FileRefused):
    """The file is not JSON or YAML, or does not have the shape of a workspace file."""


async def apply_file(db: Database, source: BinaryIO, *, actor_id: str) -> Applied:
    """Creates or updates the workspace that the file describes. Raises FileRefused, and then changes nothing.

    Raises FileUnreadable for a file that cannot be read to its end.
    Uses two connections of the pool if it has them. The file is read once and need not be seekable.
    """
    faults = Faults()
    spool = Spool(lists(), parts(), faults)
    try:
        if not await asyncio.to_thread(spool.read, source):
            raise FileUnreadable(faults.shown, faults.count - len(faults.shown))
        if "workspace" not in spool.parts:
            _refuse(faults, Fault("workspace", "Required") if not faults.count else None)
        return await _apply_with_retries(db, spool, actor_id)
    finally:
        spool.close()


def _refuse(faults: Faults, fault: Fault | None = None) -> None:
    if fault is not None:
        faults.add(fault.path, fault.message)
    if faults.count:
        raise FileRefused(faults.shown, faults.count - len(faults.shown))


async def _apply_with_retries(db: Database, spool: Spool, actor_id: str) -> Applied:
    """Retries after a conflict with another write. The third conflict raises FileRefused with the database's reason."""
    for attempt in range(1, ATTEMPTS + 1):
        faults = _copy(spool.faults)
        try:
            async with db.transaction() as tx:
                return await _Application(db, tx, spool, faults, actor_id).apply()
        except _OVERTAKEN as error:
            if attempt == ATTEMPTS or faults.count:
                _refuse(faults, None if faults.count else Fault("", f"The database refuses: {_reason(error)}"))
                raise
    raise AssertionError("unreachable")


def _reason(error: Exception) -> str:
    detail = getattr(error, "detail", None)
    return f"{error}. {detail}" if detail else str(error)


def _copy(faults: Faults) -> Faults:
    copy = Faults()
    copy.shown, copy.count = list(faults.shown), faults.count
    return copy


class _Application:
    """One attempt, in one transaction."""

    def __init__(self, db: Database, tx: Tx, spool: Spool, faults: Faults, actor_id: str) -> None:
        self.db = db
        self.tx = tx
        self.spool = spool
        self.faults = faults
        self.actor_id = actor_id
        self.tally = Tally()

    async def apply(self) -> Applied:
        slug = self.spool.parts["workspace"]["slug"]
        await self.tx.run(queries.LOCK_SLUG, slug=slug)
        for statement in queries.PREPARE:
            await self.tx.run(statement)
        run, numbers = await self._open()
        if any(fault.path == "workspace.id" for fault in self.faults.shown):
            _refuse(self.faults)  # otherwise the rest would be compared with records of another workspace
        store = Store(run, self.spool, SeenInDatabase(self.tx), numbers, self.tally)
        check_prune(run, self.spool.prune)
        await self._apply_named(run, store, "workspace")
        for section in SECTIONS:
            if section.begin:
                await section.begin(run)
        for name in STORED[1:]:
            await self._apply_named(run, store, name)
        for name in STORED:
            await store.store_late(name)
        for section in SECTIONS:
            if section.end:
                await section.end(run)
        _refuse(self.faults)
        await numbers.settle({table.numbered: table.name for table in lists().values() if table.numbered})
        for path, count in run.removed.items():
            self.tally.of(path).removed += count
        await add_to_counts(self.tx, run.workspace_id, self.tally.growth)
        return Applied(run.workspace_id, slug, run.is_new, self.tally.counts, self.tally.ids)

    async def _open(self) -> tuple[Run, Numbers]:
        given = self.spool.parts["workspace"]
        workspace_id, is_new = await open_workspace(self.tx, given, self.faults)
        lookups = Lookups(self.tx, workspace_id, all_tables())
        run = Run(
            self.tx,
            workspace_id,
            self.actor_id,
            is_new,
            self.faults,
            lookups,
            pruned=frozenset(self.spool.prune),
            given=self.spool.given | frozenset(self.spool.parts),
            faulty_records=set(self.spool.faulty_records),
            faulty_parts=set(self.spool.faulty_parts),
        )
        if is_new or self.db.pool.size < 2:
            numbers = Numbers(self.db, self.tx, workspace_id, inside=True)
        else:
            numbers = LateNumbers(self.db, self.tx, workspace_id)
        for name, table in lists().items():
            if table.numbered and (largest := self.spool.largest_number(name)):
                await numbers.raise_to(table.numbered, largest)
        return run, numbers

    async def _apply_named(self, run: Run, store: Store, name: str) -> None:
        for section in SECTIONS:
            if name in section.before:
                await section.before[name](run)
        if name in self.spool.parts:
            self._count_part(name, await parts()[name].apply(run, self.spool.parts[name]))
        if name in lists():
            await store.store_list(name)
            await prune_list(run, name, self.tally)

    def _count_part(self, name: str, outcome: Any) -> None:
        added, changed = outcome is True, outcome is False
        self.tally.counts[name] = ListCount(int(added), int(changed), int(outcome is None))
