"""The SQL of documents."""

from uuid import UUID

from sightline.documents.material.queries import Pending
from sightline.documents.records import Document, DocumentSummary, DocumentWriter
from sightline.intelligence.material import Draft
from sightline.platform.access import Actor
from sightline.platform.db import Tx, Where, Window
from sightline.platform.db.horizon import MOMENT
from sightline.platform.db.sql import by_reference, sql
from sightline.platform.jobs.queries import HELD
from sightline.platform.jobs.queue import HeldDatabase
from sightline.platform.lists.large import stored_size
from sightline.platform.lists.listing import Listing, Order
from sightline.platform.lists.read import read_list
from sightline.platform.lists.single import SingleRecord
from sightline.platform.refs import InitiativeRef
from sightline.platform.wire import Page, Versioned, version_tag
from sightline.workspaces.changes import add_changes, change_by

_LOCATE = "SELECT id FROM initiatives WHERE workspace_id = :workspace_id AND {ref} = :ref {lock}"
_FIND_INITIATIVE = by_reference(_LOCATE, lock="")
_LOCK_INITIATIVE = by_reference(_LOCATE, lock="FOR KEY SHARE")


async def find_initiative(tx: Tx, workspace_id: UUID, ref: InitiativeRef, *, lock: bool = False) -> UUID:
    """Returns the id. With `lock` the initiative cannot be deleted before the transaction ends. Raises NotFound."""
    statements = _LOCK_INITIATIVE if lock else _FIND_INITIATIVE
    id: UUID = (await tx.found(statements[ref.column], workspace_id=workspace_id, ref=ref.value))["id"]
    return id


# The fields of a DocumentSummary under their names, in their order; then those that a Document adds.
_SUMMARY = """
    id, initiative_id,
    (SELECT 'INITIATIVE-' || number FROM initiatives
      WHERE workspace_id = :workspace_id AND id = documents.initiative_id) AS initiative_public_id,
    type, version, iso(created_at) AS created_at, iso(updated_at) AS updated_at"""
_DOCUMENT = f"{_SUMMARY}, content, sources, writer"
_LISTING = Listing("documents", DocumentSummary, _SUMMARY, Order("documents", "type", "id", UUID, has_cursor=False))
_ONE = SingleRecord.of(
    "documents WHERE workspace_id = :workspace_id AND initiative_id = :initiative_id AND id = :id",
    _DOCUMENT,
    stored_size("content", json=["sources"]),
)


async def page_of_documents(tx: Tx, workspace_id: UUID, initiative_id: UUID, window: Window) -> Page[DocumentSummary]:
    """Returns a page by type; at most one document of each."""
    return await read_list(tx, _LISTING, Where(workspace_id).equals(initiative_id=initiative_id), window)


async def find_document(
    tx: Tx, workspace_id: UUID, ref: InitiativeRef, id: UUID, *, at_once: bool
) -> Versioned[Document]:
    """Raises NotFound, and LargeRecord for a large one that is read `at_once`."""
    initiative_id = await find_initiative(tx, workspace_id, ref)
    row = await _ONE.find(tx, at_once=at_once, workspace_id=workspace_id, initiative_id=initiative_id, id=id)
    return Versioned(Document(*row), version_tag(id, row["version"], at=row["updated_at"]))


# Completes the generation, keeps the previous version, writes the document, and logs it; or nothing, also if another
# worker has the job. CASE, so that the generation is found by its key: by the index of pending ones, all of 5,000 that
# a workspace waits for were read for each document, in 1.2 ms in place of 0.1.
_STORE = sql(
    """
WITH held AS (SELECT {held}),
completed AS (
    UPDATE document_generations SET status = 'completed', updated_at = {moment}
     WHERE workspace_id = :workspace_id AND id = :id AND EXISTS (SELECT FROM held)
       AND requests = CASE status WHEN 'pending' THEN :requests::int END
    RETURNING document_id, initiative_id, type, updated_at),
kept AS (
    INSERT INTO document_versions (workspace_id, document_id, version, content, sources, writer, written_at)
    SELECT :workspace_id, d.id, d.version, d.content, d.sources, d.writer, d.updated_at
      FROM completed JOIN documents d ON d.workspace_id = :workspace_id AND d.id = completed.document_id),
written AS (
    INSERT INTO documents AS d (workspace_id, id, initiative_id, type, version, content, sources, writer, created_at,
                                updated_at)
    SELECT :workspace_id, document_id, initiative_id, type, 1, :content, :sources, :writer, updated_at, updated_at
      FROM completed
    ON CONFLICT (workspace_id, id)
    DO UPDATE SET content = excluded.content, sources = excluded.sources, writer = excluded.writer,
                  version = d.version + 1, updated_at = excluded.updated_at
    RETURNING id, type, updated_at)
{log}""",
    held=HELD,
    moment=MOMENT,
    log=add_changes(
        "document",
        "written",
        "written",
        public_id="NULL",
        at="updated_at",
        detail="jsonb_build_object('type', type)",
    ),
)


async def store_document(
    db: HeldDatabase, actor: Actor, pending: Pending, draft: Draft, writer: DocumentWriter
) -> bool:
    """Completes the generation once, and replaces the document in place; the previous version is kept.

    Returns False if another request joined the generation or it is not pending. Raises HoldLost.
    """
    answered = {"id": pending.id, "requests": pending.requests}
    written = {"content": draft.content, "sources": draft.sources, "writer": writer}
    async with db.autocommit(writes=True) as tx:
        if await tx.run(_STORE, **change_by(actor), **answered, **written, **db.held):
            return True
    async with db.transaction():  # which another worker's job refuses
        return False
