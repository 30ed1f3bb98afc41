"""What a researcher does for saved research: plan, search texts, judgement of pages, answers.

Pages are data, whatever they say. What a researcher quotes counts only if it is an exact part of the page's text; the
caller drops everything else.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple, Protocol
from uuid import UUID

from msgspec import Struct

from sightline.intelligence.plans import DEFAULT_LANGUAGE, Competitor, Name, PlanDefinition, PlanSection, ResearchMode
from sightline.sources.pages import Page

LEAST_RELEVANCE: Final = 0.5


class ProductText(NamedTuple):
    """A product of the workspace and the names of its features."""

    id: UUID
    name: str
    features: tuple[str, ...]


class PlanContext(Struct, frozen=True, kw_only=True):
    """What the workspace knows. `evidence` are recent texts of insights and signals in which rivals may be named."""

    workspace: str = ""
    products: tuple[ProductText, ...] = ()
    evidence: tuple[str, ...] = ()
    customers: tuple[str, ...] = ()
    now: datetime = datetime(2999, 1, 1, tzinfo=UTC)  # for "since 2024"; by default no year is in the future

    @property
    def own_names(self) -> list[str]:
        """The names that are never taken for competitors."""
        products = (name for one in self.products for name in (one.name, *one.features))
        return [self.workspace, *products, *self.customers]


class ResearchPlan(Struct, frozen=True, kw_only=True):
    """A plan for a person to review, and why it is so, in one paragraph.

    `suggested_competitors` are named in the question or in the evidence, whether or not a section has them.
    """

    name: Name
    definition: PlanDefinition
    rationale: str
    suggested_competitors: tuple[Competitor, ...] = ()


class FramedQuote(Struct, frozen=True):
    """An exact part of a page's text, and a sentence in the output language that introduces it."""

    text: str
    quote: str


class Spot(NamedTuple):
    """An exact part of the page, how well it may answer, mostly 0 to 1, and the stems that it is about."""

    place: int
    text: str
    strength: float
    about: frozenset[str]


class Judgement(Struct, frozen=True):
    """How relevant a page is to a section, 0 to 1 (from 0.5 on it is kept), why in one line, and its observations.

    `engine` is the name and version of the engine that judged, if it is not the researcher that was asked. `fits` says
    for each question of the section how well the page answers it, `lacks` the words of the questions that the page does
    not have, `spots` the passages of the page that may answer each question, if the engine knows.
    """

    score: float
    reason: str
    observations: list[FramedQuote]
    engine: str | None = None
    fits: tuple[float, ...] = ()
    lacks: frozenset[str] = frozenset()
    spots: Mapping[str, Sequence[Spot]] = {}


class FindingText(NamedTuple):
    """A finding as answers are written from it: `also_in` names the sources of copies, `spots` are of its judgement."""

    id: UUID
    title: str
    url: str
    publisher: str | None
    published_at: datetime | None
    observations: Sequence[FramedQuote]
    also_in: tuple[str, ...] = ()
    spots: Mapping[str, Sequence[Spot]] = {}


class Coverage(Struct, frozen=True, kw_only=True):
    """What a section looked for and got: `found` of `target` sources, between which moments.

    `warnings` are whole sentences about what did not work. `periods` are named by all questions of a baseline,
    as they are worded. `older` counts sources that matter but lie outside the window or the periods; no page that was
    read has the words `unnamed`.
    """

    target: int
    found: int
    read: int
    research_mode: ResearchMode
    since: datetime
    until: datetime
    output_language: str = DEFAULT_LANGUAGE
    warnings: tuple[str, ...] = ()
    older: int = 0
    unnamed: frozenset[str] = frozenset()
    periods: tuple[str, ...] = ()


class QuestionAnswer(Struct, frozen=True, rename="camel"):
    """The answer to one question, from the findings that it names."""

    question: str
    answer: str
    finding_ids: list[UUID]


class SectionAnswer(Struct, frozen=True):
    """The answers to a section's questions, written from its findings only."""

    summary: str
    questions: list[QuestionAnswer]


class Researcher(Protocol):
    """Plans, judges and answers. Every finding is stored with the name and version of the engine that judged it."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def answer_seconds(self) -> float:
        """The seconds that an answer may take, which a search leaves for it."""

    @property
    def compares(self) -> bool:
        """Whether pages are judged against each other: then all that a round has read are judged at once."""

    async def plan(self, question: str, context: PlanContext) -> ResearchPlan:
        """A plan for a question of 8 to 3,000 characters. Searches nothing."""

    async def queries(self, section: PlanSection, round: int, tried: Sequence[str]) -> list[str]:
        """Returns search texts for a round, counted from 0, without `tried` ones; empty if there are no more."""

    async def judge(self, section: PlanSection, pages: Sequence[Page]) -> list[Judgement]:
        """One judgement per page, in order: at most three observations; none of a page that does not matter."""

    async def answer(self, section: PlanSection, findings: Sequence[FindingText], coverage: Coverage) -> SectionAnswer:
        """Answers every question of the section, in order, from the findings alone, and says what was covered.

        An answer that rests on none says so.
        """
