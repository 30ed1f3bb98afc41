"""The researcher of one workspace: a model, and the embedded researcher once the model failed."""

import asyncio
from collections.abc import Sequence
from time import monotonic
from typing import Final
from uuid import UUID

import structlog
from msgspec.structs import replace

from sightline.intelligence.embedded.research.answering import say_coverage
from sightline.intelligence.model.choice import LanguageModel, is_wanted, keep_usage
from sightline.intelligence.model.session import ModelFailed, Session, Task
from sightline.intelligence.plans import Section
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

_log = structlog.get_logger()


async def choose_researcher(
    db: Database, tools: Tools, embedded: Researcher, workspace_id: UUID, record_id: UUID
) -> Researcher:
    """Returns the researcher for one plan or one section.

    It is the embedded one if there is no model, or the workspace wants none or has no tokens left.
    """
    model: LanguageModel | None = tools.get(LanguageModel)
    if model is None or not await is_wanted(db, workspace_id):
        return embedded
    return ModelResearcher(db, model, embedded, workspace_id, record_id)


class ModelResearcher:
    """Does one plan or one section; its time begins when it is made.

    Once the model failed, the embedded researcher does the rest, and the rationale or the summary says so.
    """

    answer_seconds = ANSWER_SECONDS

    def __init__(
        self, db: Database, model: LanguageModel, embedded: Researcher, workspace_id: UUID, record_id: UUID
    ) -> None:
        self.name, self.version = model.name, model.version
        self._db = db
        self._model = model
        self._embedded = embedded
        self._workspace_id = workspace_id
        self._record_id = record_id
        self._failure: str | None = None
        self._judging = model.session(SECTION_SECONDS - ANSWER_SECONDS - _SPARE_SECONDS)
        self._end = monotonic() + SECTION_SECONDS
        self._turns = asyncio.Semaphore(REQUESTS_AT_ONCE)

    async def plan(self, question: str, context: PlanContext) -> ResearchPlan:
        """The model's plan, or the embedded researcher's."""
        drafted = await self._embedded.plan(question, context)
        session = self._model.session(PLAN_SECONDS)
        try:
            plan = await self._model.plan_research(session, question, context, drafted)
            said = f"{self.name} drafted this plan, so review it before you start it."
        except ModelFailed as error:
            self._fail(PLAN, error)
            plan, said = drafted, self._said_failure()
        await self._keep(PLAN, session)
        return replace(plan, rationale=f"{plan.rationale} {said}")

    async def queries(self, section: Section, round: int, tried: Sequence[str]) -> list[str]:
        return await self._embedded.queries(section, round, tried)

    async def judge(self, section: Section, pages: Sequence[Page]) -> list[Judgement]:
        """The model's judgements; those of the embedded researcher for pages that the model did not judge."""
        by_words = await self._embedded.judge(section, pages)
        engine = f"{self._embedded.name} {self._embedded.version}"
        by_words = [replace(one, engine=engine) for one in by_words]
        async with self._turns:
            if self._failure is not None:
                return by_words
            try:
                return await self._model.judge_pages(self._judging, section, pages, by_words)
            except ModelFailed as error:
                self._fail(JUDGE, error)
                return by_words

    async def answer(self, section: Section, findings: Sequence[FindingText], coverage: Coverage) -> SectionAnswer:
        """The model's answers, unless it failed or there is nothing to answer from."""
        await self._keep(JUDGE, self._judging)
        if findings and self._failure is None:
            session = self._model.session(self._end - monotonic())
            try:
                answers = await self._model.answer_questions(session, section, findings, coverage.output_language)
                said = f"{self.name} answers from the quotes of the findings."
                return SectionAnswer(say_coverage(coverage, said), answers)
            except ModelFailed as error:
                self._fail(ANSWER, error)
            finally:
                await self._keep(ANSWER, session)
        if self._failure is not None:
            coverage = replace(coverage, warnings=(*coverage.warnings, self._said_failure()))
        return await self._embedded.answer(section, findings, coverage)

    def _fail(self, task: str, error: ModelFailed) -> None:
        _log.warning("A model failed; the embedded engine does its task", task=task, error=str(error))
        self._failure = str(error)

    def _said_failure(self) -> str:
        return f"{self.name} failed, so the embedded engine did the rest: {self._failure}"

    async def _keep(self, name: str, session: Session) -> None:
        task = Task(self._workspace_id, name, self._record_id)
        await keep_usage(self._db, task, self._model, session, self._failure)
