"""Answers that only quote: the closest passages of the findings, with their sources."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from sightline.intelligence.embedded.research.judging import question_terms
from sightline.intelligence.embedded.research.terms import Terms, closeness, folded, share
from sightline.intelligence.plans import PlanSection
from sightline.intelligence.research import Coverage, FindingText, QuestionAnswer, SectionAnswer
from sightline.sources.addresses import host_of
from sightline.sources.languages import code_of

NO_ANSWER: Final = "No finding answers this."
MOST_PASSAGES: Final = 3
_LEAST_SHARE: Final = 0.3


def write_answer(section: PlanSection, findings: Sequence[FindingText], coverage: Coverage) -> SectionAnswer:
    """One answer per question, in order. Says in the summary what was covered and what is missing."""
    answers = [_answer(question, terms, findings) for question, terms in question_terms(section).items()]
    return SectionAnswer(_summary(coverage), answers)


def _answer(question: str, terms: Terms, findings: Sequence[FindingText]) -> QuestionAnswer:
    """The closest passage of each finding, the closest finding first."""
    closest = []
    for finding in findings:
        best = max(finding.observations, key=lambda one: share(terms, folded(one.quote)), default=None)
        if best is not None and (value := closeness(terms, folded(best.quote))) >= _LEAST_SHARE:
            closest.append((value, finding, best.quote))
    closest = sorted(closest, key=lambda one: -one[0])[:MOST_PASSAGES]
    if not closest:
        return QuestionAnswer(question, NO_ANSWER, [])
    passages = "; ".join(f"“{quote}” ({source_of(finding)})" for _, finding, quote in closest)
    return QuestionAnswer(question, f"Closest passages: {passages}.", [finding.id for _, finding, _ in closest])


def source_of(finding: FindingText) -> str:
    """Returns who says it and when."""
    who = finding.publisher or host_of(finding.url) or finding.title
    return f"{who}, {finding.published_at:%Y-%m-%d}" if finding.published_at else f"{who}, undated"


def say_coverage(coverage: Coverage, said: str) -> str:
    """Returns what was covered, what there is to say of the answers if anything was found, and the warnings."""
    span = f"between {coverage.since:%Y-%m-%d} and {coverage.until:%Y-%m-%d}"
    dates = f"published {span}" if coverage.research_mode == "recent" else "older and undated ones included"
    noun = "source" if coverage.target == 1 else "sources"
    pages = "1 page" if coverage.read == 1 else f"{coverage.read} pages"
    found = f"{coverage.found} of {coverage.target} {noun} found, {dates}; {pages} read."
    return " ".join([found, *([said] if coverage.found and said else []), *coverage.warnings])


def _summary(coverage: Coverage) -> str:
    said = "The embedded engine quotes the closest passages; it does not judge whether they answer."
    if code_of(coverage.output_language) != "en":
        language = f"It does not write {coverage.output_language}: quotes keep their language."
        coverage = replace(coverage, warnings=(language, *coverage.warnings))
    return say_coverage(coverage, said)
