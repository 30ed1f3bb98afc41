"""`sightline worker`: a background worker alone."""

from typing import Annotated

from sightline.cli.children import Child, keep_running, run_until_asked
from sightline.cli.options import Command, DatabaseUrl, DataDir, setting, single
from sightline.cli.serve import WORKER, environment_of, migrate_database, watched_database
from sightline.cli.site import read_settings, refuse_outdated
from sightline.platform import logs
from sightline.settings import Settings

app = single()


@app.command("worker", cls=Command)
def worker(
    concurrency: Annotated[int | None, setting("concurrency")] = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Runs background jobs until SIGTERM. Then hands unfinished ones back; any number may run, on any machine."""
    settings = read_settings(data_dir, database_url, concurrency=concurrency)
    run_until_asked(_keep_working(settings))


async def _keep_working(settings: Settings) -> None:
    """Migrates the embedded database only; another one is migrated by its servers."""
    logs.configure(settings.log_level, settings.log_format)
    with watched_database(settings) as (url, direct_url):
        if settings.database_url is None:
            await migrate_database(settings, url, direct_url)
        else:
            await refuse_outdated(direct_url)
        environment = environment_of(settings, url, settings.known_secret(), settings.port)
        child = Child("worker", WORKER, environment)
        await keep_running([child], lambda: logs.announce("Sightline's worker takes jobs."))
