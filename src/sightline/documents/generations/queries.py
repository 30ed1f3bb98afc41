"""The SQL of generations."""

from typing import NamedTuple
from uuid import UUID

from msgspec import json

from sightline.documents.generations.records import GenerationFailure, GenerationReceipt
from sightline.intelligence.material import DocumentType
from sightline.platform.db import Tx
from sightline.platform.db.database import Row
from sightline.platform.db.sql import sql

JOB_TYPES = {
    DocumentType.INITIATIVE_BRIEF: "generate-initiative-brief",
    DocumentType.PRD: "generate-prd",
    DocumentType.TDD: "generate-tdd",
}


RECEIPT = """
    g.id, g.type, g.status, g.initiative_id, 'INITIATIVE-' || i.number AS initiative_public_id, g.document_id,
    iso(g.created_at) AS created_at, iso(g.updated_at) AS updated_at, g.failure,
    (extract(epoch FROM g.updated_at) * 1000)::bigint AS version"""


class Generation(NamedTuple):
    """A generation. `version` is the millisecond of its last change."""

    receipt: GenerationReceipt
    version: int


def as_generation(row: Row) -> Generation:
    type = DocumentType(row["type"])
    receipt = GenerationReceipt(
        operation="initiative_document_regeneration",
        job_id=row["id"],
        job_type=JOB_TYPES[type],  # type: ignore[arg-type]  # the values of the table are the literals of the record
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
    return Generation(receipt, row["version"])


_FIND = sql(
    """
SELECT {columns}
  FROM document_generations g JOIN initiatives i ON i.workspace_id = :workspace_id AND i.id = g.initiative_id
 WHERE g.workspace_id = :workspace_id AND g.initiative_id = :initiative_id AND g.id = :id""",
    columns=RECEIPT,
)


async def find_generation(tx: Tx, workspace_id: UUID, initiative_id: UUID, id: UUID) -> Generation:
    """Raises NotFound."""
    return as_generation(await tx.found(_FIND, workspace_id=workspace_id, initiative_id=initiative_id, id=id))
