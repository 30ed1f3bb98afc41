"""`sightline signals`: transcripts, mails and notes from files."""

from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from sightline.cli.options import InWorkspace, option
from sightline.cli.site import Site, site_command
from sightline.intelligence.embedded import EmbeddedEngine
from sightline.platform.errors import ValidationFailed
from sightline.platform.refused import Refused
from sightline.signals.create import FILE_SOURCE, create_signals
from sightline.signals.queries import is_known
from sightline.signals.records import NewSignal
from sightline.signals.text_files import LARGEST, SUFFIXES, signal_of_file


class Added(Struct):
    """How many files became signals, and how many were signals before. A faulty file ends the command."""

    lines: int
    added: int
    unchanged: int
    changed: int = 0
    faulty: int = 0


def _print_added(done: Added) -> None:
    typer.echo(f"{done.added} added, {done.changed} changed, {done.unchanged} unchanged, {done.faulty} faulty.")


@site_command("signals add", show=_print_added)
async def add(
    site: Site,
    workspace: InWorkspace,
    file: Annotated[list[Path], option(f"One of {', '.join(SUFFIXES)}; repeatable.", "--file", metavar="FILE")],
) -> Added:
    """Adds files as signals, which a worker then reads for insights. The same file again changes nothing."""
    signals = {str(signal.external_id): signal for signal in map(_read, file)}
    async with site.transaction(workspace) as (tx, actor):
        known = {id for id in signals if await is_known(tx, actor.workspace_id, FILE_SOURCE, id)}
    new = [signal for id, signal in signals.items() if id not in known]
    if new:
        await create_signals(site.db, EmbeddedEngine(), actor, new)
    return Added(len(file), len(new), len(file) - len(new))


def _read(path: Path) -> NewSignal:
    """Returns the signal of a file. Raises Refused and OSError before anything is stored."""
    with path.open("rb") as opened:
        data = opened.read(LARGEST + 1)
    try:
        return signal_of_file(path.name, data)
    except (ValueError, ValidationFailed) as error:
        raise Refused(f"{path}: {error}.") from None
