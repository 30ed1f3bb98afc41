"""`sightline restore`: what `sightline backup` wrote, into an empty database."""

import asyncio
import sys
import time
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from sightline.cli.options import AsJson, Command, DatabaseUrl, DataDir

if TYPE_CHECKING:
    from sightline.backup import Archive, Manifest, Restored
    from sightline.settings import Settings

ANOTHER_WAY = (
    "give it in SIGHTLINE_SECRET (an embedded database keeps it in the file `secret` of its data directory), "
    "or --without-secret if it is lost"
)


def register(app: typer.Typer) -> None:
    app.command("restore", cls=Command)(restore)


def restore(
    file: Annotated[str, typer.Argument(metavar="FILE", help="What `backup` wrote; - for standard input.")],
    without_secret: Annotated[
        bool, typer.Option("--without-secret", help="The old secret is lost: portals get new ones.")
    ] = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Restores a backup into an empty database, all or nothing. Asks for the secret of the backed-up server."""
    from sightline.backup import Archive
    from sightline.cli.data import read_settings
    from sightline.cli.output import print_json

    settings = read_settings(data_dir, database_url)
    begin = time.monotonic()
    with _opened(file) as source, Archive(source) as archive:
        secret = None if without_secret else _secret(settings, archive.manifest)
        restored = _restore(settings, archive, secret)
        sizes = {"tables": restored.tables, "rows": restored.rows, "bytes": archive.size}
    seconds = round(time.monotonic() - begin, 3)
    _note_what_is_left(restored)
    if as_json:
        print_json({"file": file, **sizes, "seconds": seconds, "portalsWithoutSecret": restored.portals})
    else:
        made = f"{archive.manifest.created_at:%Y-%m-%d %H:%M} UTC"
        typer.echo(f"{restored.rows} rows of {restored.tables} tables are restored, as of {made}, in {seconds:.1f} s.")


def _opened(file: str) -> AbstractContextManager[BinaryIO]:
    return nullcontext(sys.stdin.buffer) if file == "-" else open(file, "rb")


def _secret(settings: "Settings", manifest: "Manifest") -> str:
    """That of the backed-up server: given, kept beside the database, or asked for. Refuses another one."""
    from sightline.backup import is_made_with
    from sightline.cli.refusals import CommandRefused

    known = settings.known_secret()
    if known is not None and is_made_with(manifest.secret_check, known):
        return known
    if settings.secret is None:
        if not sys.stdin.isatty():
            raise CommandRefused(f"The secret of the backed-up server is needed: {ANOTHER_WAY}.")
        asked: str = typer.prompt("Secret of the backed-up server", hide_input=True, err=True)
        if is_made_with(manifest.secret_check, asked.strip()):
            return asked.strip()
    raise CommandRefused(f"This is not the secret of the backed-up server: {ANOTHER_WAY}.")


def _restore(settings: "Settings", archive: "Archive", secret: str | None) -> "Restored":
    from sightline.backup import restoring
    from sightline.cli.data import database_urls
    from sightline.cli.progress import RowBar

    async def work(url: str) -> "Restored":
        async with restoring(url, archive, bar, forget_secrets=secret is None) as restored:
            # Before the commit: data whose secret is not kept would be served with another one.
            if secret is not None and settings.database_url is None:
                settings.keep_secret(secret)
        return restored

    with database_urls(settings) as (_, url), RowBar("Restoring") as bar:
        return asyncio.run(work(url))


def _note_what_is_left(restored: "Restored") -> None:
    from sightline.cli.output import note

    if restored.skipped:
        note(f"Left out, as they are none of Sightline's: {', '.join(restored.skipped)}.")
    if restored.portals:
        note(f"Run `sightline portal rotate-secret` for each of these portals: {', '.join(restored.portals)}.")
