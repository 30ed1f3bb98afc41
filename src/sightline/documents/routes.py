"""Operations on generated documents."""

from sightline.documents import queries
from sightline.documents.records import Document, DocumentSummary
from sightline.platform.db import Window
from sightline.platform.http.operations import Call, operation
from sightline.platform.lists.paging import Paging
from sightline.platform.refs import HiddenId, InitiativeRef
from sightline.platform.scopes import Scope
from sightline.platform.wire import Page, Versioned


@operation("GET", "/initiatives/{ref}/documents", scopes=[Scope.INITIATIVES_READ], paging=Paging(20, 100))
async def list_initiative_documents(call: Call, ref: InitiativeRef, window: Window) -> Page[DocumentSummary]:
    """Lists the generated documents of an initiative."""
    async with call.db.autocommit() as tx:
        initiative_id = await queries.find_initiative(tx, call.actor.workspace_id, ref)
        return await queries.page_of_documents(tx, call.actor.workspace_id, initiative_id, window)


@operation("GET", "/initiatives/{ref}/documents/{document_id}", scopes=[Scope.INITIATIVES_READ])
async def get_initiative_document(call: Call, ref: InitiativeRef, document_id: HiddenId) -> Versioned[Document]:
    """Gets one document as Markdown, with the sources of its statements."""
    async with call.db.autocommit() as tx:
        return await queries.find_document(tx, call.actor.workspace_id, ref, document_id, at_once=call.at_once)
