"""`sightline restore`: reads a backup into an empty database."""

import asyncio
import sys
import time
from io import BufferedReader
from typing import Annotated, Any

import typer
from rich.progress import TaskProgressColumn

from sightline.backup import Archive, Manifest, Restored, is_made_with, restoring
from sightline.cli.options import input_file, option
from sightline.cli.output import note
from sightline.cli.progress import Bar
from sightline.cli.site import Site, database_urls, site_command
from sightline.platform.refused import Refused
from sightline.settings import Settings

ADVICE = (
    "give it in SIGHTLINE_SECRET (an embedded database keeps it in the file `secret` of its data directory), "
    "or --without-secret if it is lost"
)


@site_command("restore", show=lambda _: None, connects=False)
def restore(
    site: Site,
    file: Annotated[BufferedReader, input_file("A file written by `backup`; - for standard input.")],
    without_secret: Annotated[bool, option("--without-secret", "The secret is lost: portals get new ones.")] = False,
) -> dict[str, Any]:
    """Restores a backup into an empty database, all or nothing. Asks for the secret of the backed-up server."""
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
