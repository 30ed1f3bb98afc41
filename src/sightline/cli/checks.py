"""What `doctor` looks at. Each check is one line; a failed one says what to do."""

import asyncio
import os
import shutil
import stat
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
from msgspec import Struct

from sightline import __version__
from sightline.cli.data import database_urls, read_settings
from sightline.cli.refusals import one_line
from sightline.migrations import HEAD, pending_on
from sightline.platform.db import DatabaseUnavailable
from sightline.settings import FILE, Settings, SettingsError

LEAST_FREE = 500_000_000
CLOCK_SECONDS = 5.0
CONNECT_SECONDS = 10


class Check(Struct):
    name: str
    ok: bool
    said: str


def all_checks(data_dir: Path | None, database_url: str | None) -> list[Check]:
    try:
        settings = read_settings(data_dir, database_url)
    except SettingsError as error:
        return [Check("configuration", False, str(error))]
    return list(_checks(settings))


def _checks(settings: Settings) -> Iterator[Check]:
    source = f"{FILE} and the environment" if Path(FILE).exists() else "the environment"
    yield Check("version", True, f"Sightline {__version__}, schema {HEAD}")
    yield Check("configuration", True, f"read from {source}")
    yield from _database_checks(settings)
    if settings.database_url is None and settings.data_dir.exists():
        yield _check_data_dir(settings.data_dir)
    yield _check_disk(settings.data_dir)
    yield _check_secret(settings)
    yield from _provider_checks(settings)


def _database_checks(settings: Settings) -> Iterator[Check]:
    if settings.database_url is None and not (settings.data_dir / "postgres").exists():
        yield Check("database", True, f"none in {settings.data_dir} yet: `sightline init` or `serve` makes it")
        return
    try:
        with database_urls(settings) as (url, direct_url):
            yield from asyncio.run(_ask_database(url))
            if direct_url != url:
                yield from asyncio.run(_ask_listener(direct_url))
    except Exception as error:
        line = one_line(error)
        if line is None:
            raise
        yield Check("database", False, line)


async def _ask_database(url: str) -> list[Check]:
    connection = await _connect(url)
    try:
        version = connection.get_server_version()
        is_fit = version.major >= 15
        yes = f"PostgreSQL {version.major}.{version.minor}"
        checks = [Check("database", is_fit, yes if is_fit else f"{yes}; 15 or newer is needed")]
        if is_fit:
            checks += [await _check_schema(connection), await _check_clock(connection)]
        return checks
    finally:
        await connection.close()


async def _ask_listener(url: str) -> list[Check]:
    connection = await _connect(url)
    await connection.close()
    return [Check("listen address", True, "reached")]


async def _connect(url: str) -> "asyncpg.Connection[asyncpg.Record]":
    try:
        return await asyncpg.connect(url, timeout=CONNECT_SECONDS, statement_cache_size=0)
    except TimeoutError:
        raise DatabaseUnavailable(f"No answer in {CONNECT_SECONDS} s.") from None
    except (OSError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise DatabaseUnavailable(f"It cannot be reached: {error}") from error


async def _check_schema(connection: "asyncpg.Connection[asyncpg.Record]") -> Check:
    try:
        missing = await pending_on(connection)
    except DatabaseUnavailable as error:
        return Check("schema", False, str(error))
    if missing:
        return Check("schema", False, "Not up to date: run `sightline migrate`.")
    return Check("schema", True, f"revision {HEAD}")


async def _check_clock(connection: "asyncpg.Connection[asyncpg.Record]") -> Check:
    started = time.monotonic()
    theirs = await connection.fetchval("SELECT clock_timestamp()")
    on_the_way = (time.monotonic() - started) / 2
    apart = abs((datetime.now(UTC) - theirs).total_seconds()) - on_the_way
    if apart > CLOCK_SECONDS:
        return Check("clock", False, f"This machine and the database are {apart:.0f} s apart: synchronise them.")
    return Check("clock", True, f"{max(apart, 0) * 1000:.0f} ms from the database")


def _check_data_dir(folder: Path) -> Check:
    if not folder.is_dir():
        return Check("data directory", False, f"{folder} is no folder.")
    if (folder / "postgres").exists() and stat.S_IMODE((folder / "postgres").stat().st_mode) & 0o077:
        return Check("data directory", False, f"{folder}/postgres is open to others: run chmod 700 on it.")
    if not os.access(folder, os.W_OK | os.X_OK):
        return Check("data directory", False, f"{folder} cannot be written by this user.")
    return Check("data directory", True, str(folder))


def _check_disk(folder: Path) -> Check:
    place = next(step for step in (folder, *folder.parents) if step.exists())
    free = shutil.disk_usage(place).free
    said = f"{free / 1e9:.1f} GB free at {place}"
    return Check("disk", free >= LEAST_FREE, said if free >= LEAST_FREE else f"Only {said}.")


def _check_secret(settings: Settings) -> Check:
    kept = settings.data_dir / "secret"
    if settings.secret is not None:
        return Check("secret", True, "given")
    if settings.database_url is not None:
        return Check("secret", False, "SIGHTLINE_SECRET is needed with a database of your own.")
    if not kept.exists():
        return Check("secret", True, "made when it is first needed")
    if stat.S_IMODE(kept.stat().st_mode) & 0o077:
        return Check("secret", False, f"{kept} is open to others: run chmod 600 on it.")
    return Check("secret", True, f"kept in {kept}")


def _provider_checks(settings: Settings) -> Iterator[Check]:
    model = f"{settings.model_name or 'no SIGHTLINE_MODEL_NAME'} at {settings.model_url}"
    is_whole = settings.model_url is None or settings.model_name is not None
    yield Check("model", is_whole, model if settings.model_url else "not configured: the embedded engine works")
    search = {
        "searxng": settings.searxng_url,
        "brave": settings.brave_key,
        "tavily": settings.tavily_key,
        "exa": settings.exa_key,
    }
    configured = [name for name, value in search.items() if value]
    chosen = settings.search_provider or next(iter(configured), "library")
    if chosen != "library" and chosen not in configured:
        yield Check("search", False, f"SIGHTLINE_SEARCH_PROVIDER is {chosen}, which is not configured.")
    else:
        yield Check("search", True, f"{settings.library}, saved pages" if chosen == "library" else chosen)
    yield Check("app store", True, settings.app_store_url)
