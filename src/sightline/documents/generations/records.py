"""Requests for documents, and their receipts. Specification: InitiativeDocumentRegenerationReceipt."""

from typing import Literal
from uuid import UUID

from msgspec import UNSET, UnsetType

from sightline.intelligence.material import DocumentType
from sightline.platform.wire import Input, Record, Timestamp


class DocumentRequest(Input):
    """The document to write."""

    type: DocumentType


class GenerationFailure(Record):
    """The reason why no document was written, and whether a new request may help (null: unknown)."""

    message: str
    retryable: bool | None


class GenerationReceipt(Record):
    """The receipt of a generation. Poll `statusUrl`, which only the start returns, until completed or failed."""

    operation: Literal["initiative_document_regeneration"]
    job_id: UUID
    job_type: Literal["generate-initiative-brief", "generate-prd", "generate-tdd"]
    status: Literal["pending", "completed", "failed"]
    queued: bool
    deduplicated: bool
    initiative_id: UUID
    initiative_public_id: str
    document_id: UUID
    document_type: DocumentType
    created_at: Timestamp
    updated_at: Timestamp
    failure: GenerationFailure | None
    status_url: str | UnsetType = UNSET

    @property
    def quoted_ids(self) -> list[UUID]:
        return [self.initiative_id]
