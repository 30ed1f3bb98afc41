"""A worker: takes jobs, runs them, and hands back what is unfinished when it ends."""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sightline.platform.db import Database
from sightline.platform.jobs.holding import HeldDatabase, HoldLost
from sightline.platform.jobs.kinds import JobsOfRoom, JobStopped, Tools, Work
from sightline.platform.jobs.listening import listen_forever
from sightline.platform.jobs.queue import Job, Queue
from sightline.platform.jobs.run import HandedBack, Run
from sightline.platform.jobs.ticking import tick_forever

CONNECTIONS = 3  # of the queue's own, so that heartbeats never wait for handlers
LONGEST_PAUSE, SHORTEST_PAUSE = 5.0, 0.05  # seconds between two looks; a job that is due may be locked
END_SECONDS = 5.0  # more than UNWIND_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How many jobs at once, and how often the worker gives a sign of life and ticks.

    It gives three signs of life in a heartbeat. One that gives none for so long counts as dead: others take its jobs.
    """

    concurrency: int = 10
    heartbeat: timedelta = timedelta(seconds=10)
    tick: timedelta = timedelta(minutes=1)


async def run_jobs(  # noqa: PLR0913 - what a worker is made of
    db: Database,
    url: str,
    rooms: Iterable[JobsOfRoom],
    tools: Tools,
    *,
    pace: Pace,
    ending: asyncio.Event,
    on_ready: Callable[[], None],
) -> None:
    """Runs jobs until `ending` is set, then hands unfinished ones back and returns within 8 s.

    `db` is what handlers get, `url` the address past a pooler. Raises DatabaseUnavailable when the database cannot be
    reached at the start; later it waits for it.
    """
    rooms = list(rooms)
    own = await Database.connect(url, size=CONNECTIONS, is_impatient=True)
    work = {work.kind.name: work for room in rooms for work in room.work}
    worker = Worker(Queue(own, pace.heartbeat), db, tools, work, pace)
    ticks = [tick for room in rooms for tick in room.ticks]
    loops = (
        worker.take_jobs(),
        worker.beat_forever(),
        listen_forever(url, worker.wake),
        tick_forever(ticks, db, tools, pace.tick),
        ending.wait(),
    )
    tasks: list[asyncio.Task[Any]] = [asyncio.create_task(loop) for loop in loops]
    try:
        on_ready()
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        done.pop().result()  # raises what ended a loop
    finally:
        worker.end()
        await asyncio.wait({tasks[0], *worker.runs}, timeout=END_SECONDS)
        for task in (*tasks, *worker.runs):
            task.cancel()
        await asyncio.wait(tasks, timeout=1)
        with suppress(TimeoutError):
            await asyncio.wait_for(own.close(), 1)


@dataclass(eq=False)
class Worker:
    """Runs at most `pace.concurrency` jobs at once."""

    queue: Queue
    db: Database
    tools: Tools
    work: dict[str, Work]
    pace: Pace
    runs: "dict[asyncio.Task[None], Run]" = field(default_factory=dict)
    change: asyncio.Event = field(default_factory=asyncio.Event)
    is_ending: bool = False

    def wake(self) -> None:
        """Lets it look for jobs."""
        self.change.set()

    async def take_jobs(self) -> None:
        """Takes jobs until the worker ends, then waits for those it runs."""
        while not self.is_ending:
            self.change.clear()
            if free := self.pace.concurrency - len(self.runs):
                for job in await self.queue.take(list(self.work), free, [run.job.hold for run in self.runs.values()]):
                    self._start(job)
            with suppress(TimeoutError):
                await asyncio.wait_for(self.change.wait(), await self._pause())
        if self.runs:
            await asyncio.wait(self.runs)

    async def _pause(self) -> float:
        """Returns in how many seconds to look again, unless something changes before."""
        is_full = len(self.runs) >= self.pace.concurrency
        seconds = None if is_full else await self.queue.seconds_to_next(list(self.work))
        return LONGEST_PAUSE if seconds is None else min(max(seconds, SHORTEST_PAUSE), LONGEST_PAUSE)

    def _start(self, job: Job) -> None:
        db = HeldDatabase(self.db, job.hold, self.pace.heartbeat)
        run = Run(job, self.work[job.kind], db, self.tools, self.queue)
        if self.is_ending:
            run.end(HandedBack())
        task = asyncio.create_task(run.do())
        self.runs[task] = run
        task.add_done_callback(self._forget)

    def _forget(self, task: "asyncio.Task[None]") -> None:
        del self.runs[task]
        self.wake()

    async def beat_forever(self) -> None:
        """Holds the running jobs; ends those that another worker has taken or an operator has stopped."""
        while True:
            await asyncio.sleep(self.pace.heartbeat.total_seconds() / 3)
            runs = list(self.runs.values())
            held = await self.queue.beat([run.job.hold for run in runs]) if runs else {}
            for run in runs:
                if run.job.hold not in held:
                    run.end(HoldLost())
                elif (stop := held[run.job.hold]) is not None:
                    run.end(JobStopped(stop))

    def end(self) -> None:
        """Takes no more jobs and ends the handlers, so that the jobs are handed back."""
        self.is_ending = True
        self.wake()
        for run in self.runs.values():
            run.end(HandedBack())
