"""What the search of a section finds."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from msgspec import Struct

from sightline.intelligence.research import Observation, SectionAnswer
from sightline.platform.wire import Record
from sightline.sources.pages import Page


class Relevance(Record):
    """How relevant the source is, 0 to 1, and why in one line."""

    score: float
    reason: str


class Provenance(Record):
    """Which provider found the source by which query, the hash of its text, and the engine that judged it."""

    provider: str
    query: str
    content_hash: str
    engine: str


class FoundSource(Struct, frozen=True):
    """A source with the text that quotes are exact parts of."""

    id: UUID
    url: str
    content_hash: str
    content: str
    retrieved_at: datetime
    language: str | None = None


class KnownSource(NamedTuple):
    """A source that another section of the run has found, and its page as it was read then."""

    id: UUID
    page: Page


class NewFinding(Struct, frozen=True, kw_only=True):
    """A finding, with at least one observation. `published_at` is None where no date can be relied on."""

    id: UUID
    source_id: UUID
    title: str
    url: str
    publisher: str | None
    published_at: datetime | None
    retrieved_at: datetime
    relevance: Relevance
    observations: list[Observation]
    provenance: Provenance


class SearchedSection(Struct, frozen=True):
    """All that a section found: findings, best first, the sources new to the run, the answer, what did not work."""

    findings: list[NewFinding]
    sources: list[FoundSource]
    answer: SectionAnswer
    warnings: list[str]
