"""`sightline worker`: a background worker alone."""

from typing import Annotated

import typer

from sightline.cli.options import Command, DatabaseUrl, DataDir, single
from sightline.cli.serving import keep_working
from sightline.cli.site import read_settings
from sightline.platform import logs

app = single()


@app.command("worker", cls=Command)
def worker(
    concurrency: Annotated[
        int | None,
        typer.Option("--concurrency", min=1, max=1000, help="Jobs at once; 10 when left out.", show_default=False),
    ] = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Runs background jobs until SIGTERM. Then hands unfinished ones back; any number may run, on any machine."""
    settings = read_settings(data_dir, database_url, concurrency=concurrency)
    keep_working(settings, say_ready=lambda: logs.announce("Sightline's worker takes jobs."))
