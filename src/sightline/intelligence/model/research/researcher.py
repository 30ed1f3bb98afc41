"""The researcher of one workspace: a model, and the embedded researcher once the model failed."""

import asyncio
from collections.abc import Sequence
from time import monotonic
from typing import Final
from uuid import UUID

from msgspec.structs import replace

from sightline.intelligence.embedded.research.answering import say_coverage
from sightline.intelligence.model.choice import LanguageModel, find_model, keep_usage
from sightline.intelligence.model.research.answering import answer_questions
from sightline.intelligence.model.research.planning import plan_research
from sightline.intelligence.model.research.relevance import judge_pages
from sightline.intelligence.model.session import ModelFailed, Session, Task
from sightline.intelligence.plans import PlanSection
from sightline.intelligence.research import (
    Coverage,
    FindingText,
    Judgement,
    PlanContext,
    Researcher,
    ResearchPlan,
    SectionAnswer,
)
from sightline.platform.db import Database
from sightline.platform.jobs import Tools
from sightline.sources.pages import Page

PLAN: Final = "research.plan"
JUDGE: Final = "research.judge"
ANSWER: Final = "research.answer"

PLAN_SECONDS: Final = 20.0
SECTION_SECONDS: Final = 45.0
ANSWER_SECONDS: Final = 15.0
_SPARE_SECONDS: Final = 1.0  # for the embedded researcher to judge what the model did not
REQUESTS_AT_ONCE: Final = 2


async def choose_researcher(
    db: Database, tools: Tools, embedded: Researcher, workspace_id: UUID, record_id: UUID
) -> Researcher:
    """Returns the researcher for one plan or one section.

    It is the embedded one if there is no model, or the workspace wants none or has no tokens left.
    """
    model = await find_model(db, tools, workspace_id)
    return ModelResearcher(db, model, embedded, workspace_id, record_id) if model else embedded


class ModelResearcher:
    """Does one plan or one section; its time begins when it is made.

    The embedded researcher does what the model cannot, and the rationale or the summary says so.
    """

    answer_seconds = ANSWER_SECONDS
    compares = False

    def __init__(
        self, db: Database, model: LanguageModel, embedded: Researcher, workspace_id: UUID, record_id: UUID
    ) -> None:
        self.name, self.version = model.name, model.version
        self._db = db
        self._model = model
        self._embedded = embedded
        self._workspace_id = workspace_id
        self._record_id = record_id
        self._end = monotonic() + SECTION_SECONDS
        self._judging = model.session(SECTION_SECONDS - ANSWER_SECONDS - _SPARE_SECONDS)
        self._has_judged = False
        self._failure: str | None = None  # of judging
        self._turns = asyncio.Semaphore(REQUESTS_AT_ONCE)

    async def plan(self, question: str, context: PlanContext) -> ResearchPlan:
        """The model's plan, or the embedded researcher's."""
        drafted = await self._embedded.plan(question, context)
        session = self._model.session(PLAN_SECONDS)
        try:
            plan = await plan_research(self._model.endpoint, session, question, context, drafted)
        except ModelFailed as error:
            await self._keep(PLAN, session, str(error))
            return replace(drafted, rationale=f"{drafted.rationale} {self.name} could not draft it: {error}")
        await self._keep(PLAN, session, None)
        return replace(
            plan, rationale=f"{plan.rationale} {self.name} drafted this plan, so review it before you start it."
        )

    async def queries(self, section: PlanSection, round: int, tried: Sequence[str]) -> list[str]:
        return await self._embedded.queries(section, round, tried)

    async def judge(self, section: PlanSection, pages: Sequence[Page]) -> list[Judgement]:
        """Returns the model's judgements; the embedded researcher judges pages that the model did not."""
        engine = f"{self._embedded.name} {self._embedded.version}"
        by_words = [replace(one, engine=engine) for one in await self._embedded.judge(section, pages)]
        async with self._turns:
            if self._failure is not None:
                return by_words
            try:
                judged = await judge_pages(self._model.endpoint, self._judging, section, pages, by_words)
            except ModelFailed as error:
                self._failure = str(error)
                return by_words
        self._has_judged = True
        return judged

    async def answer(self, section: PlanSection, findings: Sequence[FindingText], coverage: Coverage) -> SectionAnswer:
        """The model's answers, unless it failed or there is nothing to answer from."""
        await self._keep(JUDGE, self._judging, self._failure)
        if self._failure is not None:
            rest = "the other pages" if self._has_judged else "the pages"
            coverage = _with(coverage, f"The embedded engine judged {rest}, as {self.name} failed: {self._failure}")
        if not findings or (self._failure is not None and not self._has_judged):
            return await self._embedded.answer(section, findings, coverage)
        session = self._model.session(self._end - monotonic())
        try:
            language = coverage.output_language
            answers = await answer_questions(self._model.endpoint, session, section, findings, language)
        except ModelFailed as error:
            await self._keep(ANSWER, session, str(error))
            coverage = _with(coverage, f"The embedded engine answered, as {self.name} failed: {error}")
            return await self._embedded.answer(section, findings, coverage)
        await self._keep(ANSWER, session, None)
        return SectionAnswer(say_coverage(coverage, f"{self.name} answers from the quotes of the findings."), answers)

    async def _keep(self, name: str, session: Session, failure: str | None) -> None:
        task = Task(self._workspace_id, name, self._record_id)
        await keep_usage(self._db, task, self._model, session, failure)


def _with(coverage: Coverage, warning: str) -> Coverage:
    return replace(coverage, warnings=(*coverage.warnings, warning))
