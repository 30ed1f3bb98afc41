"""The background worker: every room's jobs on one queue, and what is done every minute.

Run by `sightline.cli.worker_process` beside a server, by `sightline worker` alone. Only here is imported what rooms
need for work that is done later.
"""

import asyncio
from collections.abc import Callable, Iterable
from datetime import timedelta

from sightline.documents import jobs as documents
from sightline.intelligence.embedded import embedded_engine
from sightline.intelligence.engine import Engine
from sightline.platform.clock import Clock
from sightline.platform.db import Database
from sightline.platform.jobs import JobsOfRoom, Tools
from sightline.platform.jobs.running import Pace, run_jobs
from sightline.settings import Settings
from sightline.signals import jobs as signals


def jobs_of_rooms() -> list[JobsOfRoom]:
    """Each room's own list, in its `jobs.py`."""
    return [signals.JOBS, documents.JOBS]


def make_tools(_settings: Settings) -> Tools:
    """What handlers share for as long as the worker lives."""
    return {Engine: embedded_engine()}


async def work(
    settings: Settings,
    ending: asyncio.Event,
    on_ready: Callable[[], None],
    *,
    rooms: Iterable[JobsOfRoom] | None = None,
    tick: timedelta = timedelta(minutes=1),
) -> None:
    """Works until `ending` is set. Raises DatabaseUnavailable when there is no database at the start."""
    assert settings.database_url  # noqa: S101 - who starts a worker names it
    assert settings.direct_url  # noqa: S101 - likewise
    db = await Database.connect(
        settings.database_url,
        size=max(2, min(settings.pool_size, settings.concurrency)),
        clock=Clock(settings.clock_offset),
        through_pooler=settings.is_pooled,
    )
    pace = Pace(concurrency=settings.concurrency, heartbeat=timedelta(seconds=settings.job_heartbeat), tick=tick)
    try:
        chosen = jobs_of_rooms() if rooms is None else rooms
        await run_jobs(
            db, settings.direct_url, chosen, make_tools(settings), pace=pace, ending=ending, on_ready=on_ready
        )
    finally:
        await db.close()
