"""Findings as a search gives them: with the passages of their quotes, compared with one another."""

from collections.abc import Sequence
from datetime import UTC, datetime

from sightline.intelligence.embedded.research.passages import find_passages, read_questions
from sightline.intelligence.plans import PlanSection
from sightline.intelligence.research import FindingText
from sightline.sources.pages import Page, Published


def with_spots(section: PlanSection, findings: Sequence[FindingText]) -> list[FindingText]:
    """Returns the findings with the passages of their quotes that may answer each question of the section."""
    pages = [
        Page(
            url=one.url,
            title=one.title,
            text="\n".join(each.quote for each in one.observations),
            retrieved_at=datetime(2026, 11, 20, tzinfo=UTC),
            published=Published(one.published_at, "structured", "a test") if one.published_at else None,
        )
        for one in findings
    ]
    found = {question: find_passages(asked, pages) for question, asked in read_questions(section).items()}
    return [one._replace(spots={question: of[at] for question, of in found.items()}) for at, one in enumerate(findings)]
