"""`sightline backup`: a consistent copy of everything, in one file."""

import asyncio
import os
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from sightline.cli.options import AsJson, Command, DatabaseUrl, DataDir

if TYPE_CHECKING:
    from sightline.backup import Written
    from sightline.settings import Settings


def register(app: typer.Typer) -> None:
    app.command("backup", cls=Command)(backup)


def backup(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where to write it; - for standard output.")],
    as_json: AsJson = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Writes a consistent copy of everything, while a server runs. The server's secret is not in it: keep it too."""
    from sightline.cli.data import read_settings
    from sightline.cli.output import note, print_json

    _check_words(file, as_json)
    settings = read_settings(data_dir, database_url)
    begin = time.monotonic()
    written = _write(settings, file)
    seconds = round(time.monotonic() - begin, 3)
    if as_json:
        sizes = {"tables": written.tables, "rows": written.rows, "bytes": written.bytes}
        print_json({"file": file, **sizes, "seconds": seconds})
        return
    note(f"{written.rows} rows of {written.tables} tables, {written.bytes} bytes, {seconds:.1f} s.")
    kept = "SIGHTLINE_SECRET" if settings.secret is not None else f"{settings.data_dir}/secret"
    note(f"Not in it, and needed to restore it: the server's secret ({kept}). Keep that as well, elsewhere.")


def _check_words(file: str, as_json: bool) -> None:
    if file != "-":
        return
    if as_json:
        raise typer.BadParameter("the backup goes to standard output, where the JSON would go", param_hint="--json")
    if sys.stdout.isatty():
        raise typer.BadParameter("a backup is not for reading: name a file, or redirect it", param_hint="FILE")


def _write(settings: "Settings", file: str) -> "Written":
    from sightline.backup import write_backup
    from sightline.cli.data import database_urls
    from sightline.cli.progress import RowBar
    from sightline.cli.refusals import CommandRefused

    if settings.database_url is None and not (settings.data_dir / "postgres").exists():
        raise CommandRefused(f"There is no database in {settings.data_dir}.")
    secret = settings.server_secret()
    with _target(file) as out, database_urls(settings) as (_, url), RowBar("Copying") as bar:
        return asyncio.run(write_backup(url, out, secret, bar))


@contextmanager
def _target(file: str) -> Iterator[BinaryIO]:
    """A regular file appears, or replaces the one before, when it is whole."""
    path = Path(file).resolve()
    if file == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    elif path.exists() and not path.is_file():  # a pipe or a device; of a folder, opening says what it is
        with open(path, "wb") as out:
            yield out
    else:
        with _renamed_when_whole(path) as out:
            yield out


@contextmanager
def _renamed_when_whole(path: Path) -> Iterator[BinaryIO]:
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)
        _keep_name(path.parent)
    finally:
        part.unlink(missing_ok=True)


def _keep_name(folder: Path) -> None:
    """A file's name is safe from a power cut when its folder is written."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
