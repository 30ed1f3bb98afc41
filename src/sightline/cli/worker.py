"""`sightline worker`: a background worker alone."""

from typing import Annotated

from sightline.cli.options import DatabaseUrl, DataDir, command, setting
from sightline.cli.site import read_settings
from sightline.serving.serve import keep_working
from sightline.serving.supervisor import run_until_asked


@command("worker")
def worker(
    concurrency: Annotated[int | None, setting("concurrency")] = None,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Runs background jobs until SIGTERM. Then hands unfinished ones back; any number may run, on any machine."""
    run_until_asked(keep_working(read_settings(data_dir, database_url, concurrency=concurrency)))
