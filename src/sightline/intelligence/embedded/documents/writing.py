"""A document in progress: its material in order, the numbers of its sources, its open points."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple
from uuid import UUID

from sightline.intelligence.embedded.documents.findings import Finding, find_findings
from sightline.intelligence.embedded.documents.markdown import ended, inline, strong
from sightline.intelligence.embedded.documents.open_points import OPEN_POINTS
from sightline.intelligence.embedded.documents.requirements import Requirement, find_requirements
from sightline.intelligence.embedded.documents.topics import Topic, topic_of
from sightline.intelligence.material import (
    AboutEvidence,
    AboutIdea,
    AboutInsight,
    AboutQuestion,
    DocumentSource,
    Material,
    Quote,
    SourceKind,
)

MOST_QUOTES: Final = 3


class OpenPoint(NamedTuple):
    """A point without a recorded answer: its label (O1), its heading, its name."""

    label: str
    heading: str
    name: str


class Writing:
    """Numbers sources and open points in the order of the document.

    `heading` is the current one, `topics` are those of its questions, `kept` those of all headings.
    """

    def __init__(self, material: Material, kept: frozenset[Topic]) -> None:
        self.material = material
        self.kept = kept
        self.heading = ""
        self.topics: Sequence[Topic] = ()
        self.findings = find_findings(material)
        self.requirements = find_requirements(material.ideas, self.findings)
        self.open_points: list[OpenPoint] = []
        self._sources: dict[UUID, DocumentSource] = {}
        self._placed: set[UUID] = set()

    @property
    def sources(self) -> list[DocumentSource]:
        return list(self._sources.values())

    def label_of(self, finding: Finding) -> str:
        """Returns P1, P2, ... in the order of the findings."""
        return f"P{self.findings.problems.index(finding) + 1}"

    # Marks: ` [3]` after a statement.

    def _mark(self, kind: SourceKind, id: UUID, public_id: str | None, title: str) -> str:
        source = self._sources.get(id)
        if source is None:
            source = self._sources[id] = DocumentSource(len(self._sources) + 1, kind, id, public_id, title)
        return f" [{source.ref}]"

    def of_initiative(self) -> str:
        about = self.material.initiative
        return self._mark("initiative", about.id, about.public_id, about.name)

    def of_idea(self, idea: AboutIdea) -> str:
        return self._mark("idea", idea.id, idea.public_id, idea.name)

    def of_ideas(self, ideas: Iterable[AboutIdea]) -> str:
        return "".join(map(self.of_idea, ideas))

    def of_question(self, question: AboutQuestion) -> str:
        return self._mark("question", question.id, None, question.question)

    def of_records(self, records: Iterable[AboutInsight | AboutEvidence]) -> str:
        return "".join(
            self._mark("insight" if isinstance(one, AboutInsight) else "evidence", one.id, None, one.title)
            for one in records
        )

    def of_finding(self, finding: Finding) -> str:
        return self.of_records(finding.records)

    def of_other(self, kind: SourceKind, id: UUID, public_id: str | None, title: str) -> str:
        return self._mark(kind, id, public_id, title)

    # Open points

    def ask(self, name: str, of: str = "") -> str:
        """Adds one of OPEN_POINTS under the current heading. `of` names its subject."""
        shown = f"{name} of {of}" if of else name
        return f"- **{self._open(shown)} {shown}:** {OPEN_POINTS[name]}"

    def ask_again(self, question: AboutQuestion) -> str:
        """Adds an unanswered question as an open point."""
        text = f"{inline(question.question)} ({question.asked_of}){self.of_question(question)}"
        return f"- **{self._open(text)}:** {text}"

    def _open(self, name: str) -> str:
        label = f"O{len(self.open_points) + 1}"
        self.open_points.append(OpenPoint(label, self.heading, name))
        return label

    # Questions

    def questions(self) -> list[AboutQuestion]:
        """Returns the questions of the current heading."""
        return self._place(question for question in self._left() if topic_of(question.question) in self.topics)

    def questions_of(self, asked_of: Sequence[str]) -> list[AboutQuestion]:
        """Returns the questions of these records that no other heading has."""
        return self._place(
            question
            for question in self._left()
            if question.asked_of in asked_of and topic_of(question.question) not in self.kept
        )

    def other_questions(self, *, answered: bool | None = None) -> list[AboutQuestion]:
        """Returns the questions not shown yet; `answered` selects those with or without an answer."""
        return self._place(each for each in self._left() if answered in (None, each.answer is not None))

    def _left(self) -> list[AboutQuestion]:
        return [question for question in self.material.questions if question.id not in self._placed]

    def _place(self, questions: Iterable[AboutQuestion]) -> list[AboutQuestion]:
        found = list(questions)
        self._placed.update(question.id for question in found)
        return found

    def answered(self, questions: Iterable[AboutQuestion]) -> list[str]:
        return [
            f"- {strong(each.question)} ({each.asked_of}) {ended(inline(each.answer))}{self.of_question(each)}"
            for each in questions
            if each.answer
        ]

    def unanswered(self, questions: Iterable[AboutQuestion]) -> list[str]:
        return [self.ask_again(each) for each in questions if not each.answer]

    # Findings

    def support_of(self, finding: Finding) -> str:
        """Returns the support of a finding in one line."""
        return "; ".join(
            [
                _review(finding),
                *([f"validated for {', '.join(finding.validated_for)}"] if finding.validated_for else []),
                counted(len(finding.accounts), "customer"),
                counted(len(finding.signals), "signal"),
            ]
        )

    def quotes_of(self, finding: Finding, most: int = MOST_QUOTES) -> list[str]:
        """Returns block quotes, each a paragraph, and the signals of the others."""
        quotes = finding.quotes
        lines = [self._quote(finding, quote) for quote in quotes[:most]]
        if len(quotes) > most:
            others = list(dict.fromkeys(quote.signal for quote in quotes[most:] if quote.signal))
            where = f" in {', '.join(others)}" if others else ""
            lines.append(f"> {counted(len(quotes) - most, 'more quote')}{where}{self.of_finding(finding)}")
        return [part for line in lines for part in (">", line)][1:]

    def _quote(self, finding: Finding, quote: Quote) -> str:
        who = ", ".join([*map(inline, quote.accounts), *([quote.signal] if quote.signal else [])])
        marks = self.of_records(finding.records_of(quote))
        return f"> “{inline(quote.text)}”{f' ({who})' if who else ''}{marks}"


def solved_by(requirement: Requirement, writing: Writing) -> str:
    """Returns the labels of the problems that a requirement solves."""
    return ", ".join(writing.label_of(finding) for finding in requirement.problems)


def _review(finding: Finding) -> str:
    if finding.is_reviewed:
        return "reviewed"
    return "not reviewed" if finding.insights else "linked as evidence"


def counted(count: int, noun: str) -> str:
    return f"{count or 'no'} {noun}{'' if count == 1 else 's'}"


def separated(lines: Iterable[str]) -> list[str]:
    """Returns paragraphs with empty lines between them."""
    return [part for line in lines for part in ("", line)][1:]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Returns a table of escaped cells; nothing without rows."""
    lines = [f"| {' | '.join(cell or '–' for cell in row)} |" for row in rows]  # noqa: RUF001 - an empty cell
    return [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}", *lines] if lines else []
