"""How a command reaches the data: the given database, or the embedded one, shared with a server that runs on it."""

import asyncio
import getpass
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

from sightline.cli.refusals import CommandRefused
from sightline.platform.access import Actor, Role
from sightline.platform.clock import Clock
from sightline.platform.db import Database
from sightline.settings import Settings

Result = TypeVar("Result")
NOWHERE = UUID(int=0)


def read_settings(data_dir: Path | None = None, database_url: str | None = None, **given: Any) -> Settings:
    """The settings with the options of this command. Raises SettingsError.

    `--data-dir` on the command line means the embedded database, whatever the environment says.
    """
    settings = Settings.read({"data_dir": data_dir, "database_url": database_url, **given})
    if data_dir is not None and database_url is None:
        return settings.embedded()
    return settings


@contextmanager
def database_urls(settings: Settings) -> Iterator[tuple[str, str]]:
    """The address for statements and the one past a pooler; keeps the embedded server running meanwhile."""
    if settings.database_url is not None:
        yield settings.database_url, settings.listen_url or settings.database_url
        return
    from sightline.platform.db.embedded import EmbeddedServer

    with EmbeddedServer(settings.data_dir) as server:
        url = server.start()
        yield url, url


def with_database(
    settings: Settings, work: Callable[[Database], Awaitable[Result]], *, is_first_use: bool = False
) -> Result:
    """Runs the work on a migrated database.

    The embedded database, and one that the command may be the first to use, is migrated; another that is not up to
    date is refused.
    """
    with database_urls(settings) as (url, direct_url):
        is_migrating = is_first_use or settings.database_url is None
        return asyncio.run(_with_database(settings, url, direct_url, work, is_migrating))


async def _with_database(
    settings: Settings, url: str, direct_url: str, work: Callable[[Database], Awaitable[Result]], is_migrating: bool
) -> Result:
    from sightline.migrations import is_current, migrate

    if is_migrating:
        await migrate(direct_url)
    elif not await is_current(direct_url):
        raise CommandRefused("The database is not up to date: run `sightline migrate`.")
    database = await Database.connect(
        url, size=2, clock=Clock(settings.clock_offset), through_pooler=settings.is_pooled
    )
    try:
        return await work(database)
    finally:
        await database.close()


def operator(workspace_id: UUID = NOWHERE) -> Actor:
    """Who sits at this machine, for the trail; may do whatever an owner may."""
    return Actor(workspace_id=workspace_id, kind="operator", id=_login_name(), name="sightline", role=Role.OWNER)


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
