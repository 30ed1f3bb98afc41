"""How a command reaches the data: the given database, or the embedded one, which it shares with a running server."""

import asyncio
import getpass
import inspect
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

import typer

from sightline.cli.options import AsJson, Command, DatabaseUrl, DataDir
from sightline.cli.output import print_json
from sightline.cli.refusals import CommandRefused
from sightline.migrations import migrate, pending
from sightline.platform import logs
from sightline.platform.access import Actor, Role
from sightline.platform.clock import Clock
from sightline.platform.db import Database, Tx
from sightline.platform.db.embedded import EmbeddedServer
from sightline.settings import Settings
from sightline.workspaces.tenants import find_workspace

Work = TypeVar("Work", bound=Callable[..., Awaitable[Any]])
NOWHERE = UUID(int=0)


class Site(NamedTuple):
    """What a command works on: a migrated database and the settings."""

    db: Database
    settings: Settings
    as_json: bool

    @asynccontextmanager
    async def transaction(self, slug: str) -> AsyncIterator[tuple[Tx, Actor]]:
        """A transaction in a workspace, of the user of this machine."""
        async with self.db.transaction() as tx:
            yield tx, operator((await find_workspace(tx, slug)).id)


def command_of(
    app: typer.Typer,
    name: str,
    *,
    show: Callable[[Any], None] = typer.echo,
    code: Callable[[Any], int] = lambda _: 0,
    is_first_use: bool = False,
    has_json: bool = True,
) -> Callable[[Work], Work]:
    """Makes a command of a coroutine that takes a Site. Its result is printed as JSON with `--json`, else by `show`.

    `code` returns the exit code for the result; without a result nothing is printed and the exit code is 0. The
    embedded database is migrated; of a command that `is_first_use`, it is created too, and any other database is
    migrated. Otherwise a database that is missing or not up to date is refused.
    """

    def register(work: Work) -> Work:
        def command(*, data_dir: Path | None, database_url: str | None, json: bool = False, **options: Any) -> None:
            settings = read_settings(data_dir, database_url)
            logs.configure(settings.log_level, settings.log_format)
            with database_urls(settings, may_create=is_first_use) as urls:
                result = asyncio.run(_run(settings, urls, partial(work, **options), json, is_first_use))
            if result is not None:
                (print_json if json else show)(result)
                raise typer.Exit(code(result))

        own = list(inspect.signature(work).parameters.values())[1:]
        shared = list(inspect.signature(_shared_options).parameters.values())[not has_json :]
        parameters = [one.replace(kind=one.KEYWORD_ONLY) for one in (*own, *shared)]
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # read by typer
        command.__annotations__ = {one.name: one.annotation for one in parameters}
        command.__doc__ = work.__doc__
        app.command(name, cls=Command)(command)
        return work

    return register


def _shared_options(json: AsJson = False, data_dir: DataDir = None, database_url: DatabaseUrl = None) -> None: ...


async def _run(
    settings: Settings,
    urls: tuple[str, str],
    work: Callable[[Site], Awaitable[Any]],
    as_json: bool,
    is_first_use: bool,
) -> Any:
    url, direct_url = urls
    if is_first_use or settings.database_url is None:
        await migrate(direct_url)
    else:
        await refuse_outdated(direct_url)
    db = await Database.connect(url, size=2, clock=Clock(settings.clock_offset), through_pooler=settings.is_pooled)
    try:
        return await work(Site(db, settings, as_json))
    finally:
        await db.close()


async def refuse_outdated(direct_url: str) -> None:
    """Raises CommandRefused for a database that is not up to date."""
    if await pending(direct_url):
        raise CommandRefused("The database is not up to date: run `sightline migrate`.")


def read_settings(data_dir: Path | None = None, database_url: str | None = None, **options: Any) -> Settings:
    """The settings with the options of this command. Raises SettingsError.

    `--data-dir` on the command line means the embedded database, whatever the environment says.
    """
    settings = Settings.read({"data_dir": data_dir, "database_url": database_url, **options})
    if data_dir is not None and database_url is None:
        return settings.embedded()
    return settings


@contextmanager
def database_urls(settings: Settings, *, may_create: bool = False) -> Iterator[tuple[str, str]]:
    """The database's address for statements and its direct one; keeps the embedded server running meanwhile.

    Raises CommandRefused when there is no embedded database yet, unless the command may create it.
    """
    if settings.database_url is not None:
        yield settings.database_url, settings.listen_url or settings.database_url
        return
    if not may_create:
        refuse_missing_database(settings)
    with EmbeddedServer(settings.data_dir) as server:
        url = server.start()
        yield url, url


def refuse_missing_database(settings: Settings) -> None:
    """Raises CommandRefused when the data directory holds no embedded database."""
    if not has_database(settings):
        raise CommandRefused(f"There is no database in {settings.data_dir}: `sightline init` or `serve` creates it.")


def has_database(settings: Settings) -> bool:
    """Whether a database is given, or the data directory holds an embedded one."""
    return settings.database_url is not None or os.path.lexists(settings.data_dir / "postgres")


def operator(workspace_id: UUID = NOWHERE) -> Actor:
    """The user of this machine, for the trail; has the rights of an owner."""
    try:
        login = getpass.getuser()
    except (KeyError, OSError):
        login = "unknown"
    return Actor(workspace_id=workspace_id, kind="operator", id=login, name="sightline", role=Role.OWNER)
