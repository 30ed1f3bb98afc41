"""Keeps the database, the API processes and the background worker running."""

import os
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from tempfile import TemporaryDirectory

import asyncpg

from sightline.platform import logs
from sightline.platform.db import DatabaseUnavailable
from sightline.platform.db.notifications import find_fault
from sightline.serving.database import ready_database
from sightline.serving.listening import listen
from sightline.serving.supervisor import Child, keep_running
from sightline.settings import Settings

CONNECTIONS = 64  # of the embedded database's 100, for the pools of all API processes together

# Else glibc, after one large text, keeps the memory of all later ones: 54 MB after eight responses of 8 MB.
_ALLOCATION = {"MALLOC_MMAP_THRESHOLD_": "1048576", "MALLOC_TRIM_THRESHOLD_": "2097152"}


async def keep_serving(
    settings: Settings, *, prepare: Callable[[str], Awaitable[None]] | None = None, say_ready: Callable[[int], None]
) -> None:
    """Serves until SIGTERM or SIGINT. Raises what refuses to start.

    `prepare` is called with the migrated database's address before anything is served, `say_ready` with the port once
    all API processes answer and the worker takes jobs.
    """
    logs.configure(settings.log_level, settings.log_format)
    listen(settings.host, settings.port, 1)[0].close()  # a busy port is refused before anything is started
    if settings.database_url is not None:
        settings.server_secret()
        with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):  # the migration finds the same
            if fault := await find_fault(settings.database_url, settings.listen_url):
                raise DatabaseUnavailable(fault)
    with ExitStack() as stack:
        async with ready_database(settings, may_migrate=True) as url:
            if prepare is not None:
                await prepare(url)
            sockets = listen(settings.host, settings.port, settings.workers)
            port = int(sockets[0].getsockname()[1])
            environment = _environment(settings, url, settings.server_secret(), port)
            shared = {}
            if settings.workers > 1:  # they count together, so that `/metrics` of any one shows all
                folder = TemporaryDirectory(prefix="sightline-metrics-", ignore_cleanup_errors=True)
                shared["PROMETHEUS_MULTIPROC_DIR"] = stack.enter_context(folder)
            children = [
                Child(f"API process {place}", "sightline.serving.api_process", environment | shared, at)
                for place, at in enumerate(sockets, 1)
            ]
            await keep_running(
                children if settings.no_worker else [*children, _worker(environment)], lambda: say_ready(port)
            )


async def keep_working(settings: Settings) -> None:
    """Runs a background worker until SIGTERM or SIGINT. Migrates the embedded database only."""
    logs.configure(settings.log_level, settings.log_format)
    async with ready_database(settings) as url:
        worker = _worker(_environment(settings, url, settings.known_secret(), settings.port))
        await keep_running([worker], lambda: logs.announce("Sightline's worker takes jobs."))


def _worker(environment: dict[str, str]) -> Child:
    return Child("worker", "sightline.serving.worker_process", environment)


def _environment(settings: Settings, url: str, secret: str | None, port: int) -> dict[str, str]:
    """This process's environment with these settings, for API processes and worker."""
    shared = replace(settings, secret=secret, port=port)
    if settings.database_url is None:
        share = max(2, CONNECTIONS // settings.workers)
        shared = replace(shared, database_url=url, pool_size=min(settings.pool_size, share))
    return _ALLOCATION | os.environ | shared.environment()
