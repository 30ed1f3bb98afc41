"""What `serve`, `demo` and `worker` do: keep the database, the API processes and the worker running until SIGTERM."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from tempfile import TemporaryDirectory
from threading import Event, Thread

import asyncpg
import structlog

from sightline.cli.children import Child, exit_when_asked, keep_running
from sightline.cli.listening import listen, refuse_busy_port
from sightline.cli.notifications import find_fault
from sightline.cli.refusals import CommandRefused
from sightline.migrations import is_current, migrate
from sightline.platform import logs
from sightline.platform.db import Database
from sightline.platform.db.embedded import EmbeddedServer, EmbeddedServerError
from sightline.settings import Settings

SHARED_COUNTERS = "PROMETHEUS_MULTIPROC_DIR"
CONNECTIONS = 64  # of the embedded database's 100, for the pools of all API processes together
WATCH_SECONDS = 1.0
LEAVE_SECONDS = 3.0

_log = structlog.get_logger()


async def _nothing_to_prepare(_url: str) -> None: ...


def keep_serving(
    settings: Settings,
    *,
    prepare: Callable[[str], Awaitable[None]] = _nothing_to_prepare,
    say_ready: Callable[[int], None],
) -> None:
    """Serves until SIGTERM or SIGINT. Raises what refuses to start.

    `prepare` is called with the migrated database's address before anything is served, `say_ready` with the port once
    all API processes answer and the worker takes jobs.
    """
    exit_when_asked()
    logs.configure(settings.log_level, settings.log_format)
    refuse_busy_port(settings.host, settings.port)
    asyncio.run(_keep_serving(settings, prepare, say_ready))


async def _keep_serving(
    settings: Settings, prepare: Callable[[str], Awaitable[None]], say_ready: Callable[[int], None]
) -> None:
    if settings.database_url is not None:
        settings.server_secret()
        await _refuse_without_notifications(settings)
    with _watched_database(settings) as (url, direct_url), _shared_counters(settings.workers) as counters:
        await _migrate(settings, url, direct_url)
        await prepare(url)
        sockets = listen(settings.host, settings.port, settings.workers)
        port = int(sockets[0].getsockname()[1])
        environment = _environment(settings, url, port)
        children = [
            Child(f"API process {place}", "sightline.cli.api_process", environment | counters, at)
            for place, at in enumerate(sockets, 1)
        ]
        if not settings.no_worker:
            children.append(_worker(environment))
        await keep_running(children, lambda: say_ready(port))


def keep_working(settings: Settings, *, say_ready: Callable[[], None]) -> None:
    """Keeps a worker running until SIGTERM or SIGINT. Raises what refuses to start.

    Migrates the embedded database only; another one is migrated by its servers.
    """
    exit_when_asked()
    logs.configure(settings.log_level, settings.log_format)
    asyncio.run(_keep_working(settings, say_ready))


async def _keep_working(settings: Settings, say_ready: Callable[[], None]) -> None:
    with _watched_database(settings) as (url, direct_url):
        if settings.database_url is None:
            await _migrate(settings, url, direct_url)
        elif not await is_current(direct_url):
            raise CommandRefused("The database is not up to date: run `sightline migrate`.")
        own = replace(settings, secret=settings.known_secret(), database_url=url)
        await keep_running([_worker({**os.environ, **own.environment()})], say_ready)


async def _refuse_without_notifications(settings: Settings) -> None:
    with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):  # the migration finds the same and says it
        if fault := await find_fault(settings):
            raise CommandRefused(fault)


async def _migrate(settings: Settings, url: str, direct_url: str) -> None:
    """Migrates the database and tries the address that the API processes will use."""
    if applied := await migrate(direct_url):
        logs.announce(f"Migrated the database: {', '.join(applied)}.")
    database = await Database.connect(url, size=1, through_pooler=settings.is_pooled)
    await database.close()


@contextmanager
def _watched_database(settings: Settings) -> Iterator[tuple[str, str]]:
    """The database's address for statements and its direct one; the embedded server is started again when it dies."""
    if settings.database_url is not None:
        yield settings.database_url, settings.listen_url or settings.database_url
        return
    server, is_over = EmbeddedServer(settings.data_dir), Event()
    url = server.start()
    watch = Thread(target=_watch, args=(server, is_over), daemon=True, name="database")
    watch.start()
    try:
        yield url, url
    finally:
        is_over.set()
        watch.join(LEAVE_SECONDS)
        if not watch.is_alive():  # else it is being started, which may take minutes: it is left running
            server.stop()


def _watch(server: EmbeddedServer, is_over: Event) -> None:
    problem = ""
    while not is_over.wait(WATCH_SECONDS):
        try:
            if server.ensure_running():
                _log.warning("The embedded database had died and is started again.")
            problem = ""
        except EmbeddedServerError as error:
            if str(error) != problem:
                _log.error(str(error))
            problem = str(error)


@contextmanager
def _shared_counters(workers: int) -> Iterator[dict[str, str]]:
    """The variable that makes several API processes count together, so that `/metrics` of any one shows them all."""
    if workers == 1:
        yield {}
        return
    with TemporaryDirectory(prefix="sightline-metrics-", ignore_cleanup_errors=True) as folder:
        yield {SHARED_COUNTERS: folder}


def _environment(settings: Settings, url: str, port: int) -> dict[str, str]:
    """This process's settings, for API processes and worker."""
    shared = replace(settings, secret=settings.server_secret(), port=port)
    if settings.database_url is None:
        share = max(2, CONNECTIONS // settings.workers)
        shared = replace(shared, database_url=url, pool_size=min(settings.pool_size, share))
    return {**os.environ, **shared.environment()}


def _worker(environment: dict[str, str]) -> Child:
    return Child("worker", "sightline.cli.worker_process", environment)
