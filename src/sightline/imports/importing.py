"""Bulk import of one list in batches: valid lines are stored, faults of others are reported by line.

An interrupted import can be run again: stored records count as unchanged.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import Future
from contextlib import aclosing
from dataclasses import dataclass
from shlex import quote
from threading import Thread
from time import monotonic
from typing import Any
from uuid import UUID

from sightline.imports.csv_rows import CsvRows
from sightline.imports.customers import UnknownAccounts
from sightline.imports.lines import line_fault
from sightline.imports.merged import Identity, identity
from sightline.imports.reading import DEFAULT_SOURCE, Batch, Line, ListReader
from sightline.imports.report import FaultKind, Imported, Rejects, add_kinds, add_samples
from sightline.imports.storing import LineStore
from sightline.imports.united import Text
from sightline.platform.db import Database, Row, Tx, sql
from sightline.platform.errors import MOST_FAULTS
from sightline.platform.file_parts.tables import Table
from sightline.workspaces.tenants import find_workspace

CHECKED_LINES = 10_000


@dataclass
class Import:
    """One import. `reached`: the number of the last line that was processed.

    `unknown_accounts`: what happens to lines that name accounts which do not exist. `dry_run`: stores nothing, and
    collects `fields`. `rejects`: is called with the text of each refused line and its reasons.
    `warn` is called with a sentence if the import would add records that exist from another source.
    """

    db: Database
    slug: str
    reader: ListReader
    actor_id: str
    warn: Callable[[str], object] = lambda warning: None
    unknown_accounts: UnknownAccounts = "refuse"
    dry_run: bool = False
    rejects: Callable[[str], object] | None = None
    fault_count: int = 0
    reached: int = 0

    def __post_init__(self) -> None:
        self.done = Imported(self.reader.table.path)
        self.fault_kinds: dict[str, FaultKind] = {}
        self._store = LineStore(
            self.db, self.slug, self.reader.table, self.actor_id, self.unknown_accounts, self.dry_run, self.done
        )
        self._rejects = Rejects(self.reader, self.rejects) if self.rejects else None
        self._merged: list[Line] = []
        self._kept_texts: dict[int, Text] = {}  # of lines that are kept for the end
        self._coming: dict[Identity, set[str]] = {}  # ideas that a dry run has not stored, with their voters
        self._unchecked = CHECKED_LINES if self.reader.has_default_source else 0

    async def run(self, stop: asyncio.Event, on_batch: Callable[[Batch], None] = lambda batch: None) -> Imported:
        """Imports the file. Stops between two batches if `stop` is set.

        Raises NotFound for an unknown workspace, ValidationFailed for CSV that does not start with names of fields, and
        the errors of the database. Batches before that stay stored.
        """
        begin = monotonic()
        async with self.db.autocommit() as tx:
            self._store.workspace_id = (await find_workspace(tx, self.slug)).id
        try:
            await self._go_through(stop, on_batch)
        finally:
            self._describe()
            self.done.seconds = round(monotonic() - begin, 3)
        return self.done

    def _describe(self) -> None:
        """Says how the file was read."""
        done, rows = self.done, self.reader.rows
        done.file = self.reader.member
        if isinstance(rows, CsvRows):
            done.encoding, done.delimiter, done.header_line = self.reader.encoding, rows.delimiter, rows.head_line
            if rows.head:
                done.ignored_columns, done.known_by = rows.head.left_out, rows.head.known_by
                done.missing_columns, done.dates_without_zone = rows.head.missing, rows.head.without_zone
        elif rows is not None:
            done.ignored_columns, done.missing_columns = rows.left_out, rows.missing
            done.dates_without_zone = rows.headers.without_zone

    async def _go_through(self, stop: asyncio.Event, on_batch: Callable[[Batch], None]) -> None:
        async with aclosing(_read_ahead(self.reader, stop)) as batches:
            async for batch in batches:
                await self._warn_of_other_source(batch)
                batch.lines = await self._store.with_aliases(batch.lines)
                self._keep(batch)
                await self._store.store(batch)
                self._count(batch)
                on_batch(batch)
        if not stop.is_set():
            async for batch in self._store.store_postponed(self._merged, self._coming):
                batch.texts = self._kept_texts
                self._count(batch)

    def _keep(self, batch: Batch) -> None:
        """Keeps the posts that were merged into others until these are stored, and the texts of what is merged."""
        for line in batch.lines:
            if line.merged_into or line.given.get("mergedInto"):
                numbers = {line.number, *line.further} & batch.texts.keys()
                self._kept_texts |= {number: batch.texts[number] for number in numbers}
        self._merged += [line for line in batch.lines if line.merged_into]
        batch.lines = [line for line in batch.lines if not line.merged_into]

    async def _warn_of_other_source(self, batch: Batch) -> None:
        """Warns once, if a batch at the start of the file has such lines: later ones are of the same source."""
        of_own = (line.given for line in batch.lines)
        ids = {one["externalId"] for one in of_own if one.get("sourceKey") == DEFAULT_SOURCE}
        if self._unchecked <= 0 or not ids:
            return
        self._unchecked -= batch.count
        table, own = self.reader.table, DEFAULT_SOURCE
        async with self.db.autocommit() as tx:
            found = await _find_other_source(tx, table, self._store.workspace_id, own=own, ids=list(ids))
        if found:
            self._unchecked = 0
            there = f"are there with the sourceKey {found['key']!r} and are added again with {DEFAULT_SOURCE!r}"
            way = f"to update those, run it with --source-key {quote(found['key'])}"
            self.warn(f"{found['lines']} of the first {batch.count} {table.path} {there}: {way}.")

    def _count(self, batch: Batch) -> None:
        found = sorted(map(line_fault, batch.faults.shown), key=lambda fault: fault.line)
        add_kinds(self.fault_kinds, found)
        if self._rejects:
            self._rejects.add(batch)
        for line in batch.lines if self.dry_run else ():
            if line.number not in batch.faulty:
                self._coming.setdefault(identity(line), set()).update(line.voters)
            given = {n: line.given[n] for n in ("evidence", "aliases")} if line.merged_into else line.given
            add_samples(self.done.fields, given | {"voters": line.voters})
        self.done.faults += found[: MOST_FAULTS - len(self.done.faults)]
        self.fault_count += batch.faults.count
        self.done.lines += batch.count
        self.done.faulty += len(batch.faulty)
        self.done.left_out += batch.left_out
        self.done.united += sum(len(line.further) for line in batch.lines if line.number not in batch.faulty)
        self.reached = batch.last or self.reached


# One look-up in the index for each of at most ten sources, however many records they have.
_OTHER_SOURCE = """
    WITH RECURSIVE source AS (
        (SELECT min(source_key) AS key FROM {table} WHERE workspace_id = :workspace_id AND source_key IS NOT NULL)
        UNION ALL
        SELECT (SELECT min(source_key) FROM {table} WHERE workspace_id = :workspace_id AND source_key > source.key)
          FROM source WHERE source.key IS NOT NULL),
    other AS (SELECT key FROM source WHERE key <> :own LIMIT 10)
    SELECT other.key, count(*) AS lines FROM other CROSS JOIN unnest(:ids::text[]) AS line (id)
      JOIN {table} AS t ON t.workspace_id = :workspace_id AND t.source_key = other.key AND t.external_id = line.id
     WHERE NOT EXISTS (
           SELECT FROM {table} WHERE workspace_id = :workspace_id AND source_key = :own AND external_id = line.id)
     GROUP BY other.key ORDER BY lines DESC LIMIT 1"""


async def _find_other_source(tx: Tx, table: Table, workspace_id: UUID, **values: Any) -> Row | None:
    """Returns the `key` of the source that has most of the records with `ids` that the `own` one lacks; its `lines`."""
    return await tx.row(sql(_OTHER_SOURCE, table=table.name), workspace_id=workspace_id, **values)


async def _read_ahead(reader: ListReader, stop: asyncio.Event) -> AsyncGenerator[Batch, None]:
    """Yields the batches of a file. Each is read while the previous one is stored."""
    batches = reader.batches()
    reading = _next_in_thread(batches)
    stopping = asyncio.ensure_future(stop.wait())
    try:
        while True:
            await asyncio.wait((reading, stopping), return_when=asyncio.FIRST_COMPLETED)
            if stop.is_set() or (batch := await reading) is None:
                return
            reading = _next_in_thread(batches)
            yield batch
    finally:
        stopping.cancel()
        reading.cancel()


def _next_in_thread(batches: Iterator[Batch]) -> "asyncio.Future[Batch | None]":
    """Reads the next batch in a daemon thread: reading from a pipe may never end."""
    future: Future[Batch | None] = Future()
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            future.set_result(next(batches, None))
        except Exception as error:
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    return asyncio.wrap_future(future)
