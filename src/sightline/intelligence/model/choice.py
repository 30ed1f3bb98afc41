"""The model, or the embedded engine: where none is configured, the workspace wants none, or it fails."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from decimal import Decimal
from typing import Generic, NamedTuple, Protocol, TypeVar
from uuid import UUID

import structlog

from sightline.intelligence.engine import Engine
from sightline.intelligence.evidence import DraftInsight, SignalMaterial
from sightline.intelligence.ideas import IdeaMaterial, IdeaReading
from sightline.intelligence.material import DocumentType, Draft, Material
from sightline.intelligence.model.session import ModelFailed, Session, Task
from sightline.intelligence.model.usage import add_usage, may_ask
from sightline.intelligence.plans import PlanSection
from sightline.intelligence.research import FindingText, Judgement, PlanContext, QuestionAnswer, ResearchPlan
from sightline.platform.db import Database
from sightline.platform.jobs import Tools
from sightline.sources.pages import Page

T = TypeVar("T")

_log = structlog.get_logger()


class LanguageModel(Protocol):
    """A model. Each task raises ModelFailed."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def session(self, seconds: float | None = None) -> Session: ...

    def cost_of(self, session: Session) -> Decimal | None: ...

    async def write_document(self, session: Session, type: DocumentType, material: Material) -> Draft: ...

    async def extract_insights(self, session: Session, material: SignalMaterial) -> list[DraftInsight]: ...

    async def plan_research(
        self, session: Session, question: str, context: PlanContext, drafted: ResearchPlan
    ) -> ResearchPlan: ...

    async def judge_pages(
        self, session: Session, section: PlanSection, pages: Sequence[Page], by_words: Sequence[Judgement]
    ) -> list[Judgement]: ...

    async def answer_questions(
        self, session: Session, section: PlanSection, findings: Sequence[FindingText], language: str
    ) -> list[QuestionAnswer]: ...

    async def read_idea(self, session: Session, material: IdeaMaterial) -> IdeaReading: ...


class Made(NamedTuple, Generic[T]):
    """A result, with the name and version of the engine that made it."""

    value: T
    engine: str
    version: str


async def make(
    db: Database,
    tools: Tools,
    task: Task,
    by_model: Callable[[LanguageModel, Session], Awaitable[T]],
    by_engine: Callable[[Engine], T],
) -> Made[T]:
    """Does a task outside any transaction, and keeps what the model took. The embedded engine works in a thread."""
    model: LanguageModel | None = tools.get(LanguageModel)
    if model is not None and await is_wanted(db, task.workspace_id):
        session = model.session()
        try:
            made = Made(await by_model(model, session), model.name, model.version)
        except ModelFailed as error:
            _log.warning("A model failed; the embedded engine does its task", task=task.name, error=str(error))
            await keep_usage(db, task, model, session, str(error))
        else:
            await keep_usage(db, task, model, session, None)
            return made
    engine: Engine = tools[Engine]
    return Made(await asyncio.to_thread(by_engine, engine), engine.name, engine.version)


async def is_wanted(db: Database, workspace_id: UUID) -> bool:
    """Returns whether the workspace wants a model and has tokens left."""
    async with db.snapshot() as tx:
        return await may_ask(tx, workspace_id)


async def keep_usage(db: Database, task: Task, model: LanguageModel, session: Session, failure: str | None) -> None:
    """Stores what a task took, if it asked anything or failed."""
    if session.requests == 0 and failure is None:
        return
    async with db.transaction() as tx:
        await add_usage(tx, task, model.name, session, model.cost_of(session), failure)
