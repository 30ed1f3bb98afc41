"""`sightline signals`: transcripts, mails and notes from files."""

import asyncio
from io import BufferedReader, BytesIO, RawIOBase
from pathlib import Path
from typing import Annotated, Any, cast

import msgspec
import typer

from sightline.cli.options import InWorkspace, group
from sightline.cli.output import note
from sightline.cli.refusals import CommandRefused
from sightline.cli.site import Site, command_of, operator
from sightline.workspace_file import Import, Imported, ListReader
from sightline.workspace_file.imports.conversations import SUFFIXES, find_known, read_signal

LARGEST = 4 * 1024 * 1024
app = group("signals", "Calls, mails and notes.")


def _print_added(done: Imported) -> None:
    typer.echo(f"{done.added} added, {done.changed} changed, {done.unchanged} unchanged, {done.faulty} faulty.")


@command_of(app, "add", show=_print_added)
async def add(
    site: Site,
    workspace: InWorkspace,
    file: Annotated[
        list[Path], typer.Option("--file", metavar="FILE", help=f"One of {', '.join(SUFFIXES)}; repeatable.")
    ],
) -> Imported:
    """Adds files as signals, which a worker then reads for insights. The same file again changes nothing."""
    signals = [_read(path) for path in file]
    known = await find_known(site.db, workspace, [signal["externalId"] for signal in signals])
    new = [(path, signal) for path, signal in zip(file, signals, strict=True) if signal["externalId"] not in known]
    lines = BytesIO(b"".join(msgspec.json.encode(signal) + b"\n" for _, signal in new))
    reader = ListReader("signals", BufferedReader(cast("RawIOBase", lines)), "jsonl")
    importing = Import(site.db, workspace, reader, actor_id=operator().id, unknown_accounts="skip")
    done = await importing.run(asyncio.Event())
    done.lines, done.unchanged = len(file), len(file) - len(new)
    for fault in done.faults:
        note(f"{new[fault.line - 1][0]}: {fault.path}: {fault.message}")
    if done.faulty:
        raise CommandRefused(f"{done.faulty} of {done.lines} files are faulty; the others are stored.")
    return done


def _read(path: Path) -> dict[str, Any]:
    """Returns the signal of a file. Raises CommandRefused and OSError before anything is stored."""
    with path.open("rb") as opened:
        data = opened.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise CommandRefused(f"{path}: is larger than {LARGEST // 1024 // 1024} MiB.")
    try:
        return read_signal(path.name, data)
    except ValueError as error:
        raise CommandRefused(f"{path}: {error}.") from None
