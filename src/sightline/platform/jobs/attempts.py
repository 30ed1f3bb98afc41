"""One attempt at a job: from the queue's row to the room's handler and back."""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import msgspec
import structlog
from pgqueuer.core.executors import AbstractEntrypointExecutor, EntrypointExecutorParameters
from pgqueuer.domain.errors import RetryRequested
from pgqueuer.domain.models import Context, Job

from sightline.platform.db import Database
from sightline.platform.db.database import first_line
from sightline.platform.jobs.adding import Payload
from sightline.platform.jobs.holding import HeldDatabase, Hold, HoldLost
from sightline.platform.jobs.kinds import JobFailed, JobStopped, TookTooLong, Tools, Work, WorkerDied
from sightline.platform.jobs.queue import NOBODY, Begun, Ending, Queue

UNWIND_SECONDS = 2.0
ERROR_LENGTH = 500

_log = structlog.get_logger()


class HandedBack(Exception):
    """This worker ends, and the job is on the queue again."""


class Dead(Exception):
    """The job has failed for good; says why in one line."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What attempts of one worker have in common."""

    queue: Queue
    db: Database
    tools: Tools
    heartbeat: timedelta


class Attempts(AbstractEntrypointExecutor):
    """Runs the jobs of one kind. What it raises tells PgQueuer to retry the job or to keep it as failed."""

    def __init__(self, parameters: EntrypointExecutorParameters, work: Work, bench: Bench) -> None:
        super().__init__(parameters)
        self._work = work
        self._bench = bench

    async def execute(self, job: Job, context: Context) -> None:
        begun = await self._bench.queue.begin(job)
        if begun is None:
            return
        log = _log.bind(kind=self._work.kind.name, job=job.id, attempt=begun.counted)
        hold = Hold(job.id, self._bench.queue.worker_id, begun.attempt)
        db = HeldDatabase(self._bench.db, hold, self._bench.heartbeat)
        try:
            await self._attempt(db, job, begun, log)
        except (HoldLost, HandedBack) as left:
            job.attempts = NOBODY  # for PgQueuer it is done now; that must not end what another does
            log.info("Job left to another worker", reason=type(left).__name__)
        finally:
            del self._bench.queue.begun[job.id]

    async def _attempt(
        self, db: HeldDatabase, job: Job, begun: Begun, log: structlog.typing.FilteringBoundLogger
    ) -> None:
        """Raises RetryRequested, Dead, HoldLost or HandedBack."""
        problem = await self._problem(db, job, begun)
        if problem is None:
            log.info("Job done")
            return
        said = f"{type(problem).__name__}: {first_line(problem)}"[:ERROR_LENGTH]
        if begun.counted < self._work.attempts and not isinstance(problem, JobStopped):
            wait = self._work.wait_after(begun.counted)
            log.warning("Job failed and is retried", error=said, wait=wait.total_seconds(), exc_info=problem)
            raise RetryRequested(wait, said)
        await self._bury(db, job, problem)
        log.error("Job failed for good", error=said, exc_info=problem)
        raise Dead(said)

    async def _problem(self, db: HeldDatabase, job: Job, begun: Begun) -> Exception | None:
        """Why the attempt failed, None when it did not."""
        if begun.stopped is not None:
            return JobStopped(begun.stopped)
        if begun.counted > self._work.attempts:
            return WorkerDied("The worker died each time it worked on this.")
        try:
            await self._run(job, self._handle(db, job, begun))
        except (HoldLost, HandedBack):
            raise
        except Exception as error:
            if db.is_lost:
                raise HoldLost from error
            return error
        return None

    async def _handle(self, db: HeldDatabase, job: Job, begun: Begun) -> None:
        about = msgspec.json.decode(job.payload or b"", type=Payload)
        if begun.is_revived and self._work.revive is not None:
            await self._work.revive(db, about.workspace_id, about.record_id)
        await self._work.handler(db, self._bench.tools, about.workspace_id, about.record_id)

    async def _run(self, job: Job, handling: Awaitable[None]) -> None:
        """Until the handler is done, or has to end; raises what it raises."""
        task = asyncio.ensure_future(handling)
        told = self._bench.queue.watch(job.id)
        try:
            either: set[asyncio.Future[Any]] = {task, told}
            limit = self._work.time_limit.total_seconds()
            await asyncio.wait(either, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return _result(task)
            task.cancel()
            if told.done() and told.result() is Ending.HANDED_BACK:
                await self._bench.queue.hand_back(job)
            await _unwind(task)
            raise _reason(told)
        finally:
            del self._bench.queue.running[job.id]
            told.cancel()
            task.cancel()

    async def _bury(self, db: HeldDatabase, job: Job, problem: Exception) -> None:
        """Lets the record say that it failed. Raises RetryRequested when that fails."""
        about = msgspec.json.decode(job.payload or b"", type=Payload)
        try:
            await self._work.on_dead(db, about.workspace_id, about.record_id, problem)
        except HoldLost:
            raise
        except Exception as error:
            _log.error("What follows a failed job failed itself", kind=self._work.kind.name, exc_info=error)
            raise RetryRequested(self._work.wait_after(self._work.attempts), first_line(error)) from error


def _result(task: "asyncio.Future[None]") -> None:
    if task.cancelled():
        raise JobFailed("The handler was cancelled from inside.")
    task.result()


async def _unwind(task: "asyncio.Future[None]") -> None:
    """Lets a cancelled handler roll back; one that will not end is left behind, unable to write."""
    await asyncio.wait({task}, timeout=UNWIND_SECONDS)
    with suppress(BaseException):
        if task.done():
            task.exception()


def _reason(told: "asyncio.Future[Ending]") -> Exception:
    if not told.done():
        return TookTooLong("It took longer than is allowed.")
    return {
        Ending.HANDED_BACK: HandedBack(),
        Ending.LOST: HoldLost(),
        Ending.STOPPED: JobStopped("It was stopped."),
    }[told.result()]
