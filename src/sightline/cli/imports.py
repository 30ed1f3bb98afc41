"""`sightline import`: many records of one kind, from a file of lines."""

import asyncio
import os
import signal
import stat
from io import BufferedReader
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.progress import DownloadColumn

from sightline.cli.options import InWorkspace, open_file, single
from sightline.cli.output import note, print_json
from sightline.cli.progress import Bar, LinesPerSecond
from sightline.cli.site import Site, command_of, operator
from sightline.workspace_file import Import, Imported, ListReader

INTERRUPTED = 130
LONGEST_WORD = 255

Kind = Annotated[
    Literal["ideas", "accounts", "insights", "feedback", "ratings", "signals"],
    typer.Argument(metavar="KIND", help="ideas, accounts, insights, feedback (or ratings) or signals."),
]
LISTS = {"ratings": "feedback"}  # where the list is not called like the kind
Format = Literal["jsonl", "csv"]
FORMATS: dict[str, Format] = {".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl"}
app = single()


def read_source_key(text: str) -> str:
    if not (1 <= len(text) <= LONGEST_WORD and text.strip()):
        raise typer.BadParameter(f"give 1 to {LONGEST_WORD} characters")
    return text


@command_of(app, "import")
async def import_(
    site: Site,
    kind: Kind,
    file: Annotated[
        BufferedReader,
        typer.Argument(
            metavar="FILE", parser=open_file, help="JSON Lines, or CSV with commas, semicolons or tabs; -: stdin."
        ),
    ],
    workspace: InWorkspace,
    format: Annotated[
        Format | None,
        typer.Option("--format", help="Guessed from the suffix or first byte when left out.", show_default=False),
    ] = None,
    source_key: Annotated[
        str | None,
        typer.Option(
            "--source-key",
            parser=read_source_key,
            metavar="TEXT",
            help="The source of records that have nothing but an externalId; import when left out.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Adds and updates many records of one kind. Faulty lines are reported and do not stop the others."""
    reader = ListReader(
        LISTS.get(kind, kind), file, format or FORMATS.get(Path(str(file.name)).suffix.lower()), source_key
    )
    importing = Import(site.db, workspace, reader, actor_id=operator().id, warn=lambda text: note(f"Warning: {text}"))
    is_stopped = await _import(importing)
    _print_done(importing.done, site.as_json)
    raise typer.Exit(INTERRUPTED if is_stopped else int(importing.done.faulty > 0))


async def _import(importing: Import) -> bool:
    """Imports the file and reports its faults. Returns whether it was interrupted."""
    how = "Failed"
    try:
        is_stopped = await _run_until_interrupted(importing)
        how = "Interrupted" if is_stopped else ""
        return is_stopped
    finally:
        _print_faults(importing)
        if how == "Interrupted" or (how and importing.reached):
            place = f"{how} after line {importing.reached}"
            note(f"{place}: the lines up to there are stored. Run it again for the rest.")


async def _run_until_interrupted(importing: Import) -> bool:
    """Returns whether it was interrupted. A second Ctrl-C does not wait for the end of the batch."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()

    def interrupt() -> None:
        stop.set()
        loop.remove_signal_handler(signal.SIGINT)

    loop.add_signal_handler(signal.SIGINT, interrupt)
    size = _size(importing.reader.source)
    with Bar(f"Importing {importing.done.kind}", DownloadColumn(), LinesPerSecond(), total=size) as bar:
        await importing.run(stop, lambda batch: bar.reach(batch.bytes, batch.count))
    return stop.is_set()


def _size(source: BufferedReader) -> int | None:
    found = os.fstat(source.fileno())
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def _print_faults(importing: Import) -> None:
    for fault in importing.done.faults:
        place = f"line {fault.line}: {fault.path}: " if fault.path else f"line {fault.line}: "
        note("".join(letter if letter.isprintable() else " " for letter in place + fault.message))
    if (more := importing.fault_count - len(importing.done.faults)) > 0:
        note(f"and {more} more faults.")


def _print_done(done: Imported, as_json: bool) -> None:
    if as_json:
        print_json(done)
        return
    counts = f"{done.added} added, {done.changed} changed, {done.unchanged} unchanged, {done.faulty} faulty"
    lines = "1 line" if done.lines == 1 else f"{done.lines} lines"
    typer.echo(f"{lines} of {done.kind} in {done.seconds:.1f} s: {counts}.")
