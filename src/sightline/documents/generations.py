"""Asking for a document to be written, and how that went. Specification: Document regeneration job status."""

from datetime import timedelta
from uuid import UUID

from sightline.documents import queries
from sightline.documents.kinds import WRITE_DOCUMENT
from sightline.documents.queries import Wish
from sightline.documents.records import Document, DocumentSummary, DocumentWish, GenerationReceipt
from sightline.platform.access import Actor
from sightline.platform.db import Tx, Window
from sightline.platform.errors import Conflict, NotFound
from sightline.platform.ids import new_id
from sightline.platform.jobs import add_job
from sightline.platform.refs import InitiativeRef
from sightline.platform.wire import Expectation, Page, Versioned, expect_anything, version_tag
from sightline.workspaces.changes import log_change

# Edits that follow one another shortly go into one document.
SETTLE = timedelta(seconds=1)


class GenerationActive(Conflict):
    """409: the document is being written for the first time."""

    code = "GENERATION_ACTIVE"


class DocumentExists(Conflict):
    """409: the initiative has such a document; it can be regenerated."""

    code = "DOCUMENT_EXISTS"


async def list_documents(tx: Tx, actor: Actor, ref: InitiativeRef, window: Window) -> Page[DocumentSummary]:
    """Raises NotFound."""
    initiative = await queries.find_initiative(tx, actor.workspace_id, ref)
    return await queries.page_of_documents(tx, actor.workspace_id, initiative.id, window)


async def get_document(tx: Tx, actor: Actor, ref: InitiativeRef, document_id: UUID) -> Versioned[Document]:
    """Raises NotFound."""
    initiative = await queries.find_initiative(tx, actor.workspace_id, ref)
    document = await queries.find_document(tx, actor.workspace_id, initiative.id, document_id)
    return Versioned(document, version_tag(document.id, document.version))


async def get_generation(tx: Tx, actor: Actor, ref: InitiativeRef, job_id: UUID) -> Versioned[GenerationReceipt]:
    """Raises NotFound."""
    initiative = await queries.find_initiative(tx, actor.workspace_id, ref)
    found = await queries.find_generation(tx, actor.workspace_id, initiative.id, job_id)
    return Versioned(found.receipt, version_tag(job_id, found.version, f".{found.receipt.status}"))


async def generate(
    tx: Tx, actor: Actor, ref: InitiativeRef, wish: DocumentWish, expect: Expectation = expect_anything
) -> GenerationReceipt:
    """Has a document written for the first time; joins a first generation that is active.

    Raises NotFound, CreatorNotAllowed, DocumentExists, PreconditionFailed.
    """
    initiative = await queries.find_initiative(tx, actor.workspace_id, ref, lock=True)
    actor.require_writer()
    receipt = await _queue(tx, actor, ref, Wish(initiative.id, new_id(), wish.type, is_first=True, run_after=tx.now))
    # Looked at last: until the wish stands, a worker may store what the generation before this one was about.
    if (await queries.find_written(tx, actor.workspace_id, initiative.id, wish.type)).document_id is not None:
        raise DocumentExists(f"The initiative has a {wish.type} already. Regenerate it.", field="type")
    expect(None)
    return receipt


async def regenerate(
    tx: Tx, actor: Actor, ref: InitiativeRef, wish: DocumentWish, expect: Expectation = expect_anything
) -> GenerationReceipt:
    """Has an existing document written anew; joins a regeneration that is active.

    Raises NotFound for initiative and document, CreatorNotAllowed, GenerationActive while the first one runs,
    PreconditionFailed.
    """
    initiative = await queries.find_initiative(tx, actor.workspace_id, ref, lock=True)
    written = await queries.find_written(tx, actor.workspace_id, initiative.id, wish.type)
    if written.document_id is None and not written.is_first_active:
        raise NotFound(f"The initiative has no {wish.type}.", field="type")
    actor.require_writer()
    if written.document_id is None or written.is_first_active:
        raise GenerationActive(f"The {wish.type} is being written for the first time.", field="type")
    expect(version_tag(written.document_id, written.version))
    wanted = Wish(initiative.id, written.document_id, wish.type, is_first=False, run_after=tx.now + SETTLE)
    return await _queue(tx, actor, ref, wanted)


async def _queue(tx: Tx, actor: Actor, ref: InitiativeRef, wanted: Wish) -> GenerationReceipt:
    """The receipt and its job, in one transaction."""
    receipt = (await queries.add_wish(tx, actor.workspace_id, wanted)).receipt
    receipt.status_url = _status_url(ref, receipt)
    if not receipt.deduplicated:
        await log_change(
            tx,
            actor,
            "document",
            receipt.document_id,
            None,
            "generation_queued",
            type=wanted.type,
            job=str(receipt.job_id),
        )
    await add_job(tx, WRITE_DOCUMENT, actor.workspace_id, receipt.job_id, run_after=wanted.run_after)
    return receipt


def _status_url(ref: InitiativeRef, receipt: GenerationReceipt) -> str:
    """Where to poll, by the kind of reference that was used to start."""
    initiative = receipt.initiative_public_id if ref.id is None else ref.id
    return f"/api/external/v1/initiatives/{initiative}/documents/regenerations/{receipt.job_id}"
