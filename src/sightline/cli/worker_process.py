"""The background worker, started by `serve` and by `worker`: `python -m sightline.cli.worker_process`."""

import asyncio
import os
import signal
import sys

import structlog

from sightline.cli.parent import end_with_parent, report_ready
from sightline.platform import logs
from sightline.platform.db import DatabaseUnavailable
from sightline.settings import Settings
from sightline.worker import work

_log = structlog.get_logger()


def main() -> None:
    end_with_parent()
    settings = Settings.read()
    logs.configure(settings.log_level, settings.log_format)
    code = asyncio.Runner().run(_work(settings))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # an ordinary exit would wait for threads whose results are no longer needed


async def _work(settings: Settings) -> int:
    """Runs jobs until SIGTERM or SIGINT, then hands unfinished ones back; returns the exit code."""
    ending = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ending.set)
    try:
        await work(settings, ending, report_ready)
    except DatabaseUnavailable as error:
        _log.error("The worker cannot start", error=str(error))
        return 1
    except Exception as error:
        _log.error("The worker ended", exc_info=error)
        return 1
    return 0


if __name__ == "__main__":
    main()
