"""A research plan: what a planner drafts, a person reviews and a search follows. Specification: Definition (plan).

The records are complete: what a request leaves out has its default here. Their types state the bounds of each field;
`research.plans.definition` checks what concerns several fields.
"""

from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, field

from sightline.platform.wire import Record

ResearchMode = Literal["recent", "baseline"]
SectionType = Literal["competitors", "market", "custom"]
SourceMode = Literal["open", "preferred", "restricted"]
AppConnector = Literal["mobile_store"]

DEFAULT_LOOKBACK_DAYS = 30
LONGEST_LOOKBACK_DAYS = 90
LONGEST_QUESTION = 500
DEFAULT_SOURCES = 5
PREPARED_SOURCES = 3
DEFAULT_LANGUAGE = "English"

MOST_SECTIONS = 5
MOST_QUESTIONS = 5
MOST_COMPETITORS = 5
MOST_ALIASES = 5
MOST_LANGUAGES = 5
MOST_DOMAINS = 20
MOST_READS = 4

LookbackDays = Annotated[int, Meta(ge=1, le=LONGEST_LOOKBACK_DAYS)]
SourceTarget = Annotated[int, Meta(ge=1, le=10)]
Language = Annotated[str, Meta(min_length=1, max_length=50, pattern=r"\S")]
Name = Annotated[str, Meta(min_length=1, max_length=120, pattern=r"\S")]
Objective = Annotated[str, Meta(min_length=1, max_length=1_500, pattern=r"\S")]
Question = Annotated[str, Meta(min_length=1, max_length=LONGEST_QUESTION, pattern=r"\S")]
CompetitorName = Annotated[str, Meta(min_length=1, max_length=160, pattern=r"\S")]
Website = Annotated[str, Meta(max_length=2_000)]
Topic = Annotated[str, Meta(max_length=500)]
Geography = Annotated[str, Meta(max_length=160)]
Audience = Annotated[str, Meta(max_length=300)]
Exclusions = Annotated[str, Meta(max_length=1_000)]
Domain = Annotated[str, Meta(min_length=1, max_length=253)]
ExternalId = Annotated[str, Meta(pattern="^[0-9]{1,20}$", examples=["1234567890"])]
ReadLabel = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"\S")]


class Competitor(Record, kw_only=True):
    """A competitor, by every name that it goes by."""

    name: CompetitorName
    website: Website = ""
    aliases: Annotated[list[CompetitorName], Meta(max_length=MOST_ALIASES)] = field(default_factory=list)


class SectionScope(Record, kw_only=True):
    """Where a section looks: preferred and restricted modes have at least one domain, excluded domains stay blocked.

    A domain is a host name or an IP address without a port, in lower case, and covers its subdomains.
    """

    geography: Geography = ""
    audience: Audience = ""
    exclusions: Exclusions = ""
    languages: Annotated[list[Language], Meta(min_length=1, max_length=MOST_LANGUAGES)] = field(
        default_factory=lambda: [DEFAULT_LANGUAGE]
    )
    source_mode: SourceMode = "open"
    domains: Annotated[list[Domain], Meta(max_length=MOST_DOMAINS)] = field(default_factory=list)
    excluded_domains: Annotated[list[Domain], Meta(max_length=MOST_DOMAINS)] = field(default_factory=list)


class PlanSection(Record, kw_only=True):
    """One part of a plan. Only competitors sections have competitors; market sections have a topic, custom ones may."""

    id: UUID
    name: Name
    type: SectionType
    objective: Objective
    questions: Annotated[list[Question], Meta(min_length=1, max_length=MOST_QUESTIONS)]
    competitors: Annotated[list[Competitor], Meta(max_length=MOST_COMPETITORS)] = field(default_factory=list)
    topic: Topic = ""
    scope: SectionScope = field(default_factory=SectionScope)


class AppRead(Record, kw_only=True):
    """An app of a store whose reviews are read; without section ids it belongs to every section."""

    connector: AppConnector
    external_id: ExternalId
    label: ReadLabel
    section_ids: Annotated[list[UUID], Meta(max_length=MOST_SECTIONS)] = field(default_factory=list)


class PlanDefinition(Record, kw_only=True):
    """A whole plan: `recent` takes sources dated inside the window only, `baseline` older and undated ones too.

    `maxSourcesPerSection` is a target of qualifying sources. `productId` may be empty.
    """

    research_mode: ResearchMode = "recent"
    initial_lookback_days: LookbackDays = DEFAULT_LOOKBACK_DAYS
    max_sources_per_section: SourceTarget = DEFAULT_SOURCES
    output_language: Language = DEFAULT_LANGUAGE
    product_id: str = ""
    sections: Annotated[list[PlanSection], Meta(min_length=1, max_length=MOST_SECTIONS)]
    reads: Annotated[list[AppRead], Meta(max_length=MOST_READS)] = field(default_factory=list)
