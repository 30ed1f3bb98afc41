"""`sightline serve`: the API, the portal and the background worker; `sightline worker`: the worker alone."""

from typing import Annotated

from sightline.cli.options import DatabaseUrl, DataDir, Host, Port, command, setting
from sightline.cli.site import read_settings
from sightline.platform import logs
from sightline.serving.serve import keep_serving, keep_working
from sightline.serving.supervisor import run_until_asked


@command("serve")
def serve(
    host: Host = None,
    port: Port = None,
    workers: Annotated[int | None, setting("workers")] = None,
    no_worker: Annotated[bool | None, setting("no_worker")] = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Migrates if needed and serves until SIGTERM. Ready when GET /readyz answers 200."""
    settings = read_settings(data_dir, database_url, host=host, port=port, workers=workers, no_worker=no_worker)

    def say_ready(port: int) -> None:
        address = settings.address(port)
        logs.announce(f"Sightline serves on {address}", documentation=f"{address}/docs")

    run_until_asked(keep_serving(settings, say_ready=say_ready))


@command("worker")
def worker(
    concurrency: Annotated[int | None, setting("concurrency")] = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Runs background jobs until SIGTERM. Then hands unfinished ones back; any number may run, on any machine."""
    run_until_asked(keep_working(read_settings(data_dir, database_url, concurrency=concurrency)))
