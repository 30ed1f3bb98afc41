"""PgQueuer's queue, with what it leaves open closed: only who holds a job may beat, end or retry it.

PgQueuer itself ends, retries and keeps alive a job by its number, so that a worker that was frozen could end what
another has taken over. Here each of these names the worker and the attempt.
"""

import asyncio
import enum
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from pgqueuer.adapters.persistence.qb import QueryBuilderEnvironment, QueryQueueBuilder, QuerySchedulerBuilder
from pgqueuer.adapters.persistence.queries import Queries
from pgqueuer.domain.models import Job, TracebackRecord
from pgqueuer.domain.settings import DBSettings, Durability
from pgqueuer.domain.types import JOB_STATUS, Channel, JobId, QueueEntrypoint, QueueManagerId
from pgqueuer.ports.repository import EntrypointExecutionParameter

from sightline.platform.db import Connection
from sightline.platform.jobs import queries
from sightline.platform.jobs.driver import Driver

CHANNEL = Channel("ch_pgqueuer")
NOWHERE = UUID(int=0)
NOBODY = -1  # the attempt of a job that is not held: no row has it

# Every name is given: PgQueuer would take those that are not from variables like TRIGGER or CHANNEL.
SETTINGS = DBSettings(
    prefix="",
    db_schema=None,
    channel=CHANNEL,
    function="fn_pgqueuer_changed",
    statistics_table="pgqueuer_statistics",
    queue_status_type="pgqueuer_status",
    queue_table="pgqueuer",
    queue_table_log="pgqueuer_log",
    trigger="tg_pgqueuer_changed",
    schedules_table="pgqueuer_schedules",
    durability=Durability.durable,
    widen_id=True,
)


class Ending(enum.Enum):
    """Why a running handler is cancelled."""

    HANDED_BACK = "handed back"
    LOST = "lost"
    STOPPED = "stopped"


class Begun(NamedTuple):
    """An attempt that begins: which of all, which of those that count, and what an operator has said to the job."""

    attempt: int
    counted: int
    stopped: str | None
    is_revived: bool


class Outcome(NamedTuple):
    """How an attempt ended."""

    id: int
    attempt: int
    outcome: str
    error: str | None


@dataclass
class Queue(Queries):
    """The queue as one worker sees it."""

    own: Driver = field(kw_only=True)
    concurrency: int = field(kw_only=True)
    worker_id: UUID = NOWHERE
    begun: dict[int, int] = field(default_factory=dict)  # the attempts that are made now, by the jobs' ids
    running: dict[int, "asyncio.Future[Ending]"] = field(default_factory=dict)
    is_ending: bool = False

    async def dequeue(
        self,
        batch_size: int,
        entrypoints: dict[QueueEntrypoint, EntrypointExecutionParameter],
        queue_manager_id: QueueManagerId,
        global_concurrency_limit: int | None,
        heartbeat_timeout: timedelta,
    ) -> list[Job]:
        """Our own limit, which PgQueuer would not let be below 2."""
        if self.is_ending or not entrypoints:
            return []
        return await super().dequeue(batch_size, entrypoints, queue_manager_id, self.concurrency, heartbeat_timeout)

    async def begin(self, job: Job) -> Begun | None:
        """Counts an attempt; None when the job is somebody else's by now."""
        rows = [] if self.is_ending else await self.own.fetch(queries.BEGIN, job.id, self.worker_id)
        job.attempts = int(str(rows[0]["attempts"])) if rows else NOBODY
        if not rows:
            return None
        self.begun[job.id] = job.attempts
        stop = rows[0]["stop"]
        counted = int(str(rows[0]["counted"]))
        return Begun(job.attempts, counted, None if stop is None else str(stop), bool(rows[0]["is_revived"]))

    async def update_heartbeat(self, job_ids: list[JobId]) -> None:
        """Beats, and ends what is ours no more or was stopped."""
        begun = {job_id: self.begun[job_id] for job_id in job_ids if job_id in self.begun}
        about = list(begun), list(begun.values()), self.worker_id
        await self.own.execute(queries.BEAT, *about)
        ours = {int(str(row["id"])): row["stop"] for row in await self.own.fetch(queries.STATES, *about)}
        for job_id in begun:
            if job_id not in ours:
                self.end(job_id, Ending.LOST)
            elif ours[job_id] is not None:
                self.end(job_id, Ending.STOPPED)

    def watch(self, job_id: int) -> "asyncio.Future[Ending]":
        """Tells when the job's handler has to end; `running` holds it until the handler has ended."""
        told = self.running[job_id] = asyncio.get_running_loop().create_future()
        if self.is_ending:
            told.set_result(Ending.HANDED_BACK)
        return told

    def end(self, job_id: int, why: Ending) -> None:
        told = self.running.get(job_id)
        if told is not None and not told.done():
            told.set_result(why)

    def end_all(self) -> None:
        """Takes no more jobs and hands back those that run."""
        self.is_ending = True
        for job_id in list(self.running):
            self.end(job_id, Ending.HANDED_BACK)

    async def hand_back(self, job: Job | None = None) -> None:
        """Lets other workers begin at once, as if this one had never begun: with one job, or with all that are ours."""
        job_id, attempt, uncounted = (job.id, job.attempts, 1) if job else (None, None, 0)

        async def work(connection: Connection) -> None:
            await connection.execute(queries.HAND_BACK, self.worker_id, job_id, attempt, uncounted)
            await connection.execute(queries.WAKE)

        await self.own.transaction(work)
        if job is not None:
            job.attempts = NOBODY

    async def retry_job(self, job: Job, delay: timedelta, traceback_record: TracebackRecord | None) -> None:
        error = traceback_record.exception_message if traceback_record else None

        async def work(connection: Connection) -> None:
            kind = await connection.fetchval(queries.RETRY, job.id, self.worker_id, job.attempts, delay, error)
            if kind is not None:
                await connection.execute(queries.LOG, [job.id], ["queued"], [kind], [error])
                await connection.execute(queries.COUNT, [kind], ["retried"], [0.0])
                await connection.execute(queries.WAKE)

        await self.own.transaction(work)

    async def log_jobs(self, job_status: list[tuple[Job, JOB_STATUS, TracebackRecord | None]]) -> None:
        """Ends attempts: done jobs go, failed ones stay; one that was asked for meanwhile runs once more."""
        ended = [
            Outcome(
                job.id,
                job.attempts,
                "done" if status == "successful" else "failed",
                told.exception_message if told else None,
            )
            for job, status, told in job_status
            if status != "canceled"
        ]
        await self.own.transaction(lambda connection: self._finish(connection, ended))

    async def _finish(self, connection: Connection, ended: Sequence[Outcome]) -> None:
        """The rows are locked first: what another transaction said about them meanwhile is seen by what follows."""
        columns = [list(column) for column in zip(*ended, strict=True)] or [[], [], [], []]
        rows = await connection.fetch(queries.FINISHING, *columns, self.worker_id)
        if not rows:
            return
        woken = [row["id"] for row in rows if row["is_woken"]]
        done = [row["id"] for row in rows if not row["is_woken"] and row["outcome"] == "done"]
        failed = [row for row in rows if not row["is_woken"] and row["outcome"] == "failed"]
        if done:
            await connection.execute(queries.REMOVE, done)
        if failed:
            await connection.execute(
                queries.KEEP_FAILED, [row["id"] for row in failed], [row["error"] for row in failed]
            )
        if woken:
            await connection.execute(queries.RUN_AGAIN, woken)
            await connection.execute(queries.WAKE)
        kinds, outcomes = [row["kind"] for row in rows], [row["outcome"] for row in rows]
        statuses = ["successful" if outcome == "done" else "failed" for outcome in outcomes]
        await connection.execute(
            queries.LOG, [row["id"] for row in rows], statuses, kinds, [row["error"] for row in rows]
        )
        await connection.execute(queries.COUNT, kinds, outcomes, [row["seconds"] for row in rows])


def open_queue(driver: Driver, concurrency: int) -> Queue:
    """Its `worker_id` is that of the manager it is given to."""
    return Queue(
        driver=driver,
        qbe=QueryBuilderEnvironment(SETTINGS),
        qbq=QueryQueueBuilder(SETTINGS),
        qbs=QuerySchedulerBuilder(SETTINGS),
        own=driver,
        concurrency=concurrency,
    )
