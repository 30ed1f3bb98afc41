"""What is shown of a signal, and how signals are filtered. Specification: Signal, GET signals."""

from typing import Any, Literal
from uuid import UUID

from msgspec import UNSET, Raw, UnsetType, field

from sightline.platform.http.queries import Query
from sightline.platform.refs import InitiativeRef, StudyRef
from sightline.platform.wire import Id, Moment, Record, Timestamp

Status = Literal["pending", "processing", "processed", "failed"]
Context = Literal["discovery", "support", "sales", "success", "research", "market", "other"]
SignalType = Literal[
    "transcript",
    "support_ticket",
    "review",
    "discovery_report",
    "meeting_notes",
    "reconstructed_notes",
    "feedback_record",
]
ProcessorType = Literal["text", "conversation", "document", "review", "feedback"]
EvidenceKind = Literal["conversation", "support", "review", "feedback", "report", "note", "usage"]
AnalysisProfile = Literal["customer_evidence", "market_evidence", "none"]


class SignalProvenance(Record):
    """Where a signal comes from, and how it is looked at."""

    provider_type: str
    evidence_kind: str
    analysis_profile: str


class SourceLink(Record):
    """A way to the original; `primary` is the one to show."""

    name: str
    url: str
    type: str
    primary: bool


class Source(Record):
    """The original in its own terms. `external_data` is written so, and holds what the source says of itself."""

    type: str
    external_data: dict[str, Any] = field(name="external_data")


class TranscriptSummary(Record):
    """What is known of a conversation without reading it; the turns stand in `rawData`."""

    turn_count: int
    speakers: list[str]
    duration_seconds: float | None


class Signal(Record):
    """One imported piece of evidence. `accountIds` are direct links only; `initiativeIds` the accepted ones.

    Ids of links stand in the order they were linked. `rawData` comes with `include=raw` alone.
    """

    id: UUID
    public_id: str
    name: str
    workspace_id: UUID
    status: Status
    context: Context
    signal_type: SignalType | None
    processor_type: ProcessorType
    provider_type: str
    evidence_kind: EvidenceKind
    analysis_profile: AnalysisProfile
    provenance: SignalProvenance
    source_facet: str
    source_label: str
    source_links: list[SourceLink]
    source: Source
    data: dict[str, Any]
    transcript: TranscriptSummary | None
    import_: dict[str, Any] | None = field(name="import")
    insight_ids: list[UUID]
    account_ids: list[UUID]
    initiative_ids: list[UUID]
    study_ids: list[UUID]
    account_id: UUID | None
    account_external_id: str | None
    external_id: str | None
    created_at: Timestamp
    updated_at: Timestamp
    raw_data: dict[str, Any] | Raw | UnsetType = UNSET


Extra = Literal["raw"]


class Include(Query):
    """Comma-separated extras: `raw` adds `rawData`, the whole stored content with every turn of a transcript."""

    include: tuple[Extra, ...] = ()


class SignalFilters(Include):
    """All conditions hold together; a list by commas means any of its values.

    `sourceType` takes provider types, facets (`zendesk:support`) and source types. `accountId` finds what is linked to
    the account directly or through an insight. `updatedSince` shows the oldest change first.
    """

    external_id: str | None = None
    integration_id: Id | None = None
    source_type: tuple[str, ...] = ()
    initiative_id: InitiativeRef | None = None
    study_id: StudyRef | None = None
    status: tuple[Status, ...] = ()
    account_id: tuple[Id, ...] = ()
    updated_since: Moment | None = None
