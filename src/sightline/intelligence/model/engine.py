"""The tasks that a model does, each within the budget of a session."""

from collections.abc import Sequence
from decimal import Decimal

from msgspec.structs import replace

from sightline.intelligence.evidence import DraftInsight, SignalMaterial
from sightline.intelligence.ideas import IdeaMaterial, IdeaReading
from sightline.intelligence.material import DocumentType, Draft, Material
from sightline.intelligence.model.documents import write_document
from sightline.intelligence.model.endpoint import Endpoint
from sightline.intelligence.model.ideas import read_idea
from sightline.intelligence.model.insights import extract_insights
from sightline.intelligence.model.research.answering import answer_questions
from sightline.intelligence.model.research.planning import plan_research
from sightline.intelligence.model.research.relevance import judge_pages
from sightline.intelligence.model.session import BY_MODEL, Budget, Session
from sightline.intelligence.model.usage import Prices
from sightline.intelligence.plans import PlanSection
from sightline.intelligence.research import FindingText, Judgement, PlanContext, QuestionAnswer, ResearchPlan
from sightline.sources.pages import Page


class ModelEngine:
    """A model of this name. Results are stored with `name`, and with the version of the tasks as they are put here."""

    version = "1"

    def __init__(self, endpoint: Endpoint, model: str, budget: Budget, prices: Prices | None = None) -> None:
        self.name = f"{BY_MODEL}{model}"
        self._endpoint = endpoint
        self._budget = budget
        self._prices = prices or Prices()

    def session(self, seconds: float | None = None) -> Session:
        """Returns a session that ends after so many seconds, if its budget does not end before."""
        bound = self._budget.seconds if seconds is None else min(seconds, self._budget.seconds)
        return Session(replace(self._budget, seconds=bound))

    def cost_of(self, session: Session) -> Decimal | None:
        return self._prices.cost_of(session)

    async def write_document(self, session: Session, type: DocumentType, material: Material) -> Draft:
        return await write_document(self._endpoint, session, type, material)

    async def extract_insights(self, session: Session, material: SignalMaterial) -> list[DraftInsight]:
        return await extract_insights(self._endpoint, session, material)

    async def plan_research(
        self, session: Session, question: str, context: PlanContext, drafted: ResearchPlan
    ) -> ResearchPlan:
        return await plan_research(self._endpoint, session, question, context, drafted)

    async def judge_pages(
        self, session: Session, section: PlanSection, pages: Sequence[Page], by_words: Sequence[Judgement]
    ) -> list[Judgement]:
        return await judge_pages(self._endpoint, session, section, pages, by_words)

    async def answer_questions(
        self, session: Session, section: PlanSection, findings: Sequence[FindingText], language: str
    ) -> list[QuestionAnswer]:
        return await answer_questions(self._endpoint, session, section, findings, language)

    async def read_idea(self, session: Session, material: IdeaMaterial) -> IdeaReading:
        return await read_idea(self._endpoint, session, material)
