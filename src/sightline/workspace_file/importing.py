"""Bulk import of one list, batch by batch: what is sound is stored, what is not is told by its line.

An import that was interrupted goes on when it is started again: what is stored already counts as unchanged.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, closing, suppress
from threading import Thread
from time import monotonic
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from sightline.platform.db import Database
from sightline.workspace_file.line_faults import LineFault, Told
from sightline.workspace_file.reading import Batch, ListReader
from sightline.workspace_file.seen_lines import SeenLines
from sightline.workspace_file.storing_lines import LineStore, Stored
from sightline.workspaces.tenants import find_workspace

KINDS = ("ideas", "accounts", "insights", "feedback", "signals")
Result = TypeVar("Result")


class Imported(Struct):
    """What an import did. `lines`: those that are not blank; `faults`: the first hundred."""

    kind: str
    lines: int = 0
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    faulty: int = 0
    seconds: float = 0
    faults: list[LineFault] = msgspec.field(default_factory=list)


class Import:
    """One import, and how far it came: `reached` is the number of the last line that was seen to."""

    def __init__(self, db: Database, slug: str, reader: ListReader, *, actor_id: str) -> None:
        self.db = db
        self.slug = slug
        self.reader = reader
        self.actor_id = actor_id
        self.done = Imported(reader.table.path)
        self.told = Told()
        self.reached = 0

    async def run(self, stop: asyncio.Event, on_batch: Callable[[Batch], None] = lambda batch: None) -> Imported:
        """Goes through the file, and ends between two batches when it is told to stop.

        Raises NotFound when there is no such workspace, ValidationFailed for CSV that does not begin with names of
        fields, and what the database says when it cannot go on; batches before that stay.
        """
        begin = monotonic()
        async with self.db.read() as tx:
            await find_workspace(tx, self.slug)
        try:
            with closing(SeenLines()) as seen, closing(self._store(seen)) as store:
                await self._go_through(store, stop, on_batch)
        finally:
            self.done.seconds = round(monotonic() - begin, 3)
            self.done.faults = self.told.shown
        return self.done

    def _store(self, seen: SeenLines) -> LineStore:
        return LineStore(self.db, self.slug, self.reader.table, self.actor_id, seen)

    async def _go_through(self, store: LineStore, stop: asyncio.Event, on_batch: Callable[[Batch], None]) -> None:
        async with aclosing(_read_ahead(self.reader, stop)) as batches:
            async for batch in batches:
                self._count(batch, await store.store(batch.lines))
                on_batch(batch)
        for lines in store.postponed.batches():
            if not stop.is_set():
                self._count(Batch(), await store.store_postponed(lines))

    def _count(self, batch: Batch, stored: Stored) -> None:
        self.told.take(batch.faults, stored.faults)
        self.done.lines += batch.count
        self.done.added += stored.count.added
        self.done.changed += stored.count.changed
        self.done.unchanged += stored.count.unchanged
        self.done.faulty = self.told.lines
        self.reached = batch.last or self.reached


async def _read_ahead(reader: ListReader, stop: asyncio.Event) -> AsyncGenerator[Batch, None]:
    """The batches of a file, each read while the one before is stored."""
    batches = reader.batches()
    reading = _in_thread(lambda: next(batches, None))
    stopping = asyncio.ensure_future(stop.wait())
    try:
        while True:
            await asyncio.wait((reading, stopping), return_when=asyncio.FIRST_COMPLETED)
            if stop.is_set() or (batch := await reading) is None:
                return
            reading = _in_thread(lambda: next(batches, None))
            yield batch
    finally:
        stopping.cancel()
        reading.cancel()


def _in_thread(work: Callable[[], Result]) -> "asyncio.Future[Result]":
    """In a thread that nobody waits for when it is no longer wanted: a pipe may be silent for ever."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Result] = loop.create_future()

    def settle(set_to: Callable[[Any], None], value: Any) -> None:
        if not future.done():
            set_to(value)

    def run() -> None:
        outcome: tuple[Callable[[Any], None], Any]
        try:
            outcome = future.set_result, work()
        except Exception as error:
            outcome = future.set_exception, error
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle, *outcome)

    Thread(target=run, daemon=True).start()
    return future
