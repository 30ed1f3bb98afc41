"""A worker: runs jobs and ticks until it is told to end."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from pgqueuer.core.executors import EntrypointExecutorParameters
from pgqueuer.core.qm import QueueManager

from sightline.platform.db import Database
from sightline.platform.jobs.attempts import UNWIND_SECONDS, Attempts, Bench, Dead
from sightline.platform.jobs.driver import Driver
from sightline.platform.jobs.kinds import JobsOfRoom, Tools, Work
from sightline.platform.jobs.queue import CHANNEL, Queue, open_queue
from sightline.platform.jobs.ticking import tick_for_ever

HAND_BACK_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How much at once, and how fast.

    A worker that was silent for a `heartbeat` is taken for dead, and within another one its jobs run elsewhere.
    """

    concurrency: int = 10
    heartbeat: timedelta = timedelta(seconds=10)
    tick: timedelta = timedelta(minutes=1)

    @property
    def look(self) -> timedelta:
        """How often an idle worker looks for the jobs of dead ones; of new jobs it hears at once."""
        return min(self.heartbeat / 2, timedelta(seconds=5))


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
    """Works until `ending` is set, then hands back what is unfinished: at once, and ends within 8 s.

    `db` is what handlers get, `url` the address past a pooler. Raises DatabaseUnavailable when the database cannot be
    reached at the start; later it waits for it.
    """
    rooms = list(rooms)
    logging.getLogger("pgqueuer").addFilter(_is_news)
    driver = Driver(url)
    await driver.open()
    manager, queue = _manager(driver, pace)
    for work in (work for room in rooms for work in room.work):
        manager.register_executor(work.kind.name, _attempts(work, Bench(queue, db, tools, pace.heartbeat)))
    ticks = [tick for room in rooms for tick in room.ticks]
    ticking = asyncio.create_task(tick_for_ever(ticks, db, tools, pace.tick))
    try:
        await manager.verify_structure()
        await _run_until(ending, manager, queue, pace, on_ready)
    finally:
        await _end(ticking)
        await driver.close()


def _manager(driver: Driver, pace: Pace) -> tuple[QueueManager, Queue]:
    queue = open_queue(driver, pace.concurrency)
    manager = QueueManager(queue, CHANNEL)
    queue.worker_id = manager.queue_manager_id
    return manager, queue


def _attempts(work: Work, bench: Bench) -> Attempts:
    return Attempts(EntrypointExecutorParameters(concurrency_limit=0, func=_never, on_failure="hold"), work, bench)


async def _never(_job: object) -> None:
    """PgQueuer wants a function; Attempts knows its own."""


async def _run_until(
    ending: asyncio.Event, manager: QueueManager, queue: Queue, pace: Pace, on_ready: Callable[[], None]
) -> None:
    """Raises what ended the queue before it was told to end."""
    running = asyncio.create_task(
        manager.run(
            dequeue_timeout=pace.look,
            batch_size=max(1, pace.concurrency // 2),
            heartbeat_timeout=pace.heartbeat,
            log_aggregation_interval=timedelta(0),
        )
    )
    told = asyncio.create_task(ending.wait())
    try:
        on_ready()
        await asyncio.wait({running, told}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        manager.shutdown.set()
        queue.end_all()
        await asyncio.wait({running}, timeout=UNWIND_SECONDS + HAND_BACK_SECONDS)
        with suppress(Exception):
            await asyncio.wait_for(queue.hand_back(), HAND_BACK_SECONDS)
        queue.own.shutdown.set()
        told.cancel()
        await _end(running)
    if not ending.is_set():
        running.result()


async def _end(task: "asyncio.Task[None]") -> None:
    """What it still raises was told already, or concerns nobody any more."""
    task.cancel()
    await asyncio.wait({task}, timeout=1)
    if task.done() and not task.cancelled():
        task.exception()


def _is_news(record: logging.LogRecord) -> bool:
    """Attempts has told already why a job failed."""
    return not (record.exc_info and isinstance(record.exc_info[1], Dead))
