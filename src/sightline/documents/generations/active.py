"""The active generation of a document: at most one for each initiative and type.

A request during an active generation joins it. The database enforces it with a unique index over the pending rows.
"""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sightline.documents.generations.queries import RECEIPT, as_generation
from sightline.documents.generations.records import GenerationFailure, GenerationReceipt
from sightline.intelligence.material import DocumentType
from sightline.platform.db import Tx
from sightline.platform.db.sql import sql
from sightline.platform.ids import new_id


class Written(NamedTuple):
    """The document of a type, if the initiative has one, and whether its first generation is active."""

    document_id: UUID | None
    version: int
    updated_at: str | None
    is_first_active: bool


# One statement: between two statements a worker could complete the generation.
_FIND_WRITTEN = sql("""
SELECT d.id, coalesce(d.version, 0), iso(d.updated_at), EXISTS (
           SELECT FROM document_generations g
            WHERE g.workspace_id = :workspace_id AND g.initiative_id = :initiative_id AND g.type = :type
              AND g.status = 'pending' AND g.is_first)
  FROM (SELECT) AS one
  LEFT JOIN documents d ON d.workspace_id = :workspace_id AND d.initiative_id = :initiative_id AND d.type = :type""")


async def find_written(tx: Tx, workspace_id: UUID, initiative_id: UUID, type: DocumentType) -> Written:
    row = await tx.row(_FIND_WRITTEN, workspace_id=workspace_id, initiative_id=initiative_id, type=type)
    return Written(*row or (None, 0, None, False))


# A request during an active generation joins it and is counted, so that no draft older than the request is stored.
_ADD = sql(
    """
WITH g AS (
    INSERT INTO document_generations AS active
           (workspace_id, id, initiative_id, document_id, type, is_first, status, run_after, created_at, updated_at)
    VALUES (:workspace_id, :id, :initiative_id, :document_id, :type, :is_first, 'pending', :run_after, :now, :now)
    ON CONFLICT (workspace_id, initiative_id, type) WHERE status = 'pending'
       DO UPDATE SET requests = active.requests + 1
    RETURNING *)
SELECT {columns} FROM g JOIN initiatives i ON i.workspace_id = :workspace_id AND i.id = g.initiative_id""",
    columns=RECEIPT,
)


class NewGeneration(NamedTuple):
    """A document to write. `is_first`: it does not exist yet."""

    initiative_id: UUID
    document_id: UUID
    type: DocumentType
    is_first: bool
    run_after: datetime


async def add_generation(tx: Tx, workspace_id: UUID, new: NewGeneration) -> GenerationReceipt:
    """Adds the generation, or joins the active one of the same document (`deduplicated`)."""
    id = new_id()
    row = await tx.row(_ADD, workspace_id=workspace_id, id=id, **new._asdict())
    assert row is not None  # noqa: S101 - the initiative is locked by the transaction
    receipt = as_generation(row).receipt
    receipt.deduplicated = receipt.job_id != id
    return receipt


_FAIL = sql("""
UPDATE document_generations SET status = 'failed', failure = :failure, updated_at = :now
 WHERE workspace_id = :workspace_id AND id = :id AND status = 'pending'""")


async def fail(tx: Tx, workspace_id: UUID, id: UUID, failure: GenerationFailure) -> None:
    """Fails a generation if it is pending."""
    await tx.run(_FAIL, workspace_id=workspace_id, id=id, failure=failure)


_REVIVE = sql("""
UPDATE document_generations AS g SET status = 'pending', failure = NULL, updated_at = :now
 WHERE workspace_id = :workspace_id AND id = :id AND status = 'failed'
   AND NOT EXISTS (SELECT FROM document_generations AS newer
                    WHERE newer.workspace_id = :workspace_id AND newer.initiative_id = g.initiative_id
                      AND newer.type = g.type AND (newer.created_at, newer.id) > (g.created_at, g.id))""")


async def revive(tx: Tx, workspace_id: UUID, id: UUID) -> None:
    """Makes a failed generation pending, unless the same document was requested since."""
    await tx.run(_REVIVE, workspace_id=workspace_id, id=id)
