"""The SQL of documents and their generations."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from msgspec import json

from sightline.documents.records import Document, DocumentSummary, Failure, GenerationReceipt, Writer
from sightline.intelligence.material import DocumentType, Draft
from sightline.platform.db import Tx, Window
from sightline.platform.db.database import Row
from sightline.platform.errors import NotFound
from sightline.platform.ids import new_id
from sightline.platform.refs import InitiativeRef
from sightline.platform.wire import Page

JOB_TYPES = {
    DocumentType.INITIATIVE_BRIEF: "generate-initiative-brief",
    DocumentType.PRD: "generate-prd",
    DocumentType.TDD: "generate-tdd",
}


class Located(NamedTuple):
    """Which initiative a reference names."""

    id: UUID
    public_id: str


_LOCATE = "SELECT id, 'INITIATIVE-' || number FROM initiatives WHERE workspace_id = $1 AND {} = $2{}"


async def find_initiative(tx: Tx, workspace_id: UUID, ref: InitiativeRef, *, lock: bool = False) -> Located:
    """Raises NotFound. With `lock` the initiative cannot be deleted before the transaction ends."""
    row = await tx.row(_LOCATE.format(ref.column, " FOR KEY SHARE" if lock else ""), workspace_id, ref.value)
    if row is None:
        raise NotFound
    return Located(*row)


_SUMMARY = """
    d.id, d.initiative_id, 'INITIATIVE-' || i.number, d.type, d.version, iso(d.created_at), iso(d.updated_at)"""
_FROM = "FROM documents d JOIN initiatives i ON i.workspace_id = d.workspace_id AND i.id = d.initiative_id"
_PAGE = f"""
SELECT {_SUMMARY} {_FROM}
 WHERE d.workspace_id = $1 AND d.initiative_id = $2 ORDER BY d.type, d.id LIMIT $3 OFFSET $4"""
_COUNT = "SELECT count(*) FROM documents WHERE workspace_id = $1 AND initiative_id = $2"
_FIND = f"""
SELECT {_SUMMARY}, d.content, d.sources, d.writer {_FROM}
 WHERE d.workspace_id = $1 AND d.initiative_id = $2 AND d.id = $3"""


async def page_of_documents(tx: Tx, workspace_id: UUID, initiative_id: UUID, window: Window) -> Page[DocumentSummary]:
    """By type; at most one of each."""
    total = await tx.value(_COUNT, workspace_id, initiative_id)
    rows = await tx.rows(_PAGE, workspace_id, initiative_id, window.limit, window.offset)
    return Page([DocumentSummary(*row) for row in rows], total, window)


async def find_document(tx: Tx, workspace_id: UUID, initiative_id: UUID, id: UUID) -> Document:
    """Raises NotFound."""
    row = await tx.row(_FIND, workspace_id, initiative_id, id)
    if row is None:
        raise NotFound
    return Document(*row)


class Written(NamedTuple):
    """Whether an initiative has a document of a type, and whether its first one is being written."""

    document_id: UUID | None
    version: int
    is_first_active: bool


# One statement: between two a worker could turn the one into the other.
_FIND_WRITTEN = """
SELECT d.id, coalesce(d.version, 0), EXISTS (
           SELECT FROM document_generations g
            WHERE g.workspace_id = $1 AND g.initiative_id = $2 AND g.type = $3 AND g.status = 'pending' AND g.is_first)
  FROM (SELECT) AS one LEFT JOIN documents d ON d.workspace_id = $1 AND d.initiative_id = $2 AND d.type = $3"""


async def find_written(tx: Tx, workspace_id: UUID, initiative_id: UUID, type: DocumentType) -> Written:
    row = await tx.row(_FIND_WRITTEN, workspace_id, initiative_id, type)
    return Written(*row or (None, 0, False))


_RECEIPT = """
    g.id, g.type, g.status, g.initiative_id, 'INITIATIVE-' || i.number, g.document_id, iso(g.created_at),
    iso(g.updated_at), g.failure, (extract(epoch FROM g.updated_at) * 1000)::bigint"""
_RECEIPT_FROM = """
  FROM document_generations g JOIN initiatives i ON i.workspace_id = g.workspace_id AND i.id = g.initiative_id"""


class Generation(NamedTuple):
    """A generation, as its receipt shows it, and its version: the millisecond of its last move."""

    receipt: GenerationReceipt
    version: int


def _generation(row: Row) -> Generation:
    type = DocumentType(row[1])
    receipt = GenerationReceipt(
        operation="initiative_document_regeneration",
        job_id=row[0],
        job_type=JOB_TYPES[type],  # type: ignore[arg-type]  # the values of the table are the literals of the record
        status=row[2],
        queued=row[2] == "pending",
        deduplicated=False,
        initiative_id=row[3],
        initiative_public_id=row[4],
        document_id=row[5],
        document_type=type,
        created_at=row[6],
        updated_at=row[7],
        failure=json.decode(row[8], type=Failure) if row[8] else None,
    )
    return Generation(receipt, row[9])


_FIND_GENERATION = f"""
SELECT {_RECEIPT} {_RECEIPT_FROM} WHERE g.workspace_id = $1 AND g.initiative_id = $2 AND g.id = $3"""


async def find_generation(tx: Tx, workspace_id: UUID, initiative_id: UUID, id: UUID) -> Generation:
    """Raises NotFound."""
    row = await tx.row(_FIND_GENERATION, workspace_id, initiative_id, id)
    if row is None:
        raise NotFound
    return _generation(row)


# A second wish while one is active joins it; that it came is counted, so that nothing read before it is stored.
_WISH = f"""
WITH g AS (
    INSERT INTO document_generations AS known
           (workspace_id, id, initiative_id, document_id, type, is_first, status, run_after, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, 'pending', $7, $8, $8)
    ON CONFLICT (workspace_id, initiative_id, type) WHERE status = 'pending'
       DO UPDATE SET wishes = known.wishes + 1
    RETURNING *)
SELECT {_RECEIPT} FROM g JOIN initiatives i ON i.workspace_id = g.workspace_id AND i.id = g.initiative_id"""


class Wish(NamedTuple):
    """A document to be written."""

    initiative_id: UUID
    document_id: UUID
    type: DocumentType
    is_first: bool
    run_after: datetime


async def add_wish(tx: Tx, workspace_id: UUID, wish: Wish) -> Generation:
    """The new generation, or the active one of the same document: then its id is another than the new one's."""
    id = new_id()
    values = (wish.initiative_id, wish.document_id, wish.type, wish.is_first, wish.run_after, tx.now)
    row = await tx.row(_WISH, workspace_id, id, *values)
    assert row is not None  # noqa: S101 - the initiative is held by the transaction
    generation = _generation(row)
    generation.receipt.deduplicated = generation.receipt.job_id != id
    return generation


class Pending(NamedTuple):
    """A generation that is to be carried out."""

    initiative_id: UUID
    document_id: UUID
    type: DocumentType
    is_first: bool
    wishes: int


_FIND_PENDING = """
SELECT initiative_id, document_id, type, is_first, wishes FROM document_generations
 WHERE workspace_id = $1 AND id = $2 AND status = 'pending'"""


async def find_pending(tx: Tx, workspace_id: UUID, id: UUID) -> Pending | None:
    """None when it is done, failed, or gone with its initiative."""
    row = await tx.row(_FIND_PENDING, workspace_id, id)
    return Pending(row[0], row[1], DocumentType(row[2]), row[3], row[4]) if row else None


_COMPLETE = """
UPDATE document_generations SET status = 'completed', updated_at = $3
 WHERE workspace_id = $1 AND id = $2 AND status = 'pending' AND wishes = $4"""
_FAIL = """
UPDATE document_generations SET status = 'failed', failure = $4, updated_at = $3
 WHERE workspace_id = $1 AND id = $2 AND status = 'pending'"""


async def complete(tx: Tx, workspace_id: UUID, id: UUID, wishes: int) -> bool:
    """Seals a generation, once; False when it was asked for again since `wishes` was read, or is sealed already."""
    return await tx.run(_COMPLETE, workspace_id, id, tx.now, wishes) == 1


async def fail(tx: Tx, workspace_id: UUID, id: UUID, failure: Failure) -> bool:
    """Seals a generation as failed, once."""
    return await tx.run(_FAIL, workspace_id, id, tx.now, failure) == 1


_REVIVE = """
UPDATE document_generations AS g SET status = 'pending', failure = NULL, updated_at = $3
 WHERE workspace_id = $1 AND id = $2 AND status = 'failed'
   AND NOT EXISTS (SELECT FROM document_generations AS newer
                    WHERE newer.workspace_id = $1 AND newer.initiative_id = g.initiative_id AND newer.type = g.type
                      AND (newer.created_at, newer.id) > (g.created_at, g.id))"""


async def revive(tx: Tx, workspace_id: UUID, id: UUID) -> bool:
    """Opens a failed generation again, unless the same document was asked for since."""
    return await tx.run(_REVIVE, workspace_id, id, tx.now) == 1


_KEEP_OLD = """
INSERT INTO document_versions (workspace_id, document_id, version, content, sources, writer, written_at)
SELECT workspace_id, id, version, content, sources, writer, updated_at
  FROM documents WHERE workspace_id = $1 AND id = $2"""
_REPLACE = """
UPDATE documents SET content = $3, sources = $4, writer = $5, version = version + 1, updated_at = $6
 WHERE workspace_id = $1 AND id = $2"""
_ADD = """
INSERT INTO documents (workspace_id, id, initiative_id, type, version, content, sources, writer, created_at, updated_at)
VALUES ($1, $2, $3, $4, 1, $5, $6, $7, $8, $8)"""


async def store(tx: Tx, workspace_id: UUID, pending: Pending, draft: Draft, writer: Writer) -> None:
    """Replaces the document in place and keeps what it said before; makes it when it is the first."""
    written = (draft.content, draft.sources, writer, tx.now)
    if pending.is_first:
        await tx.run(_ADD, workspace_id, pending.document_id, pending.initiative_id, pending.type, *written)
        return
    await tx.run(_KEEP_OLD, workspace_id, pending.document_id)
    await tx.run(_REPLACE, workspace_id, pending.document_id, *written)
