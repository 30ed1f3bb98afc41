"""`sightline import`: many records of one kind, from a file of lines."""

import asyncio
import os
import signal
import stat
from enum import StrEnum
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sightline.cli.options import AsJson, Command, DatabaseUrl, DataDir, InWorkspace

if TYPE_CHECKING:
    from sightline.platform.db import Database
    from sightline.workspace_file import Import, Imported, ListReader

INTERRUPTED = 130
LONGEST_WORD = 255


class Kind(StrEnum):
    """What can be imported."""

    IDEAS = "ideas"
    ACCOUNTS = "accounts"
    INSIGHTS = "insights"
    FEEDBACK = "feedback"
    SIGNALS = "signals"


class Form(StrEnum):
    """How the lines are written."""

    JSONL = "jsonl"
    CSV = "csv"


def register(app: typer.Typer) -> None:
    app.command("import", cls=Command)(import_)


def import_(  # noqa: PLR0913 - each is an option
    kind: Annotated[Kind, typer.Argument(metavar="KIND", help="ideas, accounts, insights, feedback or signals.")],
    file: Annotated[str, typer.Argument(metavar="FILE", help="JSON Lines or CSV; - for standard input.")],
    workspace: InWorkspace,
    form: Annotated[
        Form | None,
        typer.Option("--format", help="Told by the file's suffix or first byte when left out.", show_default=False),
    ] = None,
    source_key: Annotated[
        str, typer.Option("--source-key", help="The source of records that have nothing but an externalId.")
    ] = "import",
    as_json: AsJson = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Adds and updates many records of one kind; faulty lines are told and do not stop the others."""
    from sightline.cli.data import read_settings, with_database
    from sightline.workspace_file import ListReader

    if not 1 <= len(source_key) <= LONGEST_WORD or not source_key.strip():
        raise typer.BadParameter(f"give 1 to {LONGEST_WORD} characters", param_hint="--source-key")
    settings = read_settings(data_dir, database_url)
    source = _opened(file)
    chosen = form or _form_of(file)
    reader = ListReader(kind.value, source, chosen.value if chosen else None, source_key)

    async def work(db: "Database") -> int:
        return await _import(db, workspace, reader, as_json)

    raise typer.Exit(with_database(settings, work))


def _opened(file: str) -> BufferedReader:
    """Not closed before the process ends: that would wait for a thread that still reads from a silent pipe."""
    return open(0, "rb", closefd=False) if file == "-" else open(file, "rb")


def _form_of(file: str) -> Form | None:
    suffix = Path(file).suffix.lower()
    return {".csv": Form.CSV, ".jsonl": Form.JSONL, ".ndjson": Form.JSONL, ".json": Form.JSONL}.get(suffix)


async def _import(db: "Database", slug: str, reader: "ListReader", as_json: bool) -> int:
    """The exit code."""
    from sightline.cli.data import operator
    from sightline.workspace_file import Import

    importing = Import(db, slug, reader, actor_id=operator().id)
    try:
        is_stopped = await _run_until_interrupted(importing)
    except BaseException:
        _tell_faults(importing)
        if importing.reached:
            _tell_how_far(importing, "Broken off")
        raise
    _tell_faults(importing)
    if is_stopped:
        _tell_how_far(importing, "Interrupted")
    _print_done(importing.done, as_json)
    return INTERRUPTED if is_stopped else int(importing.done.faulty > 0)


async def _run_until_interrupted(importing: "Import") -> bool:
    """Whether it was interrupted. A second Ctrl-C does not wait for the end of the batch."""
    from sightline.cli.progress import LineBar

    stop, loop = asyncio.Event(), asyncio.get_running_loop()

    def interrupt() -> None:
        stop.set()
        loop.remove_signal_handler(signal.SIGINT)

    loop.add_signal_handler(signal.SIGINT, interrupt)
    with LineBar(f"Importing {importing.done.kind}", _size(importing.reader.source)) as bar:
        await importing.run(stop, lambda batch: bar.reach(batch.bytes, batch.count))
    return stop.is_set()


def _size(source: BufferedReader) -> int | None:
    found = os.fstat(source.fileno())
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def _tell_faults(importing: "Import") -> None:
    from sightline.cli.output import note

    for fault in importing.done.faults:
        place = f"line {fault.line}: {fault.path}: " if fault.path else f"line {fault.line}: "
        note("".join(letter if letter.isprintable() else " " for letter in place + fault.message))
    if (more := importing.told.count - len(importing.done.faults)) > 0:
        note(f"and {more} more faults.")


def _tell_how_far(importing: "Import", how: str) -> None:
    from sightline.cli.output import note

    note(f"{how} after line {importing.reached}: what stands up to there is stored. Run it again for the rest.")


def _print_done(done: "Imported", as_json: bool) -> None:
    from sightline.cli.output import print_json

    if as_json:
        print_json(done)
        return
    counts = f"{done.added} added, {done.changed} changed, {done.unchanged} unchanged, {done.faulty} faulty"
    typer.echo(f"{done.lines} lines of {done.kind} in {done.seconds:.1f} s: {counts}.")
