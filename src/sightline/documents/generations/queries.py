"""The SQL of generations."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from msgspec import json

from sightline.documents.generations.records import GenerationFailure, GenerationReceipt
from sightline.intelligence.material import DocumentType
from sightline.platform.db import Tx
from sightline.platform.db.database import Row
from sightline.platform.db.sql import sql
from sightline.platform.ids import new_id
from sightline.platform.wire import Versioned, version_tag

_JOB_TYPES = {
    DocumentType.INITIATIVE_BRIEF: "generate-initiative-brief",
    DocumentType.PRD: "generate-prd",
    DocumentType.TDD: "generate-tdd",
}


_RECEIPT = """
    g.id, g.type, g.status, g.initiative_id, 'INITIATIVE-' || i.number AS initiative_public_id, g.document_id,
    iso(g.created_at) AS created_at, iso(g.updated_at) AS updated_at, g.failure,
    (extract(epoch FROM g.updated_at) * 1000)::bigint AS version"""


def _as_receipt(row: Row) -> GenerationReceipt:
    type = DocumentType(row["type"])
    return GenerationReceipt(
        operation="initiative_document_regeneration",
        job_id=row["id"],
        job_type=_JOB_TYPES[type],  # type: ignore[arg-type]  # the values of the table are the literals of the record
        status=row["status"],
        queued=row["status"] == "pending",
        deduplicated=False,
        initiative_id=row["initiative_id"],
        initiative_public_id=row["initiative_public_id"],
        document_id=row["document_id"],
        document_type=type,
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        failure=json.decode(row["failure"], type=GenerationFailure) if row["failure"] else None,
    )


_FIND = sql(f"""
SELECT {_RECEIPT}
  FROM document_generations g JOIN initiatives i ON i.workspace_id = :workspace_id AND i.id = g.initiative_id
 WHERE g.workspace_id = :workspace_id AND g.initiative_id = :initiative_id AND g.id = :id""")


async def find_generation(tx: Tx, workspace_id: UUID, initiative_id: UUID, id: UUID) -> Versioned[GenerationReceipt]:
    """Raises NotFound. The version in the tag is the millisecond of the last change."""
    row = await tx.found(_FIND, workspace_id=workspace_id, initiative_id=initiative_id, id=id)
    return Versioned(_as_receipt(row), version_tag(id, row["version"], f".{row['status']}"))


# One statement: between two statements a worker could complete the generation.
_FIND_WRITTEN = sql("""
SELECT d.id AS document_id, coalesce(d.version, 0) AS version, iso(d.updated_at) AS updated_at, EXISTS (
           SELECT FROM document_generations g
            WHERE g.workspace_id = :workspace_id AND g.initiative_id = :initiative_id AND g.type = :type
              AND g.status = 'pending' AND g.is_first) AS is_first_active
  FROM (SELECT) AS one
  LEFT JOIN documents d ON d.workspace_id = :workspace_id AND d.initiative_id = :initiative_id AND d.type = :type""")


async def find_written(tx: Tx, workspace_id: UUID, initiative_id: UUID, type: DocumentType) -> Row:
    """Returns the document of a type, null if there is none, and whether its first generation is active."""
    return await tx.one(_FIND_WRITTEN, workspace_id=workspace_id, initiative_id=initiative_id, type=type)


# A request during an active generation joins it and is counted, so that no draft older than the request is stored.
_ADD = sql(f"""
WITH g AS (
    INSERT INTO document_generations AS active
           (workspace_id, id, initiative_id, document_id, type, is_first, status, run_after, created_at, updated_at)
    VALUES (:workspace_id, :id, :initiative_id, :document_id, :type, :is_first, 'pending', :run_after, :now, :now)
    ON CONFLICT (workspace_id, initiative_id, type) WHERE status = 'pending'
       DO UPDATE SET requests = active.requests + 1
    RETURNING *)
SELECT {_RECEIPT} FROM g JOIN initiatives i ON i.workspace_id = :workspace_id AND i.id = g.initiative_id""")


class NewGeneration(NamedTuple):
    """A document to write. `is_first`: it does not exist yet."""

    initiative_id: UUID
    document_id: UUID
    type: DocumentType
    is_first: bool
    run_after: datetime


async def add_generation(tx: Tx, workspace_id: UUID, new: NewGeneration) -> GenerationReceipt:
    """Adds the generation of a document, or joins the active one (`deduplicated`). A unique index allows only one.

    The caller has locked the initiative.
    """
    id = new_id()
    receipt = _as_receipt(await tx.one(_ADD, workspace_id=workspace_id, id=id, **new._asdict()))
    receipt.deduplicated = receipt.job_id != id
    return receipt
