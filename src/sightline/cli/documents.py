"""`sightline documents`: what is written from an initiative."""

import asyncio
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from sightline.cli.options import AsJson, Command, DatabaseUrl, DataDir, InWorkspace

if TYPE_CHECKING:
    from sightline.documents.records import DocumentWish, GenerationReceipt
    from sightline.intelligence.material import DocumentType
    from sightline.platform.access import Actor
    from sightline.platform.db import Database

LOOK_SECONDS = 0.2
WONDER_SECONDS = 5.0  # within which a worker has begun and ended most of what it is given

app = typer.Typer(help="What is written from an initiative.", no_args_is_help=True, rich_markup_mode=None)


def register(root: typer.Typer) -> None:
    root.add_typer(app, name="documents")


def read_type(text: str) -> "DocumentType":
    from sightline.intelligence.material import DocumentType

    try:
        return DocumentType(text)
    except ValueError:
        raise typer.BadParameter(f"expected one of {', '.join(DocumentType)}") from None


@app.command("generate", cls=Command)
def generate(  # noqa: PLR0913 - each is an option
    workspace: InWorkspace,
    initiative: Annotated[str, typer.Option("--initiative", metavar="REF", help="UUID or public id.")],
    type: Annotated[
        str, typer.Option("--type", parser=read_type, metavar="TYPE", help="INITIATIVE_BRIEF, PRD or TDD.")
    ],
    wait: Annotated[bool, typer.Option("--wait", help="End when it is written; exit code 1 if that fails.")] = False,
    timeout: Annotated[
        float | None, typer.Option("--timeout", min=0, metavar="SECONDS", help="Wait no longer than this.")
    ] = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
) -> None:
    """Lets a worker write a document of an initiative for the first time."""
    from sightline.cli.data import read_settings, with_database
    from sightline.documents.records import DocumentWish

    if timeout is not None and not wait:
        raise typer.BadParameter("--timeout needs --wait.")
    wish = DocumentWish(type=type)  # type: ignore[arg-type]  # read_type made it one

    async def work(db: "Database") -> "GenerationReceipt":
        actor, queued = await _queue(db, workspace, initiative, wish)
        return await _wait(db, actor, queued, timeout) if wait else queued

    _print_receipt(with_database(read_settings(data_dir, database_url), work), as_json)


async def _queue(db: "Database", slug: str, initiative: str, wish: "DocumentWish") -> "tuple[Actor, GenerationReceipt]":
    from sightline.cli.data import operator
    from sightline.documents.generations import generate
    from sightline.platform.refs import InitiativeRef
    from sightline.workspaces.tenants import find_workspace

    ref = InitiativeRef.parse(initiative)
    async with db.write() as tx:
        actor = operator((await find_workspace(tx, slug)).id)
        return actor, await generate(tx, actor, ref, wish)


async def _wait(
    db: "Database", actor: "Actor", queued: "GenerationReceipt", seconds: float | None
) -> "GenerationReceipt":
    """What became of it. Raises CommandRefused when it failed, or is not written in time."""
    from sightline.cli.output import note
    from sightline.cli.refusals import CommandRefused

    begun, has_wondered = monotonic(), False
    while (receipt := await _look(db, actor, queued)).status == "pending":
        waited = monotonic() - begun
        if seconds is not None and waited >= seconds:
            raise CommandRefused(f"Not written within {seconds:g} s. It stays queued until a worker takes it.")
        if waited >= WONDER_SECONDS and not has_wondered:
            has_wondered = True
            note("Still waiting for a worker: `sightline serve` runs one, and `sightline worker` runs one alone.")
        await asyncio.sleep(LOOK_SECONDS)
    if receipt.failure is not None:
        raise CommandRefused(f"Nothing was written. {receipt.failure.message}")
    return receipt


async def _look(db: "Database", actor: "Actor", queued: "GenerationReceipt") -> "GenerationReceipt":
    from sightline.documents.generations import get_generation
    from sightline.platform.refs import InitiativeRef

    async with db.read() as tx:
        return (await get_generation(tx, actor, InitiativeRef(queued.initiative_id), queued.job_id)).record


def _print_receipt(receipt: "GenerationReceipt", as_json: bool) -> None:
    from sightline.cli.output import print_json, print_pairs

    if as_json:
        print_json(receipt)
        return
    shown = [("initiative", receipt.initiative_public_id), ("type", receipt.document_type)]
    print_pairs([*shown, ("document", receipt.document_id), ("job", receipt.job_id), ("status", receipt.status)])
