"""`sightline documents`: the documents of initiatives."""

from time import monotonic
from typing import Annotated

import typer

from sightline.cli.options import InWorkspace, option
from sightline.cli.output import print_columns
from sightline.cli.progress import watch
from sightline.cli.site import Site, site_command
from sightline.documents.generations import generate as generations
from sightline.documents.generations.records import DocumentRequest, GenerationReceipt
from sightline.intelligence.material import DocumentType
from sightline.platform.access import Actor
from sightline.platform.db import Tx
from sightline.platform.refs import InitiativeRef
from sightline.platform.refused import Refused


def _print(receipt: GenerationReceipt) -> None:
    shown = [("initiative", receipt.initiative_public_id), ("type", receipt.document_type)]
    print_columns([*shown, ("document", receipt.document_id), ("job", receipt.job_id), ("status", receipt.status)])


@site_command("documents generate", show=_print)
async def generate(  # noqa: PLR0913 - the options of a command
    site: Site,
    workspace: InWorkspace,
    initiative: Annotated[str, option("UUID or public id.", metavar="REF")],
    type: Annotated[DocumentType, option("INITIATIVE_BRIEF, PRD or TDD.", "--type", metavar="TYPE")],
    again: Annotated[bool, option("Regenerate a document that the initiative has.", "--again")] = False,
    wait: Annotated[bool, option("Wait for the result; exit code 1 if it failed.", "--wait")] = False,
    timeout: Annotated[  # noqa: ASYNC109 - the name of the option
        float | None, option("Wait no longer than this.", min=0, metavar="SECONDS")
    ] = None,
) -> GenerationReceipt:
    """Queues the first generation of a document, or a new version. A worker writes it."""
    if timeout is not None and not wait:
        raise typer.BadParameter("--timeout needs --wait.")
    ref, request = InitiativeRef.parse(initiative), DocumentRequest(type=type)
    queue = generations.regenerate if again else generations.generate
    try:
        async with site.transaction(workspace) as (tx, actor):
            queued = await queue(tx, actor, ref, request)
    except generations.DocumentExists:
        raise Refused(f"The initiative has a {type} already: --again writes a new version.") from None
    return await _wait(site, actor, queued, timeout) if wait else queued


async def _wait(site: Site, actor: Actor, queued: GenerationReceipt, seconds: float | None) -> GenerationReceipt:
    """Waits for the result. Raises Refused when it failed, or is not written in time."""

    async def look(tx: Tx) -> GenerationReceipt:
        ref = InitiativeRef(queued.initiative_id)
        return (await generations.get_generation(tx, actor, ref, queued.job_id)).record

    receipt, started = queued, monotonic()
    async for receipt in watch(site.db, look, ["pending"]):
        if receipt.status == "pending" and seconds is not None and monotonic() - started >= seconds:
            raise Refused(f"Not written within {seconds:g} s. It stays queued until a worker takes it.")
    if receipt.failure is not None:
        raise Refused(f"Nothing was written. {receipt.failure.message}")
    return receipt
