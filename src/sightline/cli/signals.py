"""`sightline signals`: transcripts, mails and notes from files."""

from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from sightline.cli.options import InWorkspace, group
from sightline.cli.refusals import CommandRefused
from sightline.cli.site import Site, command_of, operator
from sightline.intelligence.embedded import EmbeddedEngine
from sightline.platform.errors import ValidationFailed
from sightline.signals.create import FILE_SOURCE, create_signals, described
from sightline.signals.formats import TextFormat, read_text
from sightline.signals.queries import is_known
from sightline.signals.records import LONGEST_NAME, Name, NewSignal, Word
from sightline.workspaces.tenants import find_workspace

LARGEST = 4 * 1024 * 1024
FORMATS: dict[str, TextFormat] = {".vtt": "vtt", ".srt": "srt", ".txt": "plain", ".eml": "eml", ".md": "plain"}
app = group("signals", "Calls, mails and notes.")


class Added(Struct):
    """How many files became signals, and how many were signals before. A faulty file ends the command."""

    lines: int
    added: int
    unchanged: int
    changed: int = 0
    faulty: int = 0


def _print_added(done: Added) -> None:
    typer.echo(f"{done.added} added, {done.changed} changed, {done.unchanged} unchanged, {done.faulty} faulty.")


@command_of(app, "add", show=_print_added)
async def add(
    site: Site,
    workspace: InWorkspace,
    file: Annotated[
        list[Path], typer.Option("--file", metavar="FILE", help=f"One of {', '.join(FORMATS)}; repeatable.")
    ],
) -> Added:
    """Adds files as signals, which a worker then reads for insights. The same file again changes nothing."""
    signals = {str(signal.external_id): signal for signal in map(_read, file)}
    async with site.db.autocommit() as tx:
        actor = operator((await find_workspace(tx, workspace)).id)
        known = {id for id in signals if await is_known(tx, actor.workspace_id, FILE_SOURCE, id)}
    new = [signal for id, signal in signals.items() if id not in known]
    if new:
        await create_signals(site.db, EmbeddedEngine(), actor, new)
    return Added(len(file), len(new), len(file) - len(new))


def _read(path: Path) -> NewSignal:
    """Returns the signal of a file. Raises CommandRefused and OSError before anything is stored."""
    with path.open("rb") as opened:
        data = opened.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise CommandRefused(f"{path}: Is larger than {LARGEST // 1024 // 1024} MiB.")
    format = FORMATS.get(path.suffix.lower())
    if format is None:
        raise CommandRefused(f"{path}: Is none of {', '.join(FORMATS)}.")
    try:
        read = read_text(format, data)
    except (ValueError, ValidationFailed) as error:
        raise CommandRefused(f"{path}: {error}.") from None
    signal = NewSignal(
        data={"file": path.name},
        source_label=Word("File"),
        signal_type="meeting_notes" if format == "plain" else None,
    )
    signal = described(signal, read, data)
    signal.name = signal.name or Name(path.stem[:LONGEST_NAME])
    return signal
