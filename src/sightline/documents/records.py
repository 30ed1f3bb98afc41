"""Generated documents in responses."""

from uuid import UUID

from sightline.intelligence.material import DocumentSource, DocumentType
from sightline.platform.wire import Record, Timestamp


class DocumentSummary(Record):
    """A document of an initiative; `version` counts from 1."""

    id: UUID
    initiative_id: UUID
    initiative_public_id: str
    type: DocumentType
    version: int
    created_at: Timestamp
    updated_at: Timestamp


class DocumentWriter(Record):
    """The engine that wrote the document."""

    name: str
    version: str


class Document(DocumentSummary):
    """The document as Markdown, with the sources of its numbered statements."""

    content: str
    sources: list[DocumentSource]
    writer: DocumentWriter | None
