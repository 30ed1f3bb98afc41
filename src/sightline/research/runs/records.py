"""What is shown of a run, its findings and its records. Specification: Run receipt; decisions: Research."""

from typing import Literal
from uuid import UUID

from sightline.intelligence.plans import SectionType
from sightline.platform.wire import Record, Timestamp

RunStatus = Literal["queued", "running", "completed", "failed", "stopped"]
AdditionStatus = Literal["queued", "running", "completed", "failed"]


class RunSection(Record):
    """How far a section is; `failure` says why it failed."""

    id: UUID
    name: str
    type: SectionType
    status: RunStatus
    finding_count: int
    record_count: int
    failure: str | None


class RunAddition(Record):
    """How far the addition to a product is. The product is null once it is deleted."""

    status: AdditionStatus
    product_id: UUID | None
    signal_ids: list[UUID]
    failure: str | None


class RunReceipt(Record):
    """A run and how far it is. It confirms queued or completed work only; findings are read from its sections."""

    id: UUID
    brief_id: UUID
    operation_id: UUID
    trigger: Literal["manual", "schedule"]
    status: RunStatus
    sections: list[RunSection]
    native_read_count: int
    addition: RunAddition | None
    failure: str | None
    created_at: Timestamp
    started_at: Timestamp | None
    finished_at: Timestamp | None


class Relevance(Record):
    """How relevant a source is to its section, 0 to 1, and why in one line."""

    score: float
    reason: str


class Observation(Record):
    """What a source says; `quote` is an exact part of its stored text."""

    text: str
    quote: str


class FindingProvenance(Record):
    """Which provider found the source by which query, the hash of its text, and the engine that judged it."""

    provider: str
    query: str
    content_hash: str
    engine: str


class Finding(Record):
    """A source that matters to a section. An unknown date stays null."""

    id: UUID
    section_id: UUID
    title: str
    url: str
    publisher: str | None
    published_at: Timestamp | None
    retrieved_at: Timestamp
    relevance: Relevance
    observations: list[Observation]
    provenance: FindingProvenance


class StoreRecord(Record):
    """An original review that was read directly; its author is not kept."""

    id: UUID
    connector: str
    external_id: str
    label: str
    rating: float | None
    title: str
    body: str
    version: str | None
    storefront: str | None
    submitted_at: Timestamp | None
    url: str | None


class ReviewTheme(Record):
    """What several reviews raise, and their mean stars; null where the app has fewer than 20 new reviews."""

    theme: str
    count: int
    average_rating: float | None
    record_ids: list[UUID]


class ReviewThemes(Record):
    """What the new reviews of an app raise: reviews that the previous run of the same plan did not have."""

    external_id: str
    label: str
    new_reviews: int
    themes: list[ReviewTheme]


class AppScore(Record):
    """An app's published rating, and what was added since the previous run of the same plan where it is measurable.

    `reason` says why not: first_run, unchanged, count_decreased, different_storefront, precision or unavailable.
    """

    external_id: str
    label: str
    store_rating: float | None
    rating_count: int | None
    ratings_since_previous: int | None
    mean_since_previous: float | None
    reason: str | None
    observed_at: Timestamp
