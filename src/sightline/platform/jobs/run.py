"""One run of a job in a worker, from the handler to how it ended."""

import asyncio
import time
from typing import Any

import structlog

from sightline.platform.db.database import first_line
from sightline.platform.jobs.holding import HeldDatabase, HoldLost
from sightline.platform.jobs.kinds import JobFailed, JobStopped, TookTooLong, Tools, Work, WorkerDied
from sightline.platform.jobs.queue import Job, Queue

UNWIND_SECONDS = 2.0
ERROR_LENGTH = 500

_log = structlog.get_logger()


class HandedBack(Exception):
    """The worker is shutting down."""


class Run:
    """Runs a job's handler on a database that refuses to write once another worker has the job."""

    def __init__(self, job: Job, work: Work, db: HeldDatabase, tools: Tools, queue: Queue) -> None:
        self.job = job
        self._work, self._db, self._tools, self._queue = work, db, tools, queue
        self._record = job.workspace_id, job.record_id
        self._started = time.monotonic()
        self._ending: asyncio.Future[Exception] = asyncio.get_running_loop().create_future()
        about = {"workspace": job.workspace_id, "record": job.record_id, "job": job.id, "attempt": job.attempts}
        self._log = _log.bind(kind=job.kind, **about)

    def end(self, reason: Exception) -> None:
        """Ends the handler; the first reason counts."""
        if not self._ending.done():
            self._ending.set_result(reason)

    async def do(self) -> None:
        """Runs the job and stores how it ended. A job whose end cannot be stored is taken over later."""
        try:
            await self._store(await self._problem())
        except HoldLost:
            self._log.info("Job left to another worker")
        except Exception as error:
            self._log.error("The end of a job could not be stored", exc_info=error)

    async def _problem(self) -> Exception | None:
        """Returns why the handler failed or had to end, or None."""
        if self.job.stop is not None:
            return JobStopped(self.job.stop)
        if self.job.attempts > self._work.attempts:
            return WorkerDied("The worker died each time it worked on this.")
        handling = asyncio.create_task(self._handle())
        try:
            either: set[asyncio.Future[Any]] = {handling, self._ending}
            limit = self._work.time_limit.total_seconds()
            await asyncio.wait(either, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
            if handling.done():
                return HoldLost() if self._db.is_lost else _error(handling)
            handling.cancel()
            await asyncio.wait({handling}, timeout=UNWIND_SECONDS)  # one that does not end cannot write
            return self._ending.result() if self._ending.done() else TookTooLong("It exceeded its time limit.")
        finally:
            handling.cancel()

    async def _handle(self) -> None:
        if self.job.is_revived and self._work.revive is not None:
            await self._work.revive(self._db, *self._record)
        await self._work.handler(self._db, self._tools, *self._record)

    async def _store(self, problem: Exception | None) -> None:
        """Raises HoldLost."""
        may_retry = self.job.attempts < self._work.attempts and not isinstance(problem, JobStopped)
        if problem is None:
            await self._queue.finish(self.job, self._seconds)
            self._log.info("Job done")
        elif isinstance(problem, HoldLost):
            raise problem
        elif isinstance(problem, HandedBack):
            await self._queue.hand_back(self.job)
            self._log.info("Job handed back")
        elif may_retry:
            await self._retry("Job failed and is retried", problem)
        else:
            await self._give_up(problem)

    async def _retry(self, event: str, problem: Exception) -> None:
        wait = self._work.wait_after(self.job.attempts)
        await self._queue.retry(self.job, self._seconds, _reason(problem), wait)
        self._log.warning(event, error=_reason(problem), wait=wait.total_seconds(), exc_info=problem)

    async def _give_up(self, problem: Exception) -> None:
        """Lets the room record the failure first. Tries again later when that fails."""
        try:
            await self._work.on_dead(self._db, *self._record, problem)
        except HoldLost:
            raise
        except Exception as error:
            await self._retry("The failure of a job could not be recorded", error)
        else:
            await self._queue.fail(self.job, self._seconds, _reason(problem))
            self._log.error("Job failed permanently", error=_reason(problem), exc_info=problem)

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self._started


def _error(handling: "asyncio.Task[None]") -> Exception | None:
    """What the handler raised."""
    try:
        handling.result()
    except asyncio.CancelledError:
        return JobFailed("The handler cancelled itself.")
    except Exception as error:
        return error
    return None


def _reason(problem: Exception) -> str:
    return f"{type(problem).__name__}: {first_line(problem)}"[:ERROR_LENGTH]
