"""How a command reaches the data: the given database, or the embedded one, which it shares with a running server."""

import asyncio
import getpass
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import typer
from typer.main import get_command

from sightline.cli.options import AsJson, Command, DatabaseUrl, DataDir, command, new_app
from sightline.cli.output import print_json
from sightline.platform import logs
from sightline.platform.access import Actor, Role
from sightline.platform.clock import Clock
from sightline.platform.db import Database, Tx
from sightline.platform.db.embedded import EmbeddedServer
from sightline.platform.refused import Refused
from sightline.serving.database import ensure_current
from sightline.settings import Settings
from sightline.workspaces.tenants import find_workspace

NOWHERE = UUID(int=0)


class Site(typer.Context):
    """The context of a command that works on a migrated database."""

    db: Database
    settings: Settings
    as_json: bool

    @asynccontextmanager
    async def transaction(self, slug: str) -> AsyncIterator[tuple[Tx, Actor]]:
        """A transaction in a workspace, of the user of this machine."""
        async with self.db.transaction() as tx:
            yield tx, operator((await find_workspace(tx, slug)).id)


class CommandOptions(NamedTuple):
    """How a command works, and what becomes of its result. Without a result it prints nothing and exits with 0."""

    show: Callable[[Any], None] = typer.echo  # prints the result without --json
    code: Callable[[Any], int] = lambda _: 0  # the exit code for a result
    # Whether it creates the embedded database and migrates any database. Other commands refuse a database that is
    # missing or out of date, and migrate the embedded one.
    is_first_use: bool = False
    has_json: bool = True  # whether it takes --json
    connects: bool = True  # otherwise it is a plain function, whose site has no `db`


_shared = new_app()


@_shared.command()
def _options(json: AsJson = False, data_dir: DataDir = None, database_url: DatabaseUrl = None) -> None: ...


class SiteCommand(Command):
    """A command with `--json` and the options of the database, whose function takes a Site and is a coroutine."""

    context_class = Site

    def __init__(self, **declared: Any) -> None:
        how: CommandOptions = declared["context_settings"]["obj"]
        shared = get_command(_shared).params[not how.has_json :]
        super().__init__(**declared | {"params": [*declared["params"], *shared]})

    def invoke(self, ctx: Any) -> None:
        how: CommandOptions = ctx.obj
        ctx.as_json = ctx.params.pop("json", False)
        ctx.settings = settings = read_settings(ctx.params.pop("data_dir"), ctx.params.pop("database_url"))
        logs.configure(settings.log_level, settings.log_format)
        if how.connects:
            with database_urls(settings, may_create=how.is_first_use) as urls:
                result = asyncio.run(self._work(ctx, *urls))
        else:
            result = super().invoke(ctx)
        if result is not None:
            (print_json if ctx.as_json else how.show)(result)
            raise typer.Exit(how.code(result))

    async def _work(self, site: Site, url: str, direct_url: str) -> Any:
        settings = site.settings
        await ensure_current(settings, direct_url, may_migrate=site.obj.is_first_use)
        async with open_database(url, settings, through_pooler=settings.is_pooled) as site.db:
            return await super().invoke(site)


def site_command(words: str, **how: Any) -> Callable[..., Any]:
    """Makes a function the SiteCommand of these words. `how`: the CommandOptions that differ."""
    return command(words, cls=SiteCommand, context_settings={"obj": CommandOptions(**how)})


def read_settings(data_dir: Path | None = None, database_url: str | None = None, **options: Any) -> Settings:
    """The settings with the options of this command. Raises SettingsError.

    `--data-dir` on the command line means the embedded database, whatever the environment says.
    """
    settings = Settings.read({"data_dir": data_dir, "database_url": database_url, **options})
    if data_dir is not None and database_url is None:
        return settings.embedded()
    return settings


@asynccontextmanager
async def open_database(url: str, settings: Settings, *, through_pooler: bool = False) -> AsyncIterator[Database]:
    """The database at this address, with the clock of the settings, for a single task."""
    db = await Database.connect(url, size=2, clock=Clock(settings.clock_offset), through_pooler=through_pooler)
    try:
        yield db
    finally:
        await db.close()


@contextmanager
def database_urls(settings: Settings, *, may_create: bool = False) -> Iterator[tuple[str, str]]:
    """The database's address for statements and its direct one; keeps the embedded server running meanwhile.

    Raises Refused when there is no embedded database yet, unless the command may create it.
    """
    if settings.database_url is not None:
        yield settings.database_url, settings.listen_url or settings.database_url
        return
    if not (may_create or os.path.lexists(settings.data_dir / "postgres")):
        raise Refused(f"There is no database in {settings.data_dir}: `sightline init` or `serve` creates it.")
    with EmbeddedServer(settings.data_dir) as server:
        url = server.start()
        yield url, url


def operator(workspace_id: UUID = NOWHERE) -> Actor:
    """The user of this machine, for the trail; has the rights of an owner."""
    try:
        login = getpass.getuser()
    except (KeyError, OSError):
        login = "unknown"
    return Actor(workspace_id=workspace_id, kind="operator", id=login, name="sightline", role=Role.OWNER)
