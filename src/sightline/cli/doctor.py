"""`sightline doctor`: checks the installation, a line for each part; a failed check says what to do."""

import asyncio
from pathlib import Path

import typer

from sightline import __version__
from sightline.cli.options import AsJson, DatabaseUrl, DataDir, command, unknown_variables
from sightline.cli.output import print_json
from sightline.cli.refusals import lines
from sightline.cli.site import database_urls, open_database, read_settings
from sightline.ideas.readings.checks import check_waiting
from sightline.intelligence.model.checks import check_model
from sightline.migrations import HEAD
from sightline.migrations.checks import check_schema
from sightline.platform.checks import Check
from sightline.platform.db import Tx
from sightline.platform.db.checks import check_clock, check_notifications, check_version
from sightline.platform.db.horizon import check_open_transactions
from sightline.platform.jobs.overview import check_jobs
from sightline.portal.checks import check_portals
from sightline.settings import FILE, SETTINGS, Settings, SettingsError
from sightline.settings.checks import check_clock_offset, check_machine
from sightline.sources.checks import check_app_store, check_library, check_search


@command("doctor")
def doctor(
    context: typer.Context, json: AsJson = False, data_dir: DataDir = None, database_url: DatabaseUrl = None
) -> None:
    """Checks the installation, a line for each part. The exit code is 1 if something is wrong."""
    unknown = " ".join(unknown_variables(context.find_root().command))
    source = f"{FILE} and the environment" if Path(FILE).exists() else "the environment"
    try:
        settings = read_settings(data_dir, database_url)
        checks = [
            Check("environment", not unknown, unknown or "every SIGHTLINE_* variable is known"),
            Check("version", True, f"Sightline {__version__}, schema {HEAD}"),
            Check("configuration", True, f"read from {source}"),
            *asyncio.run(_check(settings)),
        ]
    except SettingsError as error:
        checks = [Check("configuration", False, str(error))]
    if json:
        print_json({"checks": checks})
    else:
        for check in checks:
            state = "WRONG" if not check.ok else "warn" if check.warning else "ok"
            typer.echo(f"{state:5}  {check.name:14} {check.message}")
    raise typer.Exit(0 if all(check.ok for check in checks) else 1)


async def _check(settings: Settings) -> list[Check]:
    store = settings.app_store_url
    return [
        *check_clock_offset(settings),
        *await _check_database(settings),
        *check_machine(settings),
        await check_model(settings.model_url, settings.model_name, settings.model_key),
        *await check_search(settings.web_providers, settings.chosen_provider),
        *([check_library(settings.library, settings.library_dir)] if settings.chosen_provider == "library" else []),
        await check_app_store(store, settings.app_store_country, is_asked=store != SETTINGS["app_store_url"].default),
    ]


async def _check_database(settings: Settings) -> list[Check]:
    checks: list[Check] = []
    try:
        with database_urls(settings) as (url, _):
            async with open_database(url, settings, through_pooler=True) as db, db.snapshot() as tx:
                checks += await _check_inside(tx, settings.known_secret())
            if settings.database_url is not None:
                checks.append(await check_notifications(settings.database_url, settings.listen_url))
    except Exception as error:
        if not (refusal := lines(error)):
            raise
        checks.append(Check("database", False, refusal[0]))
    return checks


async def _check_inside(tx: Tx, secret: str | None) -> list[Check]:
    checks = [await check_version(tx), await check_schema(tx.connection)]
    if all(check.ok for check in checks):
        checks += [
            await check_clock(tx),
            await check_open_transactions(tx),
            await check_jobs(tx),
            *await check_waiting(tx),
            *await check_portals(tx, secret),
        ]
    return checks
