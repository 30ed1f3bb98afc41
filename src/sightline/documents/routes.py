"""What can be asked of generated documents. Specification: Initiatives and teams, Regenerate."""

from sightline.documents import generations
from sightline.documents.generations import DocumentExists, GenerationActive
from sightline.documents.records import Document, DocumentSummary, DocumentWish, GenerationReceipt
from sightline.platform.access import Scope
from sightline.platform.db import Window
from sightline.platform.errors import CreatorNotAllowed
from sightline.platform.http.operations import Call, operation
from sightline.platform.http.queries import Paging
from sightline.platform.refs import HiddenId, InitiativeRef
from sightline.platform.wire import Page, Versioned


@operation("GET", "/initiatives/{ref}/documents", scopes=[Scope.INITIATIVES_READ], paging=Paging(20, 100))
async def list_initiative_documents(call: Call, ref: InitiativeRef, window: Window) -> Page[DocumentSummary]:
    """Lists the generated documents of an initiative."""
    async with call.db.read() as tx:
        return await generations.list_documents(tx, call.actor, ref, window)


@operation(
    "POST",
    "/initiatives/{ref}/documents",
    scopes=[Scope.INITIATIVES_WRITE],
    status=202,
    refuses=[CreatorNotAllowed, DocumentExists],
    example={"type": "TDD"},
)
async def generate_initiative_document(call: Call, ref: InitiativeRef, wish: DocumentWish) -> GenerationReceipt:
    """Has a document written for the first time; poll `statusUrl`."""
    async with call.db.write() as tx:
        return await generations.generate(tx, call.actor, ref, wish, call.expect)


@operation(
    "POST",
    "/initiatives/{ref}/documents/regenerate",
    scopes=[Scope.INITIATIVES_WRITE],
    status=202,
    refuses=[CreatorNotAllowed, GenerationActive],
    example={"type": "PRD"},
)
async def regenerate_initiative_document(call: Call, ref: InitiativeRef, wish: DocumentWish) -> GenerationReceipt:
    """Has an existing document written anew from the initiative's current state; poll `statusUrl`.

    The document keeps its id and gets the next version; earlier versions are kept.
    """
    async with call.db.write() as tx:
        return await generations.regenerate(tx, call.actor, ref, wish, call.expect)


@operation("GET", "/initiatives/{ref}/documents/regenerations/{job_id}", scopes=[Scope.INITIATIVES_READ])
async def get_document_regeneration(call: Call, ref: InitiativeRef, job_id: HiddenId) -> Versioned[GenerationReceipt]:
    """Tells how a generation stands: pending, completed or failed."""
    async with call.db.read() as tx:
        return await generations.get_generation(tx, call.actor, ref, job_id)


@operation("GET", "/initiatives/{ref}/documents/{document_id}", scopes=[Scope.INITIATIVES_READ])
async def get_initiative_document(call: Call, ref: InitiativeRef, document_id: HiddenId) -> Versioned[Document]:
    """Gets one document as Markdown, with the sources of its statements."""
    async with call.db.read() as tx:
        return await generations.get_document(tx, call.actor, ref, document_id)
