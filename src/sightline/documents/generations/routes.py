"""Operations that generate documents. Specification: Initiatives and teams, Regenerate."""

from sightline.documents.generations import generate
from sightline.documents.generations.generate import DocumentExists, GenerationActive
from sightline.documents.generations.records import DocumentRequest, GenerationReceipt
from sightline.platform.http.operations import Call, operation
from sightline.platform.refs import HiddenId, InitiativeRef
from sightline.platform.scopes import Scope
from sightline.platform.wire import Versioned


@operation(
    "POST",
    "/initiatives/{ref}/documents",
    scopes=[Scope.INITIATIVES_WRITE],
    status=202,
    refuses=[DocumentExists],
    example={"type": "TDD"},
)
async def generate_initiative_document(call: Call, ref: InitiativeRef, request: DocumentRequest) -> GenerationReceipt:
    """Queues the first generation of a document; poll `statusUrl`."""
    async with call.db.transaction() as tx:
        return await generate.generate(tx, call.actor, ref, request, call.expect)


@operation(
    "POST",
    "/initiatives/{ref}/documents/regenerate",
    scopes=[Scope.INITIATIVES_WRITE],
    status=202,
    refuses=[GenerationActive],
    example={"type": "PRD"},
)
async def regenerate_initiative_document(call: Call, ref: InitiativeRef, request: DocumentRequest) -> GenerationReceipt:
    """Queues a new version of an existing document from the initiative's current state; poll `statusUrl`.

    The document keeps its id; earlier versions are kept.
    """
    async with call.db.transaction() as tx:
        return await generate.regenerate(tx, call.actor, ref, request, call.expect)


@operation("GET", "/initiatives/{ref}/documents/regenerations/{job_id}", scopes=[Scope.INITIATIVES_READ])
async def get_document_regeneration(call: Call, ref: InitiativeRef, job_id: HiddenId) -> Versioned[GenerationReceipt]:
    """Gets the state of a generation: pending, completed or failed."""
    async with call.db.autocommit() as tx:
        return await generate.get_generation(tx, call.actor, ref, job_id)
