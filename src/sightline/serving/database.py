"""The database of a server: a given one, or the embedded one, which is started again when it dies."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from threading import Event, Thread

import structlog

from sightline.migrations import migrate, pending
from sightline.platform import logs
from sightline.platform.db import Database, DatabaseUnavailable
from sightline.platform.db.embedded import EmbeddedServer, EmbeddedServerError
from sightline.settings import Settings

WATCH_SECONDS = 1.0
LEAVE_SECONDS = 3.0
STOP_SECONDS = 4  # of the embedded database, after the at most 15 of the processes: together below 20

_log = structlog.get_logger()


async def ensure_current(settings: Settings, direct_url: str, *, may_migrate: bool = False) -> list[str]:
    """Migrates the embedded database, and another one if that is allowed. Returns the applied revisions.

    Raises DatabaseUnavailable, also if another database is not up to date.
    """
    if may_migrate or settings.database_url is None:
        return await migrate(direct_url)
    if await pending(direct_url):
        raise DatabaseUnavailable("The database is not up to date: run `sightline migrate`.")
    return []


@asynccontextmanager
async def ready_database(settings: Settings, *, may_migrate: bool = False) -> AsyncIterator[str]:
    """Yields the address for statements of a database that is up to date and answers. Raises like ensure_current()."""
    with _watched(settings) as (url, direct_url):
        if applied := await ensure_current(settings, direct_url, may_migrate=may_migrate):
            logs.announce(f"Migrated the database: {', '.join(applied)}.")
        database = await Database.connect(url, size=1, through_pooler=settings.is_pooled, is_impatient=True)
        await database.close()
        yield url


@contextmanager
def _watched(settings: Settings) -> Iterator[tuple[str, str]]:
    """Yields the database's address for statements and its direct one."""
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
