"""What a worker does every minute."""

import asyncio
from collections.abc import Iterable
from datetime import timedelta

import structlog

from sightline.platform.db import Database
from sightline.platform.jobs import queries
from sightline.platform.jobs.kinds import Tick, Tools

LOG_KEPT = timedelta(days=7)
FAILED_KEPT = timedelta(days=30)
LONGEST_SECONDS = 300.0

_log = structlog.get_logger()


async def tick_for_ever(ticks: Iterable[Tick], db: Database, tools: Tools, pause: timedelta) -> None:
    """One after the other, at once and then after each pause. One that fails or hangs does not keep the others."""
    ticks = [Tick("jobs.trim", trim), *ticks]
    while True:
        for tick in ticks:
            await _once(tick, db, tools)
        await asyncio.sleep(pause.total_seconds())


async def _once(tick: Tick, db: Database, tools: Tools) -> None:
    try:
        async with asyncio.timeout(LONGEST_SECONDS):
            await tick.act(db, tools)
    except Exception as error:
        _log.error("A tick failed and is tried again with the next", tick=tick.name, exc_info=error)


async def trim(db: Database, _tools: Tools) -> None:
    """Forgets what was logged of attempts after a week, and failed jobs after a month."""
    async with db.read() as tx:
        await tx.run(queries.TRIM_LOG, LOG_KEPT)
        await tx.run(queries.TRIM_FAILED, FAILED_KEPT)
