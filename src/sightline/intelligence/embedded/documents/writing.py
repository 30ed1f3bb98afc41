"""A document in progress: its material in order, the numbers of its sources, its open points."""

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final, NamedTuple
from uuid import UUID

from sightline.intelligence.embedded.documents.findings import Finding, find_findings
from sightline.intelligence.embedded.documents.markdown import ended, inline, strong
from sightline.intelligence.embedded.documents.requirements import Requirement, find_requirements
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

# By name: a document lists those without a recorded answer.
OPEN_POINTS: Final = {
    "Team": "Which team does the work?",
    "Date": "When does it have to be finished?",
    "Description": "What is the initiative about? It has no description.",
    "Problem": "Which problem does it solve, and for whom? No insight and no evidence for it is linked.",
    "Review": "Do these insights hold? Nobody has accepted or rejected them.",
    "Objections": "What speaks against it? No evidence that qualifies or contradicts is recorded.",
    "Customers": "Who is affected? No account is linked to its ideas, insights or signals.",
    "Goal": "Which change for customers shall it bring about? No purpose is recorded.",
    "Boundaries": "What does it deliberately leave out?",
    "Requirements": "What shall be built? No idea is attached.",
    "Acceptance": "How does a tester see that it is done?",
    "Measure and target": "Which figure shows success, from which value to which, and by when?",
    "Target": "From which value to which, and by when? The recorded answer names no figure.",
    "Rules and limits": "Which legal, contractual or technical limits hold?",
    "Rollout": "Who gets it first, how do they hear of it, and how is it undone?",
    "Parts": "Which parts of the product change? No feature is linked to the initiative or its ideas.",
    "Load": "How many users, records and requests does it have to carry, and how fast?",
    "Data": "Which data is stored, changed or shown, who may see it, and when is it deleted?",
    "Components": "Which components change, and which are new?",
    "Interfaces": "Which interfaces change, and what happens to those who use them today?",
    "Failures": "What happens when a part is down, slow, or called twice?",
    "Alternatives": "What else was considered, and why was it not taken?",
    "Checks": "How are load, failures and the rollback tried before customers get it?",
}


class Topic(StrEnum):
    """The subjects of questions; BEHAVIOUR is everything that the others are not."""

    MEASURES = "measures"
    GOALS = "goals"
    NON_GOALS = "non-goals"
    DATA = "data"
    CONSTRAINTS = "constraints"
    ROLLOUT = "rollout"
    SCALE = "scale"
    BEHAVIOUR = "behaviour"


_WORDS: Final = {
    Topic.MEASURES: r"measures?|measured|metrics?|kpis?|which figure|target|success(?:ful)?|worth (?:it|the)",
    Topic.GOALS: r"goals?|aim|outcome|achieved?|purpose",
    Topic.NON_GOALS: r"out of scope|leave out|left out of|exclude[sd]?|not (?:a )?part of|non-goals?",
    Topic.DATA: (
        r"privacy|gdpr|personal(?:ly)?|identit(?:y|ies)|passport|anonym\w*|retention|consent"
        r"|traced? to a person|do we (?:keep|store)|how long (?:are|is|do|does|will) .*\b(?:kept|stored|keep|store)"
    ),
    Topic.CONSTRAINTS: (
        r"law|legal\w*|complian\w*|regulat\w*|works? councils?|contract\w*|budget|deadline|certif\w*|accessib\w*"
        r"|constraints?|by when|which rules"
    ),
    Topic.ROLLOUT: r"roll(?:ed)? ?out|launch|pilot|beta|migrat\w*|go live|announced?|training|who (?:pays|prints)",
    Topic.SCALE: r"how (?:many|much|large|big|fast|far|old|often)|largest|performance|load",
}
_PATTERNS: Final = {topic: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for topic, words in _WORDS.items()}


def topic_of(question: str) -> Topic:
    """Returns the first topic whose words the question has."""
    return next((topic for topic, words in _PATTERNS.items() if words.search(question)), Topic.BEHAVIOUR)


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

    def problems_of(self, name: str) -> str:
        """Returns the labels of a customer's problems."""
        return ", ".join(self.label_of(finding) for finding in self.findings.problems if name in finding.accounts)

    def solved_by(self, requirement: Requirement) -> str:
        """Returns the labels of the problems that a requirement solves."""
        return ", ".join(map(self.label_of, requirement.problems))

    # Marks: ` [3]` after a statement

    def mark(self, kind: SourceKind, id: UUID, public_id: str | None, title: str) -> str:
        source = self._sources.get(id)
        if source is None:
            source = self._sources[id] = DocumentSource(len(self._sources) + 1, kind, id, public_id, title)
        return f" [{source.ref}]"

    def of_initiative(self) -> str:
        about = self.material.initiative
        return self.mark("initiative", about.id, about.public_id, about.name)

    def of_idea(self, idea: AboutIdea) -> str:
        return self.mark("idea", idea.id, idea.public_id, idea.name)

    def of_ideas(self, ideas: Iterable[AboutIdea]) -> str:
        return "".join(map(self.of_idea, ideas))

    def of_question(self, question: AboutQuestion) -> str:
        return self.mark("question", question.id, None, question.question)

    def of_records(self, records: Iterable[AboutInsight | AboutEvidence]) -> str:
        return "".join(
            self.mark("insight" if isinstance(one, AboutInsight) else "evidence", one.id, None, one.title)
            for one in records
        )

    def of_finding(self, finding: Finding) -> str:
        return self.of_records(finding.records)

    def of_customer(self, name: str) -> str:
        """Returns the marks of all findings and ideas of a customer."""
        records = (one for finding in self.findings.all for one in finding.records if name in one.accounts)
        return self.of_records(records) + self.of_ideas(idea for idea in self.material.ideas if name in idea.accounts)

    # Open points

    def ask(self, name: str, of: str = "") -> str:
        """Adds one of OPEN_POINTS under the current heading. `of` names its subject."""
        shown = f"{name} of {of}" if of else name
        return f"- **{self._open(shown)} {shown}:** {OPEN_POINTS[name]}"

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
        return [self._ask_again(each) for each in questions if not each.answer]

    def _ask_again(self, question: AboutQuestion) -> str:
        text = f"{inline(question.question)} ({question.asked_of}){self.of_question(question)}"
        return f"- **{self._open(text)}:** {text}"

    def settled(self, questions: Sequence[AboutQuestion]) -> list[str]:
        """Returns the answers, then the other questions as open points."""
        return [*self.answered(questions), *self.unanswered(questions)]

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
