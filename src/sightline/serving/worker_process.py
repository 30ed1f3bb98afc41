"""The background worker, started by `serve` and by `worker`: `python -m sightline.serving.worker_process`."""

import asyncio
import os
import signal
from datetime import timedelta

import structlog
import uvloop

from sightline.platform import logs
from sightline.platform.clock import Clock
from sightline.platform.db import Database, DatabaseUnavailable
from sightline.platform.jobs.worker import Pace, Worker
from sightline.serving.parent import end_with_parent, report_ready
from sightline.settings import Settings
from sightline.worker import jobs_of_rooms, open_tools

_log = structlog.get_logger()

# A lost connection that nobody closed holds up a job or a tick no longer than this. The longest statement, which adds
# 100,000 of a million missing jobs, takes 6 s; a job that waits longer for a lock starts again as the same attempt.
_ANSWER_SECONDS = 60.0
_LESS_URGENT = 10  # added to the niceness, so that requests go first where processors are few


def main() -> None:
    end_with_parent()
    os.nice(_LESS_URGENT)
    settings = Settings.read()
    logs.configure(settings.log_level, settings.log_format)
    code = 1
    try:
        asyncio.Runner(loop_factory=uvloop.new_event_loop).run(_work(settings))
        code = 0
    except DatabaseUnavailable as error:
        _log.error("The worker cannot start", error=str(error))
    except Exception as error:
        _log.error("The worker ended", exc_info=error)
    os._exit(code)  # an ordinary exit would wait for threads whose results are no longer needed


async def _work(settings: Settings) -> None:
    """Runs jobs until SIGTERM or SIGINT, then hands unfinished ones back."""
    assert settings.database_url  # noqa: S101 - the command sets it
    assert settings.direct_url  # noqa: S101 - likewise
    ending = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ending.set)
    db = await Database.connect(
        settings.database_url,
        size=max(2, min(settings.pool_size, settings.concurrency)),
        clock=Clock(settings.clock_offset),
        through_pooler=settings.is_pooled,
        answer_seconds=_ANSWER_SECONDS,
    )
    pace = Pace(concurrency=settings.concurrency, heartbeat=timedelta(seconds=settings.job_heartbeat))
    async with open_tools(settings) as tools:
        await Worker(db, settings.direct_url, jobs_of_rooms(), tools, pace).run(ending, report_ready)


if __name__ == "__main__":
    main()
