"""`sightline backup` and `sightline restore`: a consistent copy of everything in one file, and back."""

import asyncio
import sys
import time
from contextlib import nullcontext
from io import BufferedReader
from pathlib import Path
from typing import Annotated, Any

import typer
from msgspec.structs import asdict
from rich.progress import TaskProgressColumn

from sightline.backup.archive import Archive
from sightline.backup.records import Manifest, Restored
from sightline.backup.restoring import restoring
from sightline.backup.secrets import is_made_with
from sightline.backup.target import open_target
from sightline.backup.writing import write_backup
from sightline.cli.options import argument, input_file, option
from sightline.cli.output import note
from sightline.cli.progress import Bar
from sightline.cli.site import Site, database_urls, site_command
from sightline.platform.refused import Refused
from sightline.settings import Settings

ADVICE = (
    "give it in SIGHTLINE_SECRET (an embedded database keeps it in the file `secret` of its data directory), "
    "or --without-secret if it is lost"
)


@site_command("backup", show=lambda _: None, connects=False)
def backup(
    site: Site,
    file: Annotated[str, argument("FILE", "Where to write it; - for standard output.")],
    force: Annotated[bool, option("Replace an existing file.", "--force")] = False,
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


@site_command("restore", show=lambda _: None, connects=False)
def restore(
    site: Site,
    file: Annotated[BufferedReader, input_file("A file written by `backup`; - for standard input.")],
    without_secret: Annotated[bool, option("The secret is lost: portals get new ones.", "--without-secret")] = False,
) -> dict[str, Any]:
    """Restores a backup into an empty database, all or nothing. Needs the secret of the backed-up server."""
    settings, started = site.settings, time.monotonic()
    with file:
        archive = Archive(file)
        secret = None if without_secret else _secret(settings, archive.manifest)
        done = _restore(settings, archive, secret)
    seconds = round(time.monotonic() - started, 3)
    if done.skipped:
        note(f"Left out, as they do not belong to Sightline: {', '.join(done.skipped)}.")
    if done.portals:
        note(f"Run `sightline portal rotate-secret` for each of these portals: {', '.join(done.portals)}.")
    if not site.as_json:
        made = f"{archive.manifest.created_at:%Y-%m-%d %H:%M} UTC"
        typer.echo(f"{done.rows} rows of {done.tables} tables are restored, as of {made}, in {seconds:.1f} s.")
    sizes = {"tables": done.tables, "rows": done.rows, "bytes": archive.size}
    name = "-" if file.name == 0 else file.name
    return {"file": name, **sizes, "seconds": seconds, "portalsWithoutSecret": done.portals}


def _secret(settings: Settings, manifest: Manifest) -> str:
    """The backed-up server's secret: configured, kept in the data directory, or prompted for. Refuses another one."""
    known = settings.known_secret()
    if known is not None and is_made_with(manifest.secret_check, known):
        return known
    if settings.secret is None:
        if not sys.stdin.isatty():
            raise Refused(f"The secret of the backed-up server is needed: {ADVICE}.")
        entered: str = typer.prompt("Secret of the backed-up server", hide_input=True, err=True)
        if is_made_with(manifest.secret_check, entered.strip()):
            return entered.strip()
    raise Refused(f"This is not the secret of the backed-up server: {ADVICE}.")


def _restore(settings: Settings, archive: Archive, secret: str | None) -> Restored:
    async def work(url: str) -> Restored:
        async with restoring(url, archive, bar, forget_secrets=secret is None) as restored:
            # Before the commit: data whose secret is not kept would be served with another one.
            if secret is not None and settings.database_url is None:
                settings.keep_secret(secret)
        return restored

    with database_urls(settings, may_create=True) as (_, url), Bar("Restoring", TaskProgressColumn()) as bar:
        return asyncio.run(work(url))
