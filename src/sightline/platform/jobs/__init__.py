"""Background jobs: work that a worker does later, at least once.

    add_job(tx, kind, workspace, record)     in the transaction that causes it: a rollback removes the job too
    Work(kind, handler, on_dead)             how a worker handles jobs of that kind
    Tick(name, act)                          what a worker does each minute
    sightline.worker                         what a worker runs: the work of all rooms, from one queue

A job means "advance this record" and nothing else: all state is kept in the record's own rows. Of one kind and record
at most one job waits or runs; adding one while it runs makes it run once more afterwards. The table `jobs` is
the queue.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NewType
from uuid import UUID

from sightline.platform.db import Database, Tx
from sightline.platform.jobs import queries

AT_ONCE = 100_000  # missing jobs that one statement adds, in a few seconds

JobKind = NewType("JobKind", str)
"""The name of a kind of job, which never changes: `documents.write`."""

Tools = Mapping[type, Any]
"""What the process creates for its rooms at start: engines, providers."""


class JobStopped(Exception):
    """An operator stopped the job with `sightline jobs stop`."""


@dataclass(frozen=True, slots=True)
class Work:
    """What a worker does with the jobs of a kind.

    `handler(db, tools, workspace_id, record_id)` may run twice and must be harmless then; it reads the record first. It
    writes inside `db.transaction()` only, never through `db.autocommit()` (but for a statement with HELD, and for what
    a model took): the transaction raises HoldLost, which the handler must not catch, once another worker has the job.
    It is cancelled when the worker ends, and the job starts again elsewhere. `on_dead` records that all attempts
    failed, `revive` that an operator retries the job.
    """

    kind: JobKind
    handler: Callable[[Database, Tools, UUID, UUID], Awaitable[None]]
    on_dead: Callable[[Database, UUID, UUID, Exception], Awaitable[None]]
    attempts: int = 5
    first_wait: timedelta = timedelta(seconds=2)
    time_limit: timedelta = timedelta(hours=1)
    revive: Callable[[Database, UUID, UUID], Awaitable[None]] | None = None

    def wait_after(self, attempt: int) -> timedelta:
        """The wait before the attempt after this one; attempts are counted from 1."""
        return min(self.first_wait * 2.0 ** min(attempt - 1, 20), timedelta(minutes=5))


@dataclass(frozen=True, slots=True)
class Tick:
    """Work that every worker does at its start and then each minute: `act(db, tools)` finds what is due and starts it.

    Several workers do it at the same time: take rows in batches with SKIP LOCKED, or with one statement that can only
    succeed once.
    """

    name: str
    act: Callable[[Database, Tools], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class JobsOfRoom:
    """The jobs and periodic work of one room."""

    work: Sequence[Work] = ()
    ticks: Sequence[Tick] = ()


async def add_job(
    tx: Tx, kind: JobKind, workspace_id: UUID, record_id: UUID, *, run_after: datetime | None = None
) -> None:
    """Queues a job; a worker anywhere starts within milliseconds of the commit. Without a commit there is no job.

    If a job of the same kind and record waits, no second one is added: it runs at the earlier of both times, or when
    its next attempt is due. If one runs, it runs once more afterwards. Locks that job until the end of the transaction:
    call it last, and for several records in the order of their ids.
    """
    # The queue uses the server's clock, so a time of our clock is sent as an interval from now.
    wait = max(run_after - tx.now, timedelta(0)) if run_after else timedelta(0)
    await tx.run(queries.ADD, kind=kind, workspace_id=workspace_id, record_id=record_id, wait=wait)


async def add_missing_jobs(db: Database, kind: JobKind, pending: str) -> None:
    """Adds a job for every pending record that has none; called by a Tick, so that a restored database continues.

    `pending` is a constant SELECT of workspace id, record id and the moment to run after (or null), in this order.
    """
    async with db.autocommit(writes=True) as tx:
        while await tx.run(queries.add_missing(pending), kind=kind, most=AT_ONCE) == AT_ONCE:
            pass
