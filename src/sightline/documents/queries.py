"""The SQL of documents."""

from typing import NamedTuple
from uuid import UUID

from sightline.documents.records import Document, DocumentSummary, DocumentWriter
from sightline.intelligence.material import DocumentType, Draft
from sightline.platform.db import Tx, Where, Window
from sightline.platform.db.sql import Statement, by_reference, sql
from sightline.platform.errors import NotFound
from sightline.platform.lists.listing import Listing, Order
from sightline.platform.lists.read import read_list
from sightline.platform.refs import InitiativeRef
from sightline.platform.wire import Page


class Located(NamedTuple):
    """The initiative that a reference names."""

    id: UUID
    public_id: str


_LOCATE = """
SELECT id, 'INITIATIVE-' || number FROM initiatives WHERE workspace_id = :workspace_id AND {ref} = :ref {lock}"""
_FIND_INITIATIVE = by_reference(_LOCATE, lock="")
_LOCK_INITIATIVE = by_reference(_LOCATE, lock="FOR KEY SHARE")


async def find_initiative(tx: Tx, workspace_id: UUID, ref: InitiativeRef) -> Located:
    """Raises NotFound."""
    return await _locate(tx, _FIND_INITIATIVE, workspace_id, ref)


async def lock_initiative(tx: Tx, workspace_id: UUID, ref: InitiativeRef) -> Located:
    """Locks the initiative against deletion until the transaction ends. Raises NotFound."""
    return await _locate(tx, _LOCK_INITIATIVE, workspace_id, ref)


async def _locate(tx: Tx, statements: dict[str, Statement], workspace_id: UUID, ref: InitiativeRef) -> Located:
    row = await tx.row(statements[ref.column], workspace_id=workspace_id, ref=ref.value)
    if row is None:
        raise NotFound
    return Located(*row)


# The fields of a DocumentSummary under their names, in their order; then those that a Document adds.
_SUMMARY = """
    id, initiative_id,
    (SELECT 'INITIATIVE-' || number FROM initiatives
      WHERE workspace_id = :workspace_id AND id = documents.initiative_id) AS initiative_public_id,
    type, version, iso(created_at) AS created_at, iso(updated_at) AS updated_at"""
_DOCUMENT = f"{_SUMMARY}, content, sources, writer"
_LISTING = Listing("documents", DocumentSummary, _SUMMARY, Order("documents", "type", "id", UUID, has_cursor=False))
_FIND = sql(
    """
SELECT {columns} FROM documents
 WHERE workspace_id = :workspace_id AND initiative_id = :initiative_id AND id = :id""",
    columns=_DOCUMENT,
)


async def page_of_documents(tx: Tx, workspace_id: UUID, initiative_id: UUID, window: Window) -> Page[DocumentSummary]:
    """Returns a page by type; at most one document of each."""
    return await read_list(tx, _LISTING, Where(workspace_id).equals(initiative_id=initiative_id), window)


async def find_document(tx: Tx, workspace_id: UUID, initiative_id: UUID, id: UUID) -> Document:
    """Raises NotFound."""
    row = await tx.row(_FIND, workspace_id=workspace_id, initiative_id=initiative_id, id=id)
    if row is None:
        raise NotFound
    return Document(*row)


_ADD = sql("""
INSERT INTO documents (workspace_id, id, initiative_id, type, version, content, sources, writer, created_at, updated_at)
VALUES (:workspace_id, :id, :initiative_id, :type, 1, :content, :sources, :writer, :now, :now)""")
_REPLACE = sql("""
WITH kept AS (
    INSERT INTO document_versions (workspace_id, document_id, version, content, sources, writer, written_at)
    SELECT workspace_id, id, version, content, sources, writer, updated_at
      FROM documents WHERE workspace_id = :workspace_id AND id = :id)
UPDATE documents
   SET content = :content, sources = :sources, writer = :writer, version = version + 1, updated_at = :now
 WHERE workspace_id = :workspace_id AND id = :id""")


class NewDocument(NamedTuple):
    """A document that an initiative does not have yet."""

    id: UUID
    initiative_id: UUID
    type: DocumentType


async def add_document(tx: Tx, workspace_id: UUID, document: NewDocument, draft: Draft, writer: DocumentWriter) -> None:
    await tx.run(
        _ADD,
        workspace_id=workspace_id,
        **document._asdict(),
        content=draft.content,
        sources=draft.sources,
        writer=writer,
    )


async def replace_document(tx: Tx, workspace_id: UUID, id: UUID, draft: Draft, writer: DocumentWriter) -> None:
    """Replaces the content in place and keeps the previous version."""
    await tx.run(
        _REPLACE,
        workspace_id=workspace_id,
        id=id,
        content=draft.content,
        sources=draft.sources,
        writer=writer,
    )
