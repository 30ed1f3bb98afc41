"""`sightline signals`: transcripts, mails and notes from files."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from sightline.catalog.accounts.matching import find_account
from sightline.cli.options import InWorkspace, option, read_moment
from sightline.cli.site import Site, site_command
from sightline.intelligence.embedded import EmbeddedEngine
from sightline.platform.errors import ValidationFailed
from sightline.platform.refused import Refused
from sightline.signals.records import LONGEST_NAME, NewSignal
from sightline.signals.text_files import LARGEST, SUFFIXES, AddedFiles, add_files, signal_of_file


def _print_added(done: AddedFiles) -> None:
    typer.echo(f"{done.added} added, {done.changed} changed, {done.unchanged} unchanged, {done.faulty} faulty.")


def _read_name(text: str) -> str:
    if not 1 <= len(text.strip()) <= LONGEST_NAME:
        raise typer.BadParameter(f"give 1 to {LONGEST_NAME} characters")
    return text.strip()


@site_command("signals add", show=_print_added)
async def add(
    site: Site,
    workspace: InWorkspace,
    file: Annotated[list[Path], option(f"One of {', '.join(SUFFIXES)}; repeatable.", "--file", metavar="FILE")],
    account: Annotated[str | None, option("The customer: id, externalId, domain or e-mail.", metavar="REF")] = None,
    date: Annotated[datetime | None, option("When it was said.", "--date", parser=read_moment, metavar="DATE")] = None,
    name: Annotated[str | None, option("Its name, of a single file.", parser=_read_name, metavar="TEXT")] = None,
) -> AddedFiles:
    """Adds files as signals, which a worker then reads for insights. Adding one again changes only what options say."""
    if name is not None and len(file) > 1:
        raise typer.BadParameter("--name takes a single --file.")
    options: dict[str, Any] = {"name": name, "created_at": date}
    stated = {field: value for field, value in options.items() if value is not None}
    signals = [_read(path, stated) for path in file]
    async with site.transaction(workspace) as (tx, actor):
        if account is not None:
            stated["account_id"] = await find_account(tx, actor.workspace_id, account)
    return await add_files(site.db, EmbeddedEngine(), actor, signals, stated)


def _read(path: Path, stated: Mapping[str, Any]) -> NewSignal:
    """Returns the signal of a file. Raises Refused and OSError before anything is stored."""
    with path.open("rb") as opened:
        data = opened.read(LARGEST + 1)
    try:
        return signal_of_file(path.name, data, stated)
    except (ValueError, ValidationFailed) as error:
        raise Refused(f"{path}: {error}.") from None
