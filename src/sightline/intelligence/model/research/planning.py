"""A plan by a model, for a person to review. It names no company, website or domain that nobody has named."""

import asyncio
import re
from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from sightline.intelligence.embedded.research.names import mentions, without
from sightline.intelligence.model.answers import line
from sightline.intelligence.model.endpoint import Endpoint, Prompt
from sightline.intelligence.model.prompts import fenced, read_task
from sightline.intelligence.model.session import ModelFailed, Session
from sightline.intelligence.plans import (
    DEFAULT_LANGUAGE,
    MOST_ALIASES,
    MOST_COMPETITORS,
    MOST_DOMAINS,
    MOST_LANGUAGES,
    MOST_QUESTIONS,
    MOST_SECTIONS,
    Competitor,
    PlanSection,
    SectionScope,
    SectionType,
)
from sightline.intelligence.research import PlanContext, ResearchPlan
from sightline.platform.ids import new_id
from sightline.sources.languages import code_of

MOST_FEATURES: Final = 30  # of a product, which are shown
LONGEST_RATIONALE: Final = 1_000
REPAIRS: Final = 1
_HOST = re.compile(r"\b[\w-]+(?:\.[\w-]+)+\b")
_NO_PRODUCT: Final = -1

T = TypeVar("T")

TASK: Final = read_task("plan", no_product=_NO_PRODUCT)


class PlannedCompetitor(Struct):
    """A company as the model names it."""

    name: str
    aliases: list[str]


class PlannedSection(Struct):
    """A section as the model plans it."""

    name: str
    type: SectionType
    objective: str
    questions: list[str]
    topic: str
    competitors: list[PlannedCompetitor]
    geography: str
    audience: str
    exclusions: str
    languages: list[str]
    domains: list[str]
    excluded_domains: list[str]


class Planned(Struct):
    """The answer."""

    name: str
    rationale: str
    product: int
    sections: list[PlannedSection]


async def plan_research(
    endpoint: Endpoint, session: Session, question: str, context: PlanContext, drafted: ResearchPlan
) -> ResearchPlan:
    """Returns the model's plan within all bounds, for the window of `drafted`, which is the embedded one.

    Raises ModelFailed.
    """
    names = _Names(question, context, drafted.suggested_competitors)
    prompt = Prompt(TASK, _data(question, context, drafted))
    answer = await endpoint.ask(session, prompt, Planned, lambda plan: (plan, names.complaint(plan)), REPAIRS)
    return await asyncio.to_thread(_plan, answer, question, context, drafted, names)


def _data(question: str, context: PlanContext, drafted: ResearchPlan) -> str:
    products = [
        f"Product {number}: {one.name} ({', '.join(one.features[:MOST_FEATURES])})"
        for number, one in enumerate(context.products)
    ]
    known = ", ".join(one.name for one in drafted.suggested_competitors)
    shown = [f"Workspace: {context.workspace}", *products, f"Known names of competitors: {known or 'none'}"]
    return f"{fenced('question', question)}\n\n{fenced('workspace', chr(10).join(shown))}"


class _Names:
    """The names that a plan may use: names of the question and of the evidence, but no own ones."""

    def __init__(self, question: str, context: PlanContext, suggested: Sequence[Competitor]) -> None:
        self._texts = (question, *(one.name for one in suggested), *context.evidence)
        self._own = context.own_names
        self._folded = "\n".join(self._texts).casefold()

    def has(self, name: str) -> bool:
        """Whether somebody has named it, with a capital where it has one."""
        words = re.split(r"[\s-]+", name.casefold())
        if not without([name], self._own) or not all(word in self._folded for word in words):
            return False
        competitor = Competitor(name=name)
        return any(mentions(competitor, text) for text in self._texts)

    def complaint(self, answer: Planned) -> str:
        names = dict.fromkeys(
            line(one.name, 160) for section in answer.sections[:MOST_SECTIONS] for one in _companies(section)
        )
        unknown = [name for name in names if name and not self.has(name)]
        return f"Nobody has named these competitors: {', '.join(unknown)}" if unknown else ""


def _companies(section: PlannedSection) -> list[PlannedCompetitor]:
    return section.competitors[:MOST_COMPETITORS] if section.type == "competitors" else []


def _plan(answer: Planned, question: str, context: PlanContext, drafted: ResearchPlan, names: _Names) -> ResearchPlan:
    sections = [made for one in answer.sections[:MOST_SECTIONS] if (made := _section(one, question, names))]
    rationale = line(answer.rationale, LONGEST_RATIONALE)
    if not sections or not rationale:
        raise ModelFailed("The model planned no section.")
    products = dict(enumerate(context.products))
    definition = replace(
        drafted.definition,
        product_id=str(products[answer.product].id) if answer.product in products else "",
        sections=sections,
    )
    return replace(drafted, name=line(answer.name, 120) or drafted.name, definition=definition, rationale=rationale)


def _section(planned: PlannedSection, question: str, names: _Names) -> PlanSection | None:
    """Returns None for a section without a name or a question. Without competitors it is about the market."""
    name, topic = line(planned.name, 120), line(planned.topic, 500)
    questions = _once((line(one, 500) for one in planned.questions), MOST_QUESTIONS)
    if not name or not questions:
        return None
    competitors = _competitors(_companies(planned), names)
    type: SectionType = "market" if planned.type == "competitors" and not competitors else planned.type
    return PlanSection(
        id=new_id(),
        name=name,
        type=type,
        objective=line(planned.objective, 1_500) or questions[0],
        questions=questions,
        competitors=competitors,
        topic="" if competitors else topic or (name if type == "market" else ""),
        scope=_scope(planned, question),
    )


def _competitors(planned: Iterable[PlannedCompetitor], names: _Names) -> list[Competitor]:
    found: dict[str, Competitor] = {}
    for one in planned:
        name = line(one.name, 160)
        if name and names.has(name):
            aliases = _once((line(each, 160) for each in one.aliases[:MOST_ALIASES]), MOST_ALIASES)
            named = [alias for alias in aliases if alias != name and names.has(alias)]
            found.setdefault(name.casefold(), Competitor(name=name, aliases=named))
    return list(found.values())


def _scope(planned: PlannedSection, question: str) -> SectionScope:
    """Returns the scope with the domains that the question has."""
    named = {host.lower() for host in _HOST.findall(question)}
    domains, excluded = (
        _once((one.strip().lower() for one in given if one.strip().lower() in named), MOST_DOMAINS)
        for given in (planned.domains, planned.excluded_domains)
    )
    languages = _once((line(one, 50) for one in planned.languages if code_of(line(one, 50))), MOST_LANGUAGES)
    return SectionScope(
        geography=line(planned.geography, 160),
        audience=line(planned.audience, 300),
        exclusions=line(planned.exclusions, 1_000),
        languages=languages or [DEFAULT_LANGUAGE],
        source_mode="preferred" if domains else "open",
        domains=domains,
        excluded_domains=excluded,
    )


def _once(values: Iterable[T], most: int) -> list[T]:
    return list(dict.fromkeys(value for value in values if value))[:most]
