"""The researcher that is always there: it finds and quotes, it does not judge. No model, no network."""

from collections.abc import Sequence

from sightline.intelligence.embedded.research.answering import write_answer
from sightline.intelligence.embedded.research.judging import judge_pages
from sightline.intelligence.embedded.research.planning import draft_plan
from sightline.intelligence.embedded.research.searches import search_texts
from sightline.intelligence.plans import PlanSection
from sightline.intelligence.research import Coverage, FindingText, Judgement, PlanContext, ResearchPlan, SectionAnswer
from sightline.platform.beside import Beside
from sightline.sources.pages import Page

_PLANS = Beside("research")  # takes up to 2 s


class EmbeddedResearcher:
    """Compares words. The same input gives the same result, apart from the ids of planned sections."""

    name = "embedded"
    version = "1"
    answer_seconds = 0.0
    compares = True

    async def plan(self, question: str, context: PlanContext) -> ResearchPlan:
        return await _PLANS.run(draft_plan, question, context)

    async def queries(self, section: PlanSection, round: int, tried: Sequence[str]) -> list[str]:
        return search_texts(section, round, tried)

    async def judge(self, section: PlanSection, pages: Sequence[Page]) -> list[Judgement]:
        return await _PLANS.run(judge_pages, section, pages)

    async def answer(self, section: PlanSection, findings: Sequence[FindingText], coverage: Coverage) -> SectionAnswer:
        return write_answer(section, findings, coverage)
