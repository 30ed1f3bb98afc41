"""The queue as one worker sees it. It waits while the database is away, so each statement is safe to repeat."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any, NamedTuple
from uuid import UUID

from sightline.platform.db import Database, Row, Statement
from sightline.platform.db.retries import retry_while_away
from sightline.platform.jobs import queries
from sightline.platform.jobs.holding import Hold


class Job(NamedTuple):
    """A job that was taken. `stop` says why an operator stopped it, `is_revived` that it is retried after it failed."""

    id: int
    run: int
    kind: str
    workspace_id: UUID
    record_id: UUID
    attempts: int
    stop: str | None
    is_revived: bool

    @property
    def hold(self) -> Hold:
        return Hold(self.id, self.run)


class Queue:
    """Takes jobs, holds them and ends their runs. A run that is no longer held is not ended."""

    def __init__(self, db: Database, heartbeat: timedelta) -> None:
        self._db = db
        self._heartbeat = heartbeat

    async def take(self, kinds: Sequence[str], free: int, held: Iterable[Hold]) -> list[Job]:
        """Takes jobs that are due or were held by a dead worker, at most `free`, and none that this worker runs."""
        running = [hold.id for hold in held]
        rows = await self._rows(queries.TAKE, kinds=kinds, free=free, running=running, heartbeat=self._heartbeat)
        return [Job(*row) for row in rows]

    async def seconds_to_next(self, kinds: Sequence[str]) -> float | None:
        """Returns in how many seconds the next job can be taken, None if there is no job."""
        [row] = await self._rows(queries.SECONDS_TO_NEXT, kinds=kinds)
        return None if row["seconds"] is None else float(row["seconds"])

    async def beat(self, held: Sequence[Hold]) -> dict[Hold, str | None]:
        """Holds the jobs for another heartbeat. Returns those still held, and why an operator stopped them."""
        ids, runs = [hold.id for hold in held], [hold.run for hold in held]
        rows = await self._rows(queries.BEAT, ids=ids, runs=runs, heartbeat=self._heartbeat)
        return {Hold(row["id"], row["run"]): row["stop"] for row in rows}

    async def finish(self, job: Job, seconds: float) -> None:
        """Removes a job that is done. One that was added during its run waits again."""
        await self._end(job, "done", seconds, {queries.DONE: {}, queries.AGAIN: {}})

    async def fail(self, job: Job, seconds: float, error: str) -> None:
        """Keeps a job as failed. One that was added during its run waits again."""
        await self._end(job, "failed", seconds, {queries.FAILED: {"error": error}, queries.AGAIN: {}})

    async def retry(self, job: Job, seconds: float, error: str, wait: timedelta) -> None:
        """Lets a job wait for its next attempt; one that an operator stopped is taken again at once."""
        await self._end(job, "retried", seconds, {queries.RETRY: {"error": error, "wait": wait}})

    async def hand_back(self, job: Job) -> None:
        """Lets another worker take the job at once. The attempt is not counted."""
        await self._rows(queries.HAND_BACK, **job.hold._asdict())

    async def _rows(self, statement: Statement, **values: Any) -> list[Row]:
        async def ask() -> list[Row]:
            async with self._db.autocommit() as tx:
                return await tx.rows(statement, **values)

        return await retry_while_away(ask)

    async def _end(self, job: Job, outcome: str, seconds: float, either: dict[Statement, dict[str, Any]]) -> None:
        """Runs the statements until one applies, and counts the outcome."""

        async def end() -> None:
            async with self._db.transaction() as tx:
                for statement, values in either.items():
                    if await tx.run(statement, **job.hold._asdict(), **values):
                        await tx.run(queries.COUNT, kind=job.kind, outcome=outcome, seconds=seconds)
                        return

        await retry_while_away(end)
