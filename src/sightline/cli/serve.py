"""`sightline serve`: the API and the portal, and the background worker beside them."""

from typing import Annotated

import typer

from sightline.cli.options import Command, DatabaseUrl, DataDir, Host, Port, single
from sightline.cli.serving import keep_serving
from sightline.cli.site import read_settings
from sightline.platform import logs

app = single()


@app.command("serve", cls=Command)
def serve(
    host: Host = None,
    port: Port = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, max=256, help="API processes; 1 when left out.", show_default=False),
    ] = None,
    no_worker: Annotated[
        bool | None, typer.Option("--no-worker", help="Run no background worker.", show_default=False)
    ] = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Migrates if needed and serves until SIGTERM. Ready when GET /readyz answers 200."""
    settings = read_settings(data_dir, database_url, host=host, port=port, workers=workers, no_worker=no_worker)

    def say_ready(port: int) -> None:
        address = settings.address(port)
        logs.announce(f"Sightline serves on {address}", documentation=f"{address}/docs")

    keep_serving(settings, say_ready=say_ready)
