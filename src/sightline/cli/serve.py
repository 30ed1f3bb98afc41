"""`sightline serve`: keeps the database, the API processes and the background worker running."""

import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Annotated

import asyncpg
import structlog

from sightline.cli.children import Child, keep_running, run_until_asked
from sightline.cli.listening import listen
from sightline.cli.options import Command, DatabaseUrl, DataDir, Host, Port, setting, single
from sightline.cli.refusals import CommandRefused
from sightline.cli.site import read_settings
from sightline.migrations import migrate
from sightline.platform import logs
from sightline.platform.db import Database
from sightline.platform.db.embedded import EmbeddedServer, EmbeddedServerError
from sightline.platform.db.notifications import find_fault
from sightline.settings import Settings

CONNECTIONS = 64  # of the embedded database's 100, for the pools of all API processes together
WORKER = "sightline.cli.worker_process"
WATCH_SECONDS = 1.0
LEAVE_SECONDS = 3.0
STOP_SECONDS = 4  # of the embedded database, after the at most 15 of the processes: together below 20

app = single()
_log = structlog.get_logger()


@app.command("serve", cls=Command)
def serve(
    host: Host = None,
    port: Port = None,
    workers: Annotated[int | None, setting("workers")] = None,
    no_worker: Annotated[bool | None, setting("no_worker")] = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Migrates if needed and serves until SIGTERM. Ready when GET /readyz answers 200."""
    settings = read_settings(data_dir, database_url, host=host, port=port, workers=workers, no_worker=no_worker)

    def say_ready(port: int) -> None:
        address = settings.address(port)
        logs.announce(f"Sightline serves on {address}", documentation=f"{address}/docs")

    run_until_asked(keep_serving(settings, say_ready=say_ready))


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
                raise CommandRefused(fault)
    with watched_database(settings) as (url, direct_url), ExitStack() as stack:
        await migrate_database(settings, url, direct_url)
        if prepare is not None:
            await prepare(url)
        sockets = listen(settings.host, settings.port, settings.workers)
        port = int(sockets[0].getsockname()[1])
        environment = environment_of(settings, url, settings.server_secret(), port)
        shared = {}
        if settings.workers > 1:  # they count together, so that `/metrics` of any one shows all
            folder = TemporaryDirectory(prefix="sightline-metrics-", ignore_cleanup_errors=True)
            shared["PROMETHEUS_MULTIPROC_DIR"] = stack.enter_context(folder)
        children = [
            Child(f"API process {place}", "sightline.cli.api_process", environment | shared, at)
            for place, at in enumerate(sockets, 1)
        ]
        if not settings.no_worker:
            children.append(Child("worker", WORKER, environment))
        await keep_running(children, lambda: say_ready(port))


async def migrate_database(settings: Settings, url: str, direct_url: str) -> None:
    """Migrates the database and tries the address that the API processes will use."""
    if applied := await migrate(direct_url):
        logs.announce(f"Migrated the database: {', '.join(applied)}.")
    database = await Database.connect(url, size=1, through_pooler=settings.is_pooled)
    await database.close()


def environment_of(settings: Settings, url: str, secret: str | None, port: int) -> dict[str, str]:
    """This process's environment with these settings, for API processes and worker."""
    shared = replace(settings, secret=secret, port=port)
    if settings.database_url is None:
        share = max(2, CONNECTIONS // settings.workers)
        shared = replace(shared, database_url=url, pool_size=min(settings.pool_size, share))
    return {**os.environ, **shared.environment()}


@contextmanager
def watched_database(settings: Settings) -> Iterator[tuple[str, str]]:
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
            server.stop(within=STOP_SECONDS)


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
