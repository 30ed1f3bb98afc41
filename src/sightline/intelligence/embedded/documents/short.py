"""Parts in short, for those who decide: one line where the other documents have a section."""

from typing import Final

from sightline.intelligence.embedded.documents import parts
from sightline.intelligence.embedded.documents.findings import Finding
from sightline.intelligence.embedded.documents.markdown import ended, inline, strong
from sightline.intelligence.embedded.documents.writing import Topic, Writing, topic_of

MOST_PROBLEMS: Final = 3


def problems(writing: Writing) -> list[str]:
    """Lists the best supported problems, each with one quote."""
    found = writing.findings.problems
    lines = [line for finding in found[:MOST_PROBLEMS] for line in _problem(writing, finding)]
    if others := found[MOST_PROBLEMS:]:
        titles = "; ".join(f"{inline(finding.title)}{writing.of_finding(finding)}" for finding in others)
        lines.append(f"- {len(others)} more: {titles}")
    return lines or [writing.ask("Problem")]


def _problem(writing: Writing, finding: Finding) -> list[str]:
    said, marks = inline(finding.description), writing.of_finding(finding)
    label = f"{writing.label_of(finding)}. {strong(finding.title)}"
    line = f"- {label}{f': {ended(said)}' if said else '.'} Support: {writing.support_of(finding)}{marks}"
    return [line, *(f"  {quote}" for quote in writing.quotes_of(finding, 1)[:1])]


def customers(writing: Writing) -> list[str]:
    """Lists each customer once, with its problems and their sources."""
    return [
        f"- {': '.join(filter(None, (inline(name), writing.problems_of(name))))}{writing.of_customer(name)}"
        for name in parts.customers(writing)
    ] or [writing.ask("Customers")]


def goals(writing: Writing) -> list[str]:
    """Lists goals and measures, without figures that are only quoted."""
    questions = writing.questions()
    known = [*parts.purposes(writing), *writing.answered(questions)]
    lines = [*known, *parts.opportunities(writing), *parts.ratings(writing), *writing.unanswered(questions)]
    if not known:
        lines.append(writing.ask("Goal"))
    if not any(each.answer and topic_of(each.question) is Topic.MEASURES for each in questions):
        lines.append(writing.ask("Measure and target"))
    return lines


def decisions(writing: Writing) -> list[str]:
    """Lists answered questions; the others are open points."""
    return writing.answered(writing.other_questions(answered=True))


def requirements(writing: Writing) -> list[str]:
    return [
        f"- {strong(one.name)} ({', '.join(f'{idea.public_id}, {inline(idea.status)}' for idea in one.ideas)})"
        f"{f': solves {writing.solved_by(one)}' if one.problems else ''}{writing.of_ideas(one.ideas)}"
        for one in writing.requirements
    ] or [writing.ask("Requirements")]
