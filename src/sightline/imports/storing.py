"""Stores the valid lines of a batch in one transaction; faulty lines do not prevent it."""

from collections import ChainMap
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import asyncpg

from sightline.catalog.renames import follow_renames
from sightline.imports.customers import NamedAccounts, UnknownAccounts, lock_new_voters, store_votes
from sightline.imports.lines import line_fault, path_of
from sightline.imports.merged import Identity, batches, identity, known_aliases, parts_of
from sightline.imports.reading import Batch, Line
from sightline.imports.report import Imported
from sightline.platform.db import Database, Tx, sql
from sightline.platform.file_parts.entries import NOWHERE, Entry, Faults, Run, sound
from sightline.platform.file_parts.tables import Table
from sightline.workspace_file import queries
from sightline.workspace_file.applying import ATTEMPTS, BATCH_RECORDS, LateNumbers, reason_of
from sightline.workspace_file.matching import Lookups
from sightline.workspace_file.storing import Store
from sightline.workspace_file.tally import Tally
from sightline.workspaces.bulk import Numbers, add_to_counts
from sightline.workspaces.tenants import SHARE_SLUG, find_workspace

_OVERTAKEN = (asyncpg.IntegrityConstraintViolationError, asyncpg.TransactionRollbackError)
_REFUSED = (*_OVERTAKEN, asyncpg.DataError, asyncpg.ProgramLimitExceededError, asyncpg.RaiseError)

_LOCK_LIST = sql("SELECT pg_advisory_xact_lock(hashtextextended('sightline import ' || :slug || ' ' || :list, 0))")


class _RolledBack(Exception):
    """Rolls back a transaction in which lines are faulty, which is tried again without these; and every dry run."""


class _Numbers(Numbers):
    """Numbers of an import. `spare` were taken by attempts that were rolled back; the next attempt gives them."""

    def __init__(self, db: Database, tx: Tx, workspace_id: UUID, spare: list[int]) -> None:
        super().__init__(db, tx, workspace_id, inside=False)
        self.spare = spare
        self.given = 0

    async def take(self, kind: str, count: int) -> Sequence[int]:
        first, self.given = self.given, self.given + count
        if len(self.spare) < self.given:
            self.spare += await super().take(kind, self.given - len(self.spare))
        return self.spare[first : self.given]


@dataclass
class LineStore:
    """Stores lines of one list. References to records of the same list are kept until all are stored.

    `dry_run`: rolls back each batch, and keeps the names of records that others may name at the end.
    """

    db: Database
    slug: str
    table: Table
    actor_id: str
    unknown_accounts: UnknownAccounts
    dry_run: bool
    done: Imported
    workspace_id: UUID = NOWHERE
    accounts_created: set[str] = field(default_factory=set)
    accounts_namesakes: set[str] = field(default_factory=set)
    accounts_left_out: set[str] = field(default_factory=set)
    _seen: dict[UUID, str] = field(default_factory=dict)
    _late: list[Line] = field(default_factory=list)
    _locks: bool = False
    _spare: list[int] = field(default_factory=list)  # numbers
    _coming: dict[str, Any] = field(default_factory=dict)  # names of records that a dry run has not stored

    async def store(self, batch: Batch) -> None:
        """Stores a batch, counts its records, and adds the faults that it finds.

        Raises NotFound for an unknown workspace, and database errors that lines do not cause.
        """
        async with self.db.autocommit() as alone:
            await queries.analyze_if_outgrown(alone, self.table)
        await self._settle(batch, batch.lines)

    async def with_aliases(self, lines: list[Line]) -> list[Line]:
        """Returns lines of ideas, of which those of a post merged before stay merged, as its identity is an alias."""
        if self.table.path != "ideas":
            return lines
        async with self.db.autocommit() as tx:
            aliases = await known_aliases(tx, self.workspace_id, lines)
        return [line._replace(merged_into=identity(line)[1]) if identity(line) in aliases else line for line in lines]

    async def store_postponed(self, posts: Sequence[Line], coming: Mapping[Identity, set[str]]) -> AsyncIterator[Batch]:
        """Stores what was kept, then merged posts as evidence of ideas, with their voters. Yields each batch.

        `coming`: the ideas that a dry run would have stored by then.
        """
        for start in range(0, len(self._late), BATCH_RECORDS):
            batch = Batch()
            await self._settle(batch, self._late[start : start + BATCH_RECORDS])
            yield batch
        for lines in batches(posts):
            async with self.db.autocommit() as tx:
                batch = await parts_of(tx, self.workspace_id, lines, coming)
            self._seen = {}
            await self._settle(batch, batch.lines)
            self.done.merged += sum(line.number not in batch.faulty for line in lines)
            yield batch

    async def _settle(self, batch: Batch, lines: Sequence[Line]) -> None:
        """Retries after a conflict with another write; retries in halves if the database refuses a line.

        A line that it refuses on its own is faulty.
        """
        attempt = 1
        while left := [line for line in lines if line.number not in batch.faulty]:
            try:
                self._locks = attempt > 1
                if await self._attempt(batch, left):
                    return
            except _REFUSED as error:
                if isinstance(error, _OVERTAKEN) and attempt < ATTEMPTS:
                    attempt += 1
                elif len(left) == 1:
                    batch.faults.add(path_of(left[0].number), f"The database refuses: {reason_of(error)}")
                    batch.refuse([left[0].number])
                else:
                    await self._settle(batch, left[: len(left) // 2])
                    return await self._settle(batch, left[len(left) // 2 :])

    async def _attempt(self, batch: Batch, lines: Sequence[Line]) -> bool:
        """Stores the lines if none is faulty, and counts them. Returns whether it did, or would, of a dry run."""
        faults, tally = Faults(10 * len(lines) + 1_000), Tally()
        seen: ChainMap[UUID, str] = ChainMap({}, self._seen)
        with suppress(_RolledBack):
            async with self.db.transaction() as tx:
                store, accounts = await self._store_lines(tx, lines, faults, tally, seen)
                if faults.count or self.dry_run:
                    raise _RolledBack
                await add_to_counts(tx, store.run.workspace_id, tally.growth)
        if faults.count:
            batch.refuse(line_fault(fault).line for fault in faults.shown)
            for fault in faults.shown:
                batch.faults.add(fault.path, fault.message)
            return False
        if isinstance(store.numbers, _Numbers):
            del self._spare[: store.numbers.given]
        if not self.dry_run and tally.of("accounts").changed:
            await follow_renames(self.db)
        self._seen.update(seen.maps[0])
        self._late += [Line(int(one.path.removeprefix("line ")), one.given, None, late=one) for one in store.late]
        self.accounts_created |= accounts.created
        self.accounts_namesakes |= accounts.namesakes
        self.accounts_left_out |= accounts.left_out
        self._count(tally, adds=not lines[0].merged_into)
        return True

    def _count(self, tally: Tally, *, adds: bool) -> None:
        done, count = self.done, tally.of(self.table.path)
        done.accounts_added, done.accounts_left_out = len(self.accounts_created), len(self.accounts_left_out)
        done.accounts_namesakes = len(self.accounts_namesakes)
        done.votes_added += tally.of("portal.votes").added
        if adds:
            done.added += count.added
            done.changed += count.changed + len(tally.changed_in_parts)
            done.unchanged += count.unchanged - len(tally.changed_in_parts)

    async def _store_lines(
        self, tx: Tx, lines: Sequence[Line], faults: Faults, tally: Tally, seen: Any
    ) -> tuple[Store, NamedAccounts]:
        """Stores the lines, or what belongs to lines that were kept."""
        accounts = NamedAccounts(self.table, self.unknown_accounts)
        await tx.run(SHARE_SLUG, slug=self.slug)
        await tx.run(_LOCK_LIST, slug=self.slug, list=self.table.path)
        if accounts.how == "create":
            await tx.run(_LOCK_LIST, slug=self.slug, list="accounts")
        store = await self._open(tx.later(), lines, faults, tally)
        store.run.seen[self.table.path] = seen
        if lines[0].late:
            store.late = [line.late for line in lines if line.late]
            await store.store_late(reads_only=self.dry_run)
            return store, accounts
        await lock_new_voters(store.run, lines)
        lines = await accounts.settle(store, lines)
        entries = [Entry(path_of(line.number), line.given, line.record) for line in lines]
        await store.store(self.table, entries)
        stored = [(line, entry) for line, entry in zip(lines, entries, strict=True) if not entry.broken]
        await store_votes(store, {entry.id: (line.number, line.voters) for line, entry in stored})
        if not any(one.is_late for one in self.table.fields):
            await store.store_late()
        elif self.dry_run:
            store.lookup.keep(self.table, sound(entries))
        return store, accounts

    async def _open(self, tx: Tx, lines: Sequence[Line], faults: Faults, tally: Tally) -> Store:
        """One import of a kind runs at a time, and none while a file is applied: they would deadlock."""
        id, path = (await find_workspace(tx, self.slug)).id, self.table.path
        lookups = Lookups(tx, id)
        lookups.coming[path] = self._coming
        run = Run(tx, id, self.actor_id, False, faults, given=frozenset({path}), is_import=True, locks=self._locks)
        if self.dry_run:
            numbers: Numbers = LateNumbers(self.db, tx, id)  # takes none
        elif self.db.pool.size < 2:
            numbers = Numbers(self.db, tx, id, inside=True)
        else:
            numbers = _Numbers(self.db, tx, id, self._spare)
        if largest := max((line.given.get("number") or 0 for line in lines), default=0):
            self._spare.clear()  # the lines may have these numbers
            if self.table.numbered and not self.dry_run:
                await numbers.raise_to(self.table.kind, largest)
        return Store(run, lookups, numbers, tally)
