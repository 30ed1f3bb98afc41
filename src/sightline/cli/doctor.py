"""`sightline doctor`: checks the installation, a line for each part; a failed check says what to do."""

import asyncio
import os
import shutil
import stat
import time
from collections.abc import Iterator
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
import typer
from msgspec import Struct

from sightline import __version__
from sightline.cli.notifications import find_fault
from sightline.cli.options import AsJson, Command, DatabaseUrl, DataDir, single, unknown_variables
from sightline.cli.output import print_json
from sightline.cli.refusals import lines
from sightline.cli.site import database_urls, read_settings
from sightline.migrations import HEAD, pending_on
from sightline.platform.clock import Clock
from sightline.platform.db import DatabaseUnavailable, Tx, sql
from sightline.platform.db.database import first_line
from sightline.platform.jobs.queries import TOTALS, WORKER
from sightline.settings import FILE, Settings, SettingsError
from sightline.sources.app_store.store import AppStore, StoreUnavailable

LEAST_FREE = 500_000_000  # bytes
CLOCK_SECONDS = 5.0
CONNECT_SECONDS = 10
LATE_SECONDS = 5
PROVIDER_SECONDS = 5

_WORKERS = sql("""
SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = :name""")


class Check(Struct):
    """One line of `doctor`. A warning is ok all the same: it does not change the exit code."""

    name: str
    ok: bool
    message: str
    warning: bool = False


app = single()


@app.command("doctor", cls=Command)
def doctor(
    context: typer.Context, json: AsJson = False, data_dir: DataDir = None, database_url: DatabaseUrl = None
) -> None:
    """Checks the installation, a line for each part. The exit code is 1 if something is wrong."""
    try:
        settings = read_settings(data_dir, database_url)
        unknown = " ".join(unknown_variables(context.find_root().command))
        environment = Check("environment", not unknown, unknown or "every SIGHTLINE_* variable is known")
        checks = [environment, *_checks(settings)]
    except SettingsError as error:
        checks = [Check("configuration", False, str(error))]
    if json:
        print_json({"checks": checks})
    else:
        for check in checks:
            state = "WRONG" if not check.ok else "warn" if check.warning else "ok"
            typer.echo(f"{state:5}  {check.name:14} {check.message}")
    raise typer.Exit(0 if all(check.ok for check in checks) else 1)


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
        yield Check("database", True, f"none in {settings.data_dir} yet: `sightline init` or `serve` creates it")
        return
    try:
        with database_urls(settings) as (url, direct_url):
            yield from asyncio.run(_check_database(url, direct_url))
            if settings.database_url is not None:
                yield asyncio.run(_check_notifications(settings))
    except Exception as error:
        if not (refusal := lines(error)):
            raise
        yield Check("database", False, refusal[0])


async def _check_database(url: str, direct_url: str) -> list[Check]:
    connection = await _connect(url)
    try:
        is_fit = connection.get_server_version().major >= 15
        async with connection.transaction(readonly=True):
            version = f"PostgreSQL {(await connection.fetchval('SHOW server_version')).split()[0]}"
            checks = [Check("database", is_fit, version if is_fit else f"{version}; 15 or newer is needed")]
            if is_fit:
                checks += [await _check_schema(connection), await _check_clock(connection)]
    finally:
        await connection.close()
    if checks[-1].ok and checks[-2].ok:
        checks.append(await _check_jobs(direct_url))
    return checks


async def _check_notifications(settings: Settings) -> Check:
    try:
        fault = await find_fault(settings)
    except (OSError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        fault = (
            f"{'SIGHTLINE_LISTEN_URL' if settings.is_pooled else 'The database'} cannot be used: {first_line(error)}."
        )
    return Check("notifications", fault is None, fault or "arrive")


async def _check_jobs(direct_url: str) -> Check:
    """Warns when jobs are late and no worker is connected to the database."""
    connection = await _connect(direct_url)
    try:
        tx = Tx(connection, Clock().now())
        workers = await tx.value(_WORKERS, name=WORKER)
        late = max([row["late_seconds"] for row in await tx.rows(TOTALS)], default=0)
    finally:
        await connection.close()
    if late > LATE_SECONDS and not workers:
        message = f"The oldest has waited for {late:.0f} s and no worker runs: start `sightline worker`."
        return Check("jobs", True, message, warning=True)
    return Check("jobs", True, "a worker runs" if workers else "none is late")


async def _connect(url: str) -> "asyncpg.Connection[asyncpg.Record]":
    try:
        return await asyncpg.connect(url, timeout=CONNECT_SECONDS, statement_cache_size=0)
    except TimeoutError:
        raise DatabaseUnavailable(f"No answer in {CONNECT_SECONDS} s.") from None
    except (OSError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise DatabaseUnavailable(f"It cannot be reached: {first_line(error)}") from error


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
    database_time = await connection.fetchval("SELECT clock_timestamp()")
    latency = (time.monotonic() - started) / 2
    difference = abs((datetime.now(UTC) - database_time).total_seconds()) - latency
    if difference > CLOCK_SECONDS:
        return Check("clock", False, f"This machine and the database are {difference:.0f} s apart: synchronise them.")
    return Check("clock", True, f"{max(difference, 0) * 1000:.0f} ms from the database")


def _check_data_dir(folder: Path) -> Check:
    if not folder.is_dir():
        return Check("data directory", False, f"{folder} is not a folder.")
    if (folder / "postgres").exists() and stat.S_IMODE((folder / "postgres").stat().st_mode) & 0o077:
        return Check("data directory", False, f"{folder}/postgres is open to others: run chmod 700 on it.")
    if not os.access(folder, os.W_OK | os.X_OK):
        return Check("data directory", False, f"{folder} cannot be written by this user.")
    return Check("data directory", True, str(folder))


def _check_disk(folder: Path) -> Check:
    place = next(step for step in (folder, *folder.parents) if step.exists())
    free = shutil.disk_usage(place).free
    message = f"{free / 1e9:.1f} GB free at {place}"
    return Check("disk", free >= LEAST_FREE, message if free >= LEAST_FREE else f"Only {message}.")


def _check_secret(settings: Settings) -> Check:
    kept = settings.data_dir / "secret"
    if settings.secret is not None:
        return Check("secret", True, "given")
    if settings.database_url is not None:
        return Check("secret", False, "SIGHTLINE_SECRET is needed with a database of your own.")
    if not kept.exists():
        return Check("secret", True, "created when it is first needed")
    if stat.S_IMODE(kept.stat().st_mode) & 0o077:
        return Check("secret", False, f"{kept} is open to others: run chmod 600 on it.")
    return Check("secret", True, f"kept in {kept}")


async def _check_app_store(settings: Settings) -> Check:
    """Asks a store whose address was configured; the public one is only named."""
    url = settings.app_store_url
    if url == next(at.default for at in fields(settings) if at.name == "app_store_url"):
        return Check("app store", True, url)
    try:
        await AppStore(url, settings.app_store_country).search("notes", 1)
    except StoreUnavailable as unavailable:
        return Check("app store", False, f"{unavailable.reason} SIGHTLINE_APP_STORE_URL is {url}.")
    return Check("app store", True, f"{url} answers")


def _check_model(settings: Settings) -> Check:
    """Asks the model for one word."""
    if settings.model_url is None:
        return Check("model", True, "not configured: the embedded engine does the work")
    if settings.model_name is None:
        return Check("model", False, f"SIGHTLINE_MODEL_NAME is needed for {settings.model_url}.")
    from sightline.intelligence.model.endpoint import Endpoint, probe
    from sightline.intelligence.model.session import ModelFailed

    model = f"{settings.model_name} at {settings.model_url}"
    try:
        form = asyncio.run(probe(Endpoint(settings.model_url, settings.model_name, settings.model_key)))
    except ModelFailed as error:
        return Check("model", False, f"{model}: {error}")
    return Check("model", True, f"{model} answers, asked for {form}")


def _provider_checks(settings: Settings) -> Iterator[Check]:
    yield _check_model(settings)
    yield from asyncio.run(_search_checks(settings))
    yield asyncio.run(_check_app_store(settings))


async def _search_checks(settings: Settings) -> list[Check]:
    """The provider that is used, and what each configured one of the web answers."""
    asked = await asyncio.gather(*(_ask_provider(name, settings) for name in settings.web_providers))
    if settings.chosen_provider == "library":
        return [Check("search", True, f"{settings.library}, saved pages"), *asked]
    return asked


async def _ask_provider(name: str, settings: Settings) -> Check:
    """Searches for one page. A provider that cannot be used is wrong even if another one is chosen."""
    from sightline.sources.providers.choice import make_provider
    from sightline.sources.search import SearchFailed, SearchQuery

    use = "" if name == settings.chosen_provider else ", not chosen"
    try:
        async with asyncio.timeout(PROVIDER_SECONDS):
            provider = make_provider(name, *settings.web_providers[name])
            page = await provider.search(SearchQuery(text="product discovery", limit=1))
    except SearchFailed as error:
        return Check("search", False, f"{name}{use}: {error.reason}")
    except TimeoutError:
        return Check("search", False, f"{name}{use}: No answer in {PROVIDER_SECONDS} s.")
    if not page.hits:
        doubt = " ".join(page.warnings) or "It found nothing."
        return Check("search", True, f"{name}{use}: {doubt}", warning=True)
    return Check("search", True, f"{name}{use}: answers")
