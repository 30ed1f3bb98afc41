"""`sightline worker`: a background worker alone."""

from typing import Annotated

import typer

from sightline.cli.options import Command, DatabaseUrl, DataDir


def register(app: typer.Typer) -> None:
    app.command("worker", cls=Command)(worker)


def worker(
    concurrency: Annotated[
        int | None,
        typer.Option("--concurrency", min=1, max=1000, help="Jobs at once; 10 when left out.", show_default=False),
    ] = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Does background jobs until SIGTERM, which hands back what is unfinished. Any number, on any machine."""
    from sightline.cli.data import read_settings
    from sightline.cli.output import note
    from sightline.cli.serving import keep_working

    settings = read_settings(data_dir, database_url, concurrency=concurrency)
    raise typer.Exit(keep_working(settings, say_ready=lambda: note("Sightline's worker takes jobs.")))
