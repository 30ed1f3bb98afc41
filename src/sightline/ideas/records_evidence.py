"""What is shown of an idea's evidence, and what may be sent. Specification: Idea evidence record."""

from typing import Literal
from uuid import UUID

from msgspec import UNSET, UnsetType

from sightline.platform.http.queries import Query
from sightline.platform.wire import Input, Record, Text, Timestamp
from sightline.signals.records_insights import Extract

EvidenceRole = Literal["supports", "qualifies", "contradicts", "context"]


class Evidence(Record):
    """A piece of evidence linked to an idea itself; what hangs on its insights is not repeated here.

    `resolution` says what became of it, `dismissedAt` that it no longer counts.
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
    origin: Literal["entity_creation", "manual", "import", "study", "research", "portal"]


class EvidenceFilters(Query):
    """`active`: neither dismissed nor resolved."""

    visibility: Literal["active", "all"] = "active"


class Resolution(Text):
    """1 to 10,000 characters."""

    longest = 10_000


class EvidenceChanges(Input):
    """At least one field. `resolved` false takes the resolution back; `resolution` null removes its wording."""

    role: EvidenceRole | UnsetType = UNSET
    resolution: Resolution | UnsetType | None = UNSET
    resolved: bool | UnsetType = UNSET
    dismissed: bool | UnsetType = UNSET
