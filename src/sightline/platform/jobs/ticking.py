"""Runs each room's periodic work."""

import asyncio
from collections.abc import Iterable
from datetime import timedelta

import structlog

from sightline.platform.db import Database
from sightline.platform.jobs import queries
from sightline.platform.jobs.kinds import Tick, Tools

FAILED_KEPT = timedelta(days=30)
LONGEST_SECONDS = 300.0

_log = structlog.get_logger()


async def tick_forever(ticks: Iterable[Tick], db: Database, tools: Tools, pause: timedelta) -> None:
    """Runs every tick, now and again after each pause; one that fails or takes long does not delay the others."""
    async with asyncio.TaskGroup() as group:
        for tick in (Tick("jobs.forget_failed", forget_failed), *ticks):
            group.create_task(_repeat(tick, db, tools, pause))


async def _repeat(tick: Tick, db: Database, tools: Tools, pause: timedelta) -> None:
    while True:
        try:
            async with asyncio.timeout(LONGEST_SECONDS):
                await tick.act(db, tools)
        except Exception as error:
            _log.error("A tick failed and is repeated after the pause", tick=tick.name, exc_info=error)
        await asyncio.sleep(pause.total_seconds())


async def forget_failed(db: Database, _tools: Tools) -> None:
    """Deletes failed jobs after a month."""
    async with db.autocommit() as tx:
        await tx.run(queries.FORGET_FAILED, kept=FAILED_KEPT)
