"""Requesting a document, and polling for it. Specification: Document regeneration job status."""

from datetime import timedelta
from uuid import UUID

from sightline.documents.generations import queries
from sightline.documents.generations.queries import NewGeneration
from sightline.documents.generations.records import DocumentRequest, GenerationReceipt
from sightline.documents.queries import find_initiative
from sightline.platform.access import Actor
from sightline.platform.db import Tx
from sightline.platform.errors import Conflict, NotFound
from sightline.platform.ids import new_id
from sightline.platform.jobs import JobKind, add_job
from sightline.platform.refs import InitiativeRef
from sightline.platform.wire import Expectation, Versioned, expect_anything, version_tag
from sightline.workspaces.changes import log_change

WRITE_DOCUMENT = JobKind("documents.write")
# The delay of a regeneration, so that edits in quick succession go into one document.
SETTLE = timedelta(seconds=1)


class GenerationActive(Conflict):
    """409: the document is being written for the first time."""

    code = "GENERATION_ACTIVE"


class DocumentExists(Conflict):
    """409: the initiative has a document of this type; it can be regenerated."""

    code = "DOCUMENT_EXISTS"


async def get_generation(tx: Tx, actor: Actor, ref: InitiativeRef, job_id: UUID) -> Versioned[GenerationReceipt]:
    """Raises NotFound."""
    initiative_id = await find_initiative(tx, actor.workspace_id, ref)
    return await queries.find_generation(tx, actor.workspace_id, initiative_id, job_id)


async def generate(
    tx: Tx, actor: Actor, ref: InitiativeRef, request: DocumentRequest, expect: Expectation = expect_anything
) -> GenerationReceipt:
    """Queues the first generation of a document, or joins an active one.

    Raises NotFound, DocumentExists, PreconditionFailed.
    """
    initiative_id = await find_initiative(tx, actor.workspace_id, ref, lock=True)
    new = NewGeneration(initiative_id, new_id(), request.type, is_first=True, run_after=tx.now)
    receipt = await _queue(tx, actor, ref, new)
    # Checked last: before the generation is stored a worker may complete an earlier one.
    written = await queries.find_written(tx, actor.workspace_id, initiative_id, request.type)
    if written["document_id"] is not None:
        raise DocumentExists(f"The initiative has a {request.type} already. Regenerate it.", field="type")
    expect(None)
    return receipt


async def regenerate(
    tx: Tx, actor: Actor, ref: InitiativeRef, request: DocumentRequest, expect: Expectation = expect_anything
) -> GenerationReceipt:
    """Queues the regeneration of an existing document, or joins an active one.

    Raises NotFound for initiative and document, GenerationActive while the first generation is
    active, PreconditionFailed.
    """
    initiative_id = await find_initiative(tx, actor.workspace_id, ref, lock=True)
    written = await queries.find_written(tx, actor.workspace_id, initiative_id, request.type)
    if written["document_id"] is None and not written["is_first_active"]:
        raise NotFound(f"The initiative has no {request.type}.", field="type")
    if written["document_id"] is None or written["is_first_active"]:
        raise GenerationActive(f"The {request.type} is being written for the first time.", field="type")
    expect(version_tag(written["document_id"], written["version"], at=written["updated_at"] or ""))
    document_id, run_after = written["document_id"], tx.now + SETTLE
    new = NewGeneration(initiative_id, document_id, request.type, is_first=False, run_after=run_after)
    return await _queue(tx, actor, ref, new)


async def _queue(tx: Tx, actor: Actor, ref: InitiativeRef, new: NewGeneration) -> GenerationReceipt:
    """Stores the generation and its job in one transaction."""
    receipt = await queries.add_generation(tx, actor.workspace_id, new)
    # The address to poll has the form of reference of the request.
    initiative = receipt.initiative_public_id if ref.id is None else ref.id
    receipt.status_url = f"/api/external/v1/initiatives/{initiative}/documents/regenerations/{receipt.job_id}"
    if not receipt.deduplicated:
        detail = {"type": new.type, "job": str(receipt.job_id)}
        await log_change(tx, actor, "document", receipt.document_id, None, "generation_queued", **detail)
    await add_job(tx, WRITE_DOCUMENT, actor.workspace_id, receipt.job_id, run_after=new.run_after)
    return receipt
