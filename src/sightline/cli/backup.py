"""`sightline backup`: a consistent copy of everything, in one file."""

import asyncio
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer
from msgspec.structs import asdict
from rich.progress import TaskProgressColumn

from sightline.backup import write_backup
from sightline.backup.target import open_target
from sightline.cli.options import argument, option
from sightline.cli.output import note
from sightline.cli.progress import Bar
from sightline.cli.site import Site, database_urls, site_command
from sightline.platform.refused import Refused


@site_command("backup", show=lambda _: None, connects=False)
def backup(
    site: Site,
    file: Annotated[str, argument("FILE", "Where to write it; - for standard output.")],
    force: Annotated[bool, option("--force", "Replace an existing file.")] = False,
) -> dict[str, Any]:
    """Writes a consistent copy of everything to one file. Servers keep running; the secret is not included."""
    _refuse_file(file, as_json=site.as_json, force=force)
    settings, started = site.settings, time.monotonic()
    with database_urls(settings) as (_, url):
        secret = settings.server_secret()
        target = nullcontext(sys.stdout.buffer) if file == "-" else open_target(Path(file))
        with target as out, Bar("Copying", TaskProgressColumn()) as bar:
            written = asyncio.run(write_backup(url, out, secret, bar))
    seconds = round(time.monotonic() - started, 3)
    if not site.as_json:
        note(f"{written.rows} rows of {written.tables} tables, {written.bytes} bytes, {seconds:.1f} s.")
        kept = "SIGHTLINE_SECRET" if settings.secret is not None else f"{settings.data_dir}/secret"
        note(f"The server's secret ({kept}) is not included and is needed to restore: keep it too, elsewhere.")
    return {"file": file, **asdict(written), "seconds": seconds}


def _refuse_file(file: str, *, as_json: bool, force: bool) -> None:
    """Raises Refused for an existing file, and BadParameter for a standard output that cannot be used."""
    if file != "-":
        if Path(file).is_file() and not force:
            raise Refused(f"{file} exists already: give another name, or --force to replace it.")
    elif as_json:
        raise typer.BadParameter("the backup goes to standard output, so JSON cannot", param_hint="--json")
    elif sys.stdout.isatty():
        raise typer.BadParameter("a backup is binary: name a file, or redirect the output", param_hint="FILE")
