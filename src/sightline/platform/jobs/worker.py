"""A worker: takes jobs, runs them, and hands back what is unfinished when it ends."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import structlog

from sightline.platform.db import Database
from sightline.platform.db.database import first_line
from sightline.platform.db.listening import listen_forever
from sightline.platform.db.retries import ASKED_AGAIN, is_outage
from sightline.platform.jobs import JobsOfRoom, JobStopped, Tick, Tools
from sightline.platform.jobs.queries import CHANNEL, WORKER
from sightline.platform.jobs.queue import HeldDatabase, HoldLost, Job, Outcome, Queue

CONNECTIONS = 3  # of the queue's own, so that heartbeats never wait for handlers
LONGEST_PAUSE = timedelta(seconds=1)  # between two looks; jobs that are due when they are added are notified
REACH_SECONDS = 3.0  # for an answer of the database after a job had none
UNWIND_SECONDS, END_SECONDS = 2.0, 5.0  # for a handler that is cancelled, and for all of them
TICK_SECONDS = 300.0

_log = structlog.get_logger()


class WorkerDied(Exception):
    """The worker died during each attempt, possibly because of the job."""


class TookTooLong(Exception):
    """The attempt exceeded the time limit of its kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How many jobs a worker runs, and how often it renews them and ticks."""

    concurrency: int = 10  # jobs at once
    heartbeat: timedelta = timedelta(seconds=10)  # how long it holds a job without renewing it; it renews at a third
    tick: timedelta = timedelta(minutes=1)  # the pause between two runs of periodic work


class Worker:
    """Runs jobs, at most `pace.concurrency` at once. `db` is what handlers get, `url` the address past a pooler."""

    def __init__(self, db: Database, url: str, rooms: Sequence[JobsOfRoom], tools: Tools, pace: Pace) -> None:
        self.db, self.tools, self.pace, self._url = db, tools, pace, url
        self.work = {work.kind: work for room in rooms for work in room.work}
        self._ticks = [tick for room in rooms for tick in room.ticks]
        self._runs: dict[asyncio.Task[None], JobRun] = {}
        self._change = asyncio.Event()
        self._is_ending = False
        self._are_ticks_cut_off = False  # as it was logged
        self.is_cut_off = False  # a job met an outage, and the database was not reached since

    async def run(self, ending: asyncio.Event, on_ready: Callable[[], None]) -> None:
        """Runs jobs until `ending` is set, then hands unfinished ones back and returns within 8 s.

        Raises DatabaseUnavailable when the database cannot be reached at the start; later it waits for it.
        """
        own = await Database.connect(self._url, size=CONNECTIONS, is_impatient=True)
        self.queue = Queue(own, self.pace.heartbeat)
        loops = (
            self._take_jobs(),
            self._beat_forever(),
            listen_forever(self._url, CHANNEL, WORKER, on_notify=self._look, on_gap=self._look),
            *(self._tick_forever(tick) for tick in self._ticks),
            ending.wait(),
        )
        tasks: list[asyncio.Task[Any]] = [asyncio.create_task(loop) for loop in loops]
        try:
            on_ready()
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            done.pop().result()  # raises what ended a loop
        finally:
            self._end()
            await asyncio.wait({tasks[0], *self._runs}, timeout=END_SECONDS)
            for task in (*tasks, *self._runs):
                task.cancel()
            await asyncio.wait(tasks, timeout=1)
            with suppress(TimeoutError):
                await asyncio.wait_for(own.close(), 1)

    def _look(self, _cause: object) -> None:
        """Lets it look for jobs at once."""
        self._change.set()

    async def _take_jobs(self) -> None:
        """Takes jobs until the worker ends, then waits for the jobs that it runs."""
        pause = min(LONGEST_PAUSE, self.pace.heartbeat / 3).total_seconds()
        while not self._is_ending:
            self._change.clear()
            if (free := self.pace.concurrency - len(self._runs)) and (not self.is_cut_off or await self.reaches()):
                await self._take(free)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._change.wait(), pause)
        self._end()
        await asyncio.gather(*self._runs)

    async def reaches(self) -> bool:
        """Whether jobs reach the database, as the queue does: a pooler on their way may be away or stand still."""
        self.is_cut_off = True
        with suppress(Exception):
            async with asyncio.timeout(REACH_SECONDS), self.db.autocommit() as tx:
                await tx.connection.execute("SELECT 1")
                self.is_cut_off = False
        return not self.is_cut_off

    async def _take(self, free: int) -> None:
        """Starts due jobs. If the answer to either statement is lost, no attempt is counted that did not start."""
        jobs = await self.queue.take(list(self.work), free, [run.job.id for run in self._runs.values()])
        held = await self.queue.beat(jobs) if jobs else {}
        for job in jobs:
            if job.id in held:
                run = JobRun(self, job)
                task = asyncio.create_task(run.do())
                self._runs[task] = run
                task.add_done_callback(self._runs.pop)
                task.add_done_callback(self._look)

    async def _beat_forever(self) -> None:
        """Holds the running jobs; ends a job that another worker has taken or an operator has stopped."""
        while True:
            await asyncio.sleep(self.pace.heartbeat.total_seconds() / 3)
            runs = list(self._runs.values())
            held = await self.queue.beat([run.job for run in runs]) if runs else {}
            for run in runs:
                if run.job.id not in held:
                    run.end(HoldLost())
                elif (stop := held[run.job.id]) is not None:
                    run.end(JobStopped(stop))

    async def _tick_forever(self, tick: Tick) -> None:
        """Runs a tick now and after each pause, also if it fails or takes too long.

        That the database is away is logged once for all ticks, with the name of the first that had no answer.
        """
        while True:
            limit = asyncio.timeout(TICK_SECONDS)
            try:
                async with limit:
                    await tick.act(self.db, self.tools)
                self._are_ticks_cut_off = False
            except Exception as error:
                if not is_outage(error) or (limit.expired() and await self.reaches()):
                    _log.error("A tick failed and is repeated after the pause", tick=tick.name, exc_info=error)
                elif not self._are_ticks_cut_off:
                    self._are_ticks_cut_off = True
                    _log.warning(ASKED_AGAIN, tick=tick.name, error=first_line(error))
            await asyncio.sleep(self.pace.tick.total_seconds())

    def _end(self) -> None:
        """Takes no more jobs and ends the handlers, so that the jobs are handed back."""
        self._is_ending = True
        self._change.set()
        for run in self._runs.values():
            run.end(HoldLost())


class JobRun:
    """Runs a job's handler on a database that refuses to write once another worker has the job."""

    def __init__(self, worker: "Worker", job: Job) -> None:
        self.job, self._worker = job, worker
        self._queue, self._tools, self._work = worker.queue, worker.tools, worker.work[job.kind]
        self._db = HeldDatabase(worker.db, job.id, job.run, frozen_after=worker.pace.heartbeat)
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
            try:
                await self._handle()
            except Exception as problem:
                await self._fail(problem)
            else:
                await self._end("done")
                self._log.info("Job done")
        except HoldLost:
            self._log.info("Job left to another worker")
        except Exception as error:
            self._log.error("The end of a job could not be stored", exc_info=error)

    async def _handle(self) -> None:
        """Raises what the handler raises, or why it had to end."""
        handling = asyncio.create_task(self._call_handler())
        either: set[asyncio.Future[Any]] = {handling, self._ending}
        await asyncio.wait(either, timeout=self._work.time_limit.total_seconds(), return_when=asyncio.FIRST_COMPLETED)
        if not handling.done():
            handling.cancel()
            await asyncio.wait({handling}, timeout=UNWIND_SECONDS)  # one that does not end cannot write
            raise self._ending.result() if self._ending.done() else TookTooLong("It exceeded its time limit.")
        if handling.cancelled():
            raise RuntimeError("The handler cancelled itself.")
        handling.result()

    async def _call_handler(self) -> None:
        job, work = self.job, self._work
        if job.stop is not None:
            raise JobStopped(job.stop)
        if job.attempts > work.attempts:
            raise WorkerDied("The worker died each time it worked on this.")
        if job.is_revived and work.revive is not None:
            await work.revive(self._db, job.workspace_id, job.record_id)
        await work.handler(self._db, self._tools, job.workspace_id, job.record_id)

    async def _fail(self, problem: Exception) -> None:
        """Lets the room record a failure after the last attempt. Tries again later when that fails.

        An attempt that met an outage of the database is not the last one.
        """
        if isinstance(problem, HoldLost):
            await self._end("handed back")  # changes nothing if another worker has it already
            raise problem
        met_outage = not isinstance(problem, JobStopped) and await self._met_outage(problem)
        if met_outage or not (isinstance(problem, JobStopped) or self.job.attempts >= self._work.attempts):
            await self._retry("Job failed and is retried", problem, met_outage)
            return
        try:
            await self._work.on_dead(self._db, self.job.workspace_id, self.job.record_id, problem)
        except Exception as error:
            await self._retry("The failure of a job could not be recorded", error, await self._met_outage(error))
        else:
            await self._end("failed", _reason(problem))
            self._log.error("Job failed permanently", error=_reason(problem), exc_info=problem)

    async def _met_outage(self, problem: Exception) -> bool:
        """Whether the database was away during the attempt. Asks it again first, and waits until it answers.

        A statement without an answer in time counts: its connection may be lost without a word. So does one that waited
        that long for a lock, as a command may hold it for longer than all attempts take.
        """
        if self.job.id not in await self._queue.beat([self.job]):
            raise HoldLost
        was_away = is_outage(problem) or self._queue.away_at > self._started
        return (was_away or isinstance(problem, TookTooLong)) and (not await self._worker.reaches() or was_away)

    async def _retry(self, event: str, problem: Exception, met_outage: bool) -> None:
        """Lets the job wait for its next attempt. One that met an outage starts again as the same attempt.

        The wait after an outage grows with the runs to a minute, as the job itself may be what brings the database
        down.
        """
        outcome: Outcome = "retried"
        wait = self._work.wait_after(self.job.attempts)
        if met_outage:
            event, outcome = "Job met an outage of the database and starts again", "handed back"
            wait = min(self._work.wait_after(self.job.run), timedelta(minutes=1))
        await self._end(outcome, _reason(problem), wait)
        self._log.warning(event, error=_reason(problem), wait=wait.total_seconds(), exc_info=problem)

    async def _end(self, outcome: Outcome, error: str | None = None, wait: timedelta = timedelta(0)) -> None:
        if not await self._queue.end(self.job, outcome, time.monotonic() - self._started, error, wait):
            raise HoldLost


def _reason(problem: Exception) -> str:
    return f"{type(problem).__name__}: {first_line(problem)}"[:500]
