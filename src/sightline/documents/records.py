"""What is shown of generated documents. Specification: InitiativeDocumentRegenerationReceipt."""

from typing import Literal
from uuid import UUID

from msgspec import UNSET, UnsetType

from sightline.intelligence.material import DocumentType, Source
from sightline.platform.wire import Input, Record, Timestamp


class DocumentSummary(Record):
    """A document of an initiative; `version` counts from 1."""

    id: UUID
    initiative_id: UUID
    initiative_public_id: str
    type: DocumentType
    version: int
    created_at: Timestamp
    updated_at: Timestamp


class Writer(Record):
    """The engine that wrote."""

    name: str
    version: str


class Document(DocumentSummary):
    """The document as Markdown, and what the numbered statements in it rest on."""

    content: str
    sources: list[Source]
    writer: Writer | None


class DocumentWish(Input):
    """Which document to write."""

    type: DocumentType


class Failure(Record):
    """Why nothing was written, and whether asking again may help (null: not known)."""

    message: str
    retryable: bool | None


class GenerationReceipt(Record):
    """The receipt of a generation. Poll `statusUrl`, which only the start carries, until completed or failed."""

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
    failure: Failure | None
    status_url: str | UnsetType = UNSET
