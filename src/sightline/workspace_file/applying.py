"""Applies a workspace file in one transaction, all or nothing, and reports every fault."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from typing import IO, Any, BinaryIO
from uuid import UUID

import msgspec
from asyncpg import IntegrityConstraintViolationError, LockNotAvailableError, TransactionRollbackError

from sightline.catalog.renames import follow_renames
from sightline.catalog.taxonomy.file import apply_taxonomy
from sightline.platform.db import Database, Tx, sql
from sightline.platform.errors import Fault, ValidationFailed
from sightline.platform.file_parts.entries import Entry, Faults, Run
from sightline.signals.insights.same_words import lock_statements
from sightline.workspace_file import queries
from sightline.workspace_file.documents import Item, Unreadable, read_items
from sightline.workspace_file.matching import Lookups
from sightline.workspace_file.parts import LISTS, PARTS, PRUNABLE, RULES, STORED, TABLES
from sightline.workspace_file.storing import NAMES, Store
from sightline.workspace_file.tally import Applied, ListCount, RecordChange, Tally
from sightline.workspace_file.values import check, convert, sound_part
from sightline.workspaces.bulk import RAISE, TAKE, Numbers, add_to_counts
from sightline.workspaces.file import open_workspace
from sightline.workspaces.tenants import LOCK_SLUG

_NUMBER_ROWS = "UPDATE {table} SET number = :before - number WHERE workspace_id = :workspace_id AND number < 0"
_NUMBER_CHANGES = sql("""
    UPDATE changes SET public_id = :prefix::text || (:before - substr(public_id, length(:prefix) + 1)::bigint)
     WHERE written = pg_current_xact_id() AND workspace_id = :workspace_id
       AND starts_with(public_id, :prefix || '-')""")

_LAST = sql("SELECT last FROM public_numbers WHERE workspace_id = :workspace_id AND kind = :kind FOR UPDATE")
_GIVE_BACK = sql("""
    UPDATE public_numbers SET last = :before
     WHERE workspace_id = :workspace_id AND kind = :kind AND last = :number""")
# What PostgreSQL checks at the end of a transaction, while numbers can be given back. It stops others for a moment.
_END = sql("SET CONSTRAINTS ALL IMMEDIATE")


class LateNumbers(Numbers):
    """Gives -1, -2, ... for a while, which no other transaction sees; `settle` replaces them.

    A refused file takes no number. If another request has taken a number that the file gives, one of the two starts
    again.
    """

    def __init__(self, db: Database, tx: Tx, workspace_id: UUID) -> None:
        super().__init__(db, tx, workspace_id, inside=False)
        self.counts: Counter[str] = Counter()
        self.raised: dict[str, tuple[int, int]] = {}

    async def take(self, kind: str, count: int) -> range:
        """Returns `count` numbers, in the order of the records that get them."""
        last = self.counts[kind]
        self.counts[kind] += count
        return range(-last - 1, -last - 1 - count, -1)

    async def raise_to(self, kind: str, number: int) -> None:
        """Raises the next number at once: a request that took a number of the file would wait for its end."""
        async with self.db.transaction() as alone:
            before = await alone.value(_LAST, workspace_id=self.workspace_id, kind=kind)
            before = before or await alone.value(TAKE, workspace_id=self.workspace_id, kind=kind, count=0)
            await alone.run(RAISE, workspace_id=self.workspace_id, kind=kind, number=number)
        if before < number:
            self.raised[kind] = before, number

    async def give_back(self) -> None:
        """Undoes `raise_to` if no request has taken a number since. The file's lock on its slug keeps imports away."""
        for kind, (before, number) in self.raised.items():
            async with self.db.autocommit() as alone:
                values = {"workspace_id": self.workspace_id, "kind": kind, "before": before, "number": number}
                await alone.run(_GIVE_BACK, **values)

    async def settle(self, tables: Mapping[str, str]) -> None:
        """Takes the numbers, and gives them to the rows and the trail."""
        for kind, count in self.counts.items():
            values = {"workspace_id": self.workspace_id, "before": (await super().take(kind, count))[0] - 1}
            await self.tx.run(sql(_NUMBER_ROWS, table=tables[kind]), **values)
            await self.tx.run(_NUMBER_CHANGES, **values, prefix=f"{kind.upper()}-")


_LINKED = {"accounts", "signals", "insights"}  # removing one changes several insights, as the end of a job does
_OTHERS = "t.id <> ALL(:kept::uuid[])"
_OF_OTHER_STUDIES = (
    "t.study_id IN (SELECT id FROM studies WHERE workspace_id = :workspace_id AND id <> ALL(:kept::uuid[]))"
)


def check_prune(run: Run, prune: Sequence[str]) -> None:
    """Adds a fault for each list that cannot be pruned. Only lists in the file can be."""
    for index, name in enumerate(prune):
        path = f"prune[{index}]"
        if name not in PRUNABLE:
            run.faults.add(path, f"{name!r} is no list that can be pruned")
        elif name.partition(".")[0] not in run.given:
            run.faults.add(path, f"The file does not give {name}; an empty list would remove everything")


async def prune_list(run: Run, name: str, store: Store) -> None:
    """Removes and counts the records of a list that the file does not name."""
    if name not in run.pruned or name not in PRUNABLE or name == "ideaStatuses" or run.faults.count:
        return
    table, kept = TABLES[name], list(run.seen[name])
    if name == "studies":  # so that their feedback is counted and logged
        feedback = TABLES["feedback"]
        store.tally.remove(feedback, await queries.remove_where(run, feedback, _OF_OTHER_STUDIES, kept=kept))
    store.tally.remove(table, await queries.remove_where(run, table, _OTHERS, kept=kept))
    store.lookup.forget(name)


ATTEMPTS = 3
BATCH_RECORDS = 1_000
BATCH_CHARACTERS = 4 * 1024 * 1024
_OVERTAKEN = (IntegrityConstraintViolationError, LockNotAvailableError, TransactionRollbackError)


class FileRefused(ValidationFailed):
    """Nothing was applied. `faults`: the first hundred, each with its path; `more`: how many others there are."""

    def __init__(self, faults: Sequence[Fault], more: int = 0) -> None:
        super().__init__(list(faults), more=more)
        self.faults = list(faults)
        self.more = more


class FileUnreadable(FileRefused):
    """The file is not JSON or YAML, or does not have the shape of a workspace file."""


class _OnlyTried(Exception):
    """Rolls back what a dry run has stored."""


@dataclass
class Content:
    """A file whose values were checked. `largest`: by list the largest number that a record gives.

    `spools`: by list a temporary file with its records, a line for each, so that they are stored in another order.
    """

    files: ExitStack
    faults: Faults = field(default_factory=Faults)
    spools: dict[str, IO[bytes]] = field(default_factory=dict)
    objects: dict[str, Any] = field(default_factory=dict)
    prune: list[str] = field(default_factory=list)
    given: set[str] = field(default_factory=set)
    largest: dict[str, int] = field(default_factory=dict)
    faulty_records: set[tuple[str, str]] = field(default_factory=set)

    def read(self, source: BinaryIO, *, prunes: bool) -> None:
        """Checks the whole file. Adds every fault. Raises FileUnreadable. `prunes`: every list is pruned."""
        try:
            for item in read_items(source, LISTS):
                if item.list and item.place >= 0:
                    self._keep(item, item.list)
                elif item.list:
                    self.given.add(item.list)
                    spool = TemporaryFile(prefix="sightline-")  # noqa: SIM115 - closed with `files`
                    self.spools[item.list] = self.files.enter_context(spool)
                else:
                    self._check_object(item.path, item.value)
        except Unreadable as error:
            self.faults.add(error.path, str(error))
            raise FileUnreadable(self.faults.shown, self.faults.count - len(self.faults.shown)) from None
        if prunes:
            self.prune += sorted(name for name in PRUNABLE if name.partition(".")[0] in self.given)

    def _keep(self, item: Item, name: str) -> None:
        """Keeps a record; of one with a fault its other fields, so that these are checked."""
        given, kind = item.value, LISTS[name].record
        is_sound = check(given, kind, item.path, self.faults) is not None
        if is_sound:
            self.largest[name] = max(self.largest.get(name, 0), given.get("number") or 0)
        elif isinstance(given, dict):
            names = [given.get(one) for one in NAMES]
            self.faulty_records.update((name, one) for one in names if isinstance(one, str))
            given = sound_part(given, kind)
        if isinstance(given, dict):
            self.spools[name].write(msgspec.json.encode((item.place, is_sound, given)) + b"\n")

    def _check_object(self, name: str, value: Any) -> None:
        if name in LISTS:
            if value is not None:
                self.faults.add(name, "Expected a list")
        elif name == "prune":
            self.prune = check(value, list[str] | None, name, self.faults) or []
        elif name in PARTS:
            if check(value, PARTS[name], name, self.faults) is None:
                self.faulty_records.add((name, ""))
                value = sound_part(value, PARTS[name]) if name == "workspace" and isinstance(value, dict) else None
            if value is not None:
                self.objects[name] = value
        elif name != "$schema":
            self.faults.add(name, "Unknown field")

    def batches(self, name: str) -> Iterator[list[Entry]]:
        """Yields the records. One with a fault is broken and partial."""
        size, batch = 0, list[Entry]()
        if spool := self.spools.get(name):
            spool.seek(0)
        for line in spool or ():
            place, is_sound, given = msgspec.json.decode(line)
            entry = Entry(f"{name}[{place}]", given, convert(given, LISTS[name].record))
            entry.broken = entry.is_partial = not is_sound
            batch.append(entry)
            size += len(line)
            if len(batch) >= BATCH_RECORDS or size >= BATCH_CHARACTERS:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch


async def apply_file(
    db: Database,
    source: BinaryIO,
    *,
    actor_id: str,
    report: Callable[[RecordChange], object] | None = None,
    dry_run: bool = False,
    prune: bool = False,
) -> Applied:
    """Creates or updates the workspace that the file describes. Raises FileRefused, and then changes nothing.

    Raises FileUnreadable for a file that cannot be read to its end. `report` is called with each change; a `dry_run`
    stores nothing; `prune` removes the records that the lists of the file do not name. The records are kept in
    temporary files, so it may be a pipe. Uses two connections if it has them.
    """
    with ExitStack() as files:
        content = Content(files)
        await asyncio.to_thread(content.read, source, prunes=prune)
        if "slug" not in content.objects.get("workspace", {}):
            if not content.faults.count:
                content.faults.add("workspace", "Required")
            _refuse_faulty(content.faults)
        for attempt in range(1, ATTEMPTS + 1):
            trial = _Application(db, content, actor_id, Tally(keeps_changes=report is not None), attempt)
            try:
                applied = await trial.run(dry_run)
            except _OVERTAKEN as error:
                if attempt == ATTEMPTS and not trial.faults.count:
                    trial.faults.add("", f"The database refuses: {reason_of(error)}")
                _refuse_faulty(trial.faults)
                continue
            if not dry_run:
                await follow_renames(db)
            if report is not None:
                for change in trial.tally.changes or ():
                    report(change)
            return applied
    raise AssertionError("unreachable")


def _refuse_faulty(faults: Faults) -> None:
    if faults.count:
        raise FileRefused(faults.shown, faults.count - len(faults.shown))


def reason_of(error: Exception) -> str:
    """Returns the database's words."""
    detail = getattr(error, "detail", None)
    return f"{error}. {detail}" if detail else str(error)


@dataclass
class _Application:
    """One attempt, in one transaction."""

    db: Database
    content: Content
    actor_id: str
    tally: Tally
    attempt: int

    def __post_init__(self) -> None:
        self.faults = deepcopy(self.content.faults)

    async def run(self, dry_run: bool) -> Applied:
        with suppress(_OnlyTried):
            async with self.db.transaction() as self.tx:
                applied = await self._apply(dry_run)
                if dry_run:
                    raise _OnlyTried
        return applied

    async def _apply(self, dry_run: bool) -> Applied:
        content, slug = self.content, self.content.objects["workspace"]["slug"]
        await self.tx.run(LOCK_SLUG, slug=slug)
        workspace_id, is_new = await open_workspace(self.tx, content.objects["workspace"], self.faults)
        if any(fault.path == "workspace.id" for fault in self.faults.shown):
            _refuse_faulty(self.faults)  # otherwise the rest would be compared with records of another workspace
        run = Run(
            self.tx,
            workspace_id,
            self.actor_id,
            is_new,
            self.faults,
            pruned=frozenset(content.prune),
            given=frozenset(content.given) | content.objects.keys(),
            faulty_records=set(content.faulty_records),
            locks=self.attempt > 1,
        )
        check_prune(run, content.prune)
        if run.pruned & _LINKED:
            await lock_statements(self.tx, run.workspace_id)
        numbers = await self._numbers(run, dry_run)
        try:
            await self._store(run, Store(run, Lookups(self.tx, workspace_id), numbers, self.tally), dry_run)
            _refuse_faulty(self.faults)
            for path, names in run.removed.items():
                self.tally.remove(TABLES[path], names)
            await add_to_counts(self.tx, run.workspace_id, self.tally.growth)
            await self.tx.run(_END)
        except (FileRefused, *_OVERTAKEN):
            await numbers.give_back()
            raise
        return Applied(run.workspace_id, slug, run.is_new, self.tally.counts, self.tally.ids)

    async def _store(self, run: Run, store: Store, dry_run: bool) -> None:
        async with AsyncExitStack() as rules:
            for name in STORED:
                if rule := RULES.get(name):
                    await rules.enter_async_context(asynccontextmanager(rule)(run))
                await self._apply_named(run, store, name)
            await store.store_late()
            if not dry_run and not self.faults.count:  # before the rules end, which may stop others for a moment
                await store.numbers.settle({table.kind: table.name for table in LISTS.values() if table.numbered})

    async def _numbers(self, run: Run, dry_run: bool) -> Numbers:
        if run.is_new or self.db.pool.size < 2:
            numbers = Numbers(self.db, self.tx, run.workspace_id, inside=True)
        else:
            numbers = LateNumbers(self.db, self.tx, run.workspace_id)
        is_kept = not dry_run and not self.faults.count
        for name, number in self.content.largest.items():
            if is_kept and number and LISTS[name].numbered:
                await numbers.raise_to(LISTS[name].kind, number)
        return numbers

    async def _apply_named(self, run: Run, store: Store, name: str) -> None:
        given = self.content.objects.get(name)
        if name == "taxonomy" and given is not None:
            outcome = await apply_taxonomy(run, given)
            self.tally.counts[name] = ListCount(int(outcome is True), int(outcome is False), int(outcome is None))
        elif given is not None:
            table = TABLES[name]
            entry = Entry(name, given, convert(given, table.record))
            entry.is_partial = (name, "") in run.faulty_records
            await store.store(table, [entry])
        if name in LISTS:
            table = LISTS[name]
            for batch in self.content.batches(name):
                await store.store(table, batch)
                await queries.analyze_if_outgrown(self.tx, table)
            await prune_list(run, name, store)
