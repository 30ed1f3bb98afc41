"""What is shown of an idea's evidence, and what may be sent. Specification: Idea evidence record."""

from typing import Annotated, ClassVar, Literal
from uuid import UUID

from msgspec import UNSET, Meta, UnsetType

from sightline.platform.http.query_strings import Query
from sightline.platform.wire import Input, Name, Record, SignalReference, Text, Timestamp, decode_parts, none_of
from sightline.signals.insights.records import Extract, Title

EvidenceRole = Literal["supports", "qualifies", "contradicts", "context"]
EvidenceOrigin = Literal["entity_creation", "manual", "import", "study", "research", "portal"]


class Evidence(Record):
    """A piece of evidence linked to an idea itself; evidence of its insights is not repeated here.

    `resolution` describes how it was resolved; `dismissedAt` says that it no longer counts.
    """

    id: UUID
    title: str
    description: str
    extracts: list[Extract] | None
    category: str
    signal_id: UUID | None
    signal_public_id: str | None
    resolved_at: Timestamp | None
    resolution: str | None
    resolved_by_user_id: UUID | None
    dismissed_at: Timestamp | None
    role: EvidenceRole
    origin: EvidenceOrigin

    @property
    def quoted_ids(self) -> list[UUID]:
        """The ids of the evidence and of the signals that it quotes."""
        extracts = decode_parts(self).extracts or []
        return [self.id, *{extract.signal_id for extract in extracts if extract.signal_id is not None}]


class EvidenceFilters(Query):
    """Filters of evidence."""

    visibility: Annotated[
        Literal["active", "all"], Meta(description="`active`: neither dismissed nor resolved; `all`: also those.")
    ] = "active"


EvidenceDescription = Annotated[str, Meta(max_length=60_000, description="Kept as sent; may be empty.")]


class Quote(Text):
    """1 to 10,000 characters, kept as sent."""

    longest = 10_000


class NewExtract(Input):
    """A quote: `text` is an exact part of the signal's text, or of one turn of its transcript.

    `signalId` is its UUID or its public id; the UUID is stored and shown.
    """

    text: Quote
    signal_id: SignalReference


class NewEvidence(Input):
    """Evidence to add to an idea. `signalId` of the evidence is taken from the first extract. null means omitted.

    `category` is `observation` when omitted, `role` is `supports`. At most 20 extracts.
    """

    title: Title
    description: EvidenceDescription | None = None
    category: Name | None = None
    role: EvidenceRole | None = None
    extracts: Annotated[list[NewExtract], Meta(max_length=20)] | None = None


class Resolution(Text):
    """1 to 10,000 characters."""

    longest = 10_000


class EvidenceChanges(Input):
    """Changes of evidence: at least one field. Omitted fields stay.

    `resolved` true resolves the evidence; false opens it again and removes the text. Without `resolved`, a text in
    `resolution` resolves it and null opens it again. `resolved` true with `resolution` null resolves it without a text.
    `resolved` false with a text is refused.
    """

    role: EvidenceRole | UnsetType = UNSET
    resolution: Resolution | UnsetType | None = UNSET
    resolved: bool | UnsetType = UNSET
    dismissed: bool | UnsetType = UNSET

    schema_between: ClassVar = {
        "minProperties": 1,
        "if": {"properties": {"resolved": {"const": False}}, "required": ["resolved"]},
        "then": none_of("resolution"),
    }
