"""`sightline documents`: the documents of initiatives."""

import asyncio
from time import monotonic
from typing import Annotated

import typer

from sightline.cli.options import InWorkspace, group
from sightline.cli.output import note, print_pairs
from sightline.cli.refusals import CommandRefused
from sightline.cli.site import Site, command_of
from sightline.documents.generations import generate as generations
from sightline.documents.generations.records import DocumentRequest, GenerationReceipt
from sightline.intelligence.material import DocumentType
from sightline.platform.access import Actor
from sightline.platform.refs import InitiativeRef

LOOK_SECONDS = 0.2
WONDER_SECONDS = 5.0  # a worker usually finishes within this time

app = group("documents", "The documents of initiatives.")


def read_type(text: str) -> DocumentType:
    try:
        return DocumentType(text)
    except ValueError:
        raise typer.BadParameter(f"expected one of {', '.join(DocumentType)}") from None


def _print(receipt: GenerationReceipt) -> None:
    shown = [("initiative", receipt.initiative_public_id), ("type", receipt.document_type)]
    print_pairs([*shown, ("document", receipt.document_id), ("job", receipt.job_id), ("status", receipt.status)])


@command_of(app, "generate", show=_print)
async def generate(
    site: Site,
    workspace: InWorkspace,
    initiative: Annotated[str, typer.Option("--initiative", metavar="REF", help="UUID or public id.")],
    type: Annotated[
        DocumentType, typer.Option("--type", parser=read_type, metavar="TYPE", help="INITIATIVE_BRIEF, PRD or TDD.")
    ],
    wait: Annotated[bool, typer.Option("--wait", help="Wait for the result; exit code 1 if it failed.")] = False,
    timeout: Annotated[  # noqa: ASYNC109 - the name of the option
        float | None, typer.Option("--timeout", min=0, metavar="SECONDS", help="Wait no longer than this.")
    ] = None,
) -> GenerationReceipt:
    """Queues the first generation of a document. A worker writes it."""
    if timeout is not None and not wait:
        raise typer.BadParameter("--timeout needs --wait.")
    ref = InitiativeRef.parse(initiative)
    async with site.transaction(workspace) as (tx, actor):
        queued = await generations.generate(tx, actor, ref, DocumentRequest(type=type))
    return await _wait(site, actor, queued, timeout) if wait else queued


async def _wait(site: Site, actor: Actor, queued: GenerationReceipt, seconds: float | None) -> GenerationReceipt:
    """Waits for the result. Raises CommandRefused when it failed, or is not written in time."""
    started, has_wondered = monotonic(), False
    while (receipt := await _look(site, actor, queued)).status == "pending":
        waited = monotonic() - started
        if seconds is not None and waited >= seconds:
            raise CommandRefused(f"Not written within {seconds:g} s. It stays queued until a worker takes it.")
        if waited >= WONDER_SECONDS and not has_wondered:
            has_wondered = True
            note("Still waiting for a worker: `sightline serve` runs one, and `sightline worker` runs one alone.")
        await asyncio.sleep(LOOK_SECONDS)
    if receipt.failure is not None:
        raise CommandRefused(f"Nothing was written. {receipt.failure.message}")
    return receipt


async def _look(site: Site, actor: Actor, queued: GenerationReceipt) -> GenerationReceipt:
    async with site.db.autocommit() as tx:
        ref = InitiativeRef(queued.initiative_id)
        return (await generations.get_generation(tx, actor, ref, queued.job_id)).record
