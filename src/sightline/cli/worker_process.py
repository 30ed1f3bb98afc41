"""The background worker, started by `serve` and by `worker`: `python -m sightline.cli.worker_process`."""

import asyncio
import os

import structlog

from sightline.cli.children import end_with_parent, report_ready
from sightline.platform import logs
from sightline.platform.db import DatabaseUnavailable
from sightline.settings import Settings
from sightline.worker import work

_log = structlog.get_logger()


def main() -> None:
    end_with_parent()
    settings = Settings.read()
    logs.configure(settings.log_level, settings.log_format)
    code = 1
    try:
        asyncio.Runner().run(work(settings, report_ready))
        code = 0
    except DatabaseUnavailable as error:
        _log.error("The worker cannot start", error=str(error))
    except Exception as error:
        _log.error("The worker ended", exc_info=error)
    os._exit(code)  # an ordinary exit would wait for threads whose results are no longer needed


if __name__ == "__main__":
    main()
