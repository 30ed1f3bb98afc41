"""The result of searching a section, before it is stored."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from msgspec import Struct

from sightline.intelligence.research import FramedQuote, SectionAnswer
from sightline.research.runs.records import FindingProvenance, Relevance
from sightline.sources.pages import Page


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
    observations: list[FramedQuote]
    provenance: FindingProvenance


class SearchedSection(Struct, frozen=True):
    """All that a section found: findings, best first, the sources new to the run, the answer, what did not work."""

    findings: list[NewFinding]
    sources: list[FoundSource]
    answer: SectionAnswer
    warnings: list[str]
