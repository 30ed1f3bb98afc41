"""The queue as one worker sees it. It waits while the database is away, so each statement is safe to repeat."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from time import monotonic
from typing import Literal, NamedTuple
from uuid import UUID

from sightline.platform.db import Database, Tx
from sightline.platform.db.retries import LONGEST_WAIT, until_answered
from sightline.platform.jobs import JobKind, queries

Outcome = Literal["done", "failed", "retried", "handed back"]

LATE_SECONDS = 1.0
STEADY_SECONDS = 2 * LONGEST_WAIT  # so that workers that ask again meet the database before it counts as steady


class HoldLost(Exception):
    """Another worker has the job now or takes it next: this one sent no heartbeat for too long, or is shutting down."""


class Job(NamedTuple):
    """A job that was taken. No two runs of a job have the same number.

    `stop` says why an operator stopped it, `is_revived` that it is retried after it failed.
    """

    id: int
    run: int
    kind: JobKind
    workspace_id: UUID
    record_id: UUID
    attempts: int
    stop: str | None
    is_revived: bool


class HeldDatabase(Database):
    """The worker's database as a handler sees it: `transaction` raises HoldLost when another worker has the job.

    While such a transaction is open the job cannot be taken over, so its commit is never too late. If a worker freezes
    inside one, the server ends its session after `frozen_after`. A statement that commits alone has HELD in it instead,
    with the values `held`.
    """

    def __init__(self, db: Database, id: int, run: int, frozen_after: timedelta) -> None:
        vars(self).update(vars(db))  # the same pool
        self.held = {"job": id, "run": run}
        self._frozen_after = f"{max(1, int(frozen_after.total_seconds() * 1000))}ms"

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Tx]:
        async with super().transaction() as tx:
            if not await tx.value(queries.HOLD, **self.held, frozen_after=self._frozen_after):
                raise HoldLost
            yield tx


class Queue:
    """Takes jobs, renews the hold on them, and ends their runs unless another worker has taken the job.

    `away_at`: the time (monotonic) at which the database last did not answer, or answered later than a third of
    `heartbeat` (1 s at least); `take` and `beat` never wait for locks, so a late answer means an outage. It starts as
    now. For one `heartbeat` (2 s at least) after it, this worker takes over no running jobs: other live workers need
    that time to renew their holds.
    """

    def __init__(self, db: Database, heartbeat: timedelta) -> None:
        self._answered_at: datetime | None = None  # by the server's clock
        self.away_at = monotonic()
        self._late_seconds = max(LATE_SECONDS, heartbeat.total_seconds() / 3)
        self._db, self._heartbeat = db, heartbeat

    @asynccontextmanager
    async def _watched(self) -> AsyncIterator[Tx]:
        """A connection. Sets `away_at` if no answer comes, or a late one."""
        asked, is_answered = monotonic(), False
        try:
            async with self._db.autocommit() as tx:
                yield tx
            is_answered = monotonic() - asked < self._late_seconds
        finally:
            if not is_answered:
                self.away_at = monotonic()

    @until_answered
    async def take(self, kinds: Sequence[JobKind], free: int, running: Sequence[int]) -> list[Job]:
        """Takes at most `free` jobs that are due, or whose worker died, and none that this worker runs.

        Their attempts are counted by the first `beat`.
        """
        is_steady = monotonic() - self.away_at > max(self._heartbeat.total_seconds(), STEADY_SECONDS)
        until = self._answered_at + self._heartbeat / 2 if is_steady and self._answered_at else None
        which = {"kinds": kinds, "running": running, "takeover_until": until, "free": free}
        async with self._watched() as tx:
            rows = await tx.rows(queries.TAKE, **which, heartbeat=self._heartbeat)
            self._answered_at = await tx.value(queries.NOW)
        return [Job(*row) for row in rows]

    @until_answered
    async def beat(self, jobs: Sequence[Job]) -> dict[int, str | None]:
        """Holds the jobs for another heartbeat. Returns the jobs still held, and why an operator stopped them."""
        ids, runs, attempts = zip(*((job.id, job.run, job.attempts) for job in jobs), strict=True)
        async with self._watched() as tx:
            rows = await tx.rows(queries.BEAT, ids=ids, runs=runs, attempts=attempts, heartbeat=self._heartbeat)
        return {row["id"]: row["stop"] for row in rows}

    @until_answered
    async def end(
        self, job: Job, outcome: Outcome, seconds: float, error: str | None = None, wait: timedelta = timedelta(0)
    ) -> bool:
        """Ends a run. Returns False, and changes nothing, if this worker no longer holds the job.

        done         removes the job, or lets it wait with all its attempts if it was added again during the run
        failed       keeps it as failed, or lets it wait as above
        retried      lets it wait for `wait`; it is due at once if an operator stopped it
        handed back  as retried, and counts neither the attempt nor the run
        """
        if outcome == "done":
            async with self._db.autocommit(writes=True) as tx:
                if await tx.run(queries.REMOVE, job=job.id, run=job.run, seconds=seconds):
                    return True
        attempts = job.attempts - (outcome == "handed back")
        async with self._db.transaction() as tx:
            how = {"outcome": outcome, "attempts": attempts, "error": error, "wait": wait}
            was_held = await tx.run(queries.END, id=job.id, run=job.run, **how) == 1
            if was_held and outcome != "handed back":
                await tx.run(queries.COUNT, kind=job.kind, outcome=outcome, seconds=seconds)
        return was_held
