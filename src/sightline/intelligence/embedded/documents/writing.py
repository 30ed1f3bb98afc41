"""A document in progress: its material in order, the numbers of its sources, what is open."""

import re
from collections import Counter, defaultdict
from functools import cache, cached_property
from itertools import chain
from typing import Final, Protocol, cast
from uuid import UUID

from markupsafe import Markup
from msgspec import Struct

from sightline.intelligence.embedded.documents.findings import Finding, distinct, find_findings, meanings_of
from sightline.intelligence.embedded.documents.markdown import paragraphs
from sightline.intelligence.embedded.documents.requirements import ANSWERS, find_requirements, is_new
from sightline.intelligence.embedded.documents.roles import (
    Role,
    has_figure,
    has_purpose,
    is_open,
    people_in,
    read_sentences,
    stands_alone,
)
from sightline.intelligence.embedded.kept import keep_by_text
from sightline.intelligence.embedded.likeness import Statements
from sightline.intelligence.embedded.questions import points_in, rules
from sightline.intelligence.embedded.sentences import split_sentences
from sightline.intelligence.embedded.vocabulary import read_data
from sightline.intelligence.material import (
    LONGEST_DESCRIPTION,
    AboutEvidence,
    AboutIdea,
    AboutInsight,
    AboutQuestion,
    DocumentSource,
    DocumentType,
    Material,
    SourceKind,
)

_ALIKE: Final = 0.75
_MOST_PEOPLE: Final = 8
_MOST_REPORTS: Final = 100  # findings that may answer a question about an idea
_POINTS: Final = {
    Role.TODAY: "today",
    Role.EXTENT: "how_often",
    Role.MEASURE: "measure",
    Role.RISK: "risks",
}
_REPORTED: Final = ("today", "how_often", "risks", "who")  # points that customers can report


class Record(Protocol):
    """A part of the material: its id, and a title, question or name."""

    @property
    def id(self) -> UUID: ...


def topic_of(question: str) -> str:
    """Returns the first topic with words of the question; "behaviour" without any."""
    return next((topic for topic, words in _topics().items() if words.search(question.lower())), "behaviour")


@cache
def _topics() -> dict[str, re.Pattern[str]]:
    words = read_data("documents/topics.yaml", dict[str, list[str]])
    return {topic: re.compile(rf"\b(?:{'|'.join(found)})\b") for topic, found in words.items()}


@keep_by_text(5_000)  # a document is written again when little has changed
def _is_about(text: str, topic: str) -> bool:
    """Whether the text has words of the topic."""
    return _topics()[topic].search(text.lower()) is not None


def _says(text: str, point: str | None) -> bool:
    """Whether the text says what a question about the point asks."""
    return point in points_in(text) or any(point == _POINTS.get(one.role) for one in read_sentences(text) if point)


class Outline(Struct, dict=True):
    """The title of a document, its first heading, and what stands under the others."""

    title: str
    begins: str
    quotes: int
    sections: dict[str, list[str]]
    questions: dict[str, str] = {}

    @cached_property
    def parts(self) -> dict[str, list[list[str]]]:
        """The macros under each heading, each with its words."""
        return {heading: [part.split() for part in found] for heading, found in self.sections.items()}

    @cached_property
    def all_parts(self) -> list[list[str]]:
        return list(chain.from_iterable(self.parts.values()))


@cache
def _outlines() -> dict[DocumentType, Outline]:
    return read_data("documents/outlines.yaml", dict[DocumentType, Outline])


class Writing:
    """What the templates show. Sources are numbered in the order of their marks; an answer stands once.

    Descriptions of ideas are read up to 100,000 characters; `long` are ids of ideas with more.
    """

    def __init__(self, type: DocumentType, material: Material) -> None:
        self.about = material.initiative
        self.outline = _outlines()[type]
        self.long = {idea.id for idea in material.ideas if len(idea.description) > LONGEST_DESCRIPTION}
        ideas = [idea._replace(description=idea.description[:LONGEST_DESCRIPTION]) for idea in material.ideas]
        self.material = material = material._replace(ideas=ideas)
        self.findings = find_findings(material)
        self._decided = {one.id: one for one in material.questions if one.answer and not is_open(one.answer)}
        said = Statements(_ALIKE)
        undecided = (one.question for one in material.questions if one.answer and one.id not in self._decided)
        for sentence in chain(split_sentences(self.about.description), undecided):
            is_new(sentence, said)
        self.requirements = find_requirements(material.ideas, self.findings, said)
        self._texts = {idea.public_id: idea.description for idea in material.ideas}
        self._reports = {id: one.findings[:_MOST_REPORTS] for one in self.requirements for id in one.public_ids}
        self.stated: dict[str, list[str]] = defaultdict(list)
        self.description = self._describe()
        self._topics = {topic_of(one.question) for one in self._decided.values()}
        self.questions: dict[str, list[AboutQuestion]] = defaultdict(list)
        self._answers: dict[str, list[tuple[int, AboutQuestion]]] = defaultdict(list)
        self._sort_questions()
        self.sources: dict[UUID, DocumentSource] = {}
        records: list[AboutInsight | AboutEvidence] = [*material.insights, *material.evidence]
        self._heard = {one.id: one for one in records}

    def _describe(self) -> list[Markup]:
        """Returns the paragraphs of the initiative's description, without what stands under other headings."""
        text = self.about.description
        for sentence, role in read_sentences(text):
            if role in (Role.NON_GOAL, Role.MEASURE):
                self.stated[role].append(sentence)
                if ["said", role] in self.outline.all_parts:
                    text = text.replace(sentence, "", 1)
        return [Markup(line) for line in paragraphs(text)]  # noqa: S704 - escaped

    def _sort_questions(self) -> None:
        """Keeps open questions by their words, and answers by the heading or the requirement that they stand under."""
        headed = {topic for macro, *topics in self.outline.all_parts if macro == "answers" for topic in topics}
        shown = self.requirements if ["requirements"] in self.outline.all_parts else []
        labels = {id: one.label for one in shown for id in one.public_ids}
        for at, one in enumerate(self.material.questions):
            if one.id in self._decided:
                topic = topic_of(one.question)
                place = topic if topic in headed else labels.get(one.asked_of, "decisions")
                self._answers[place].append((at, one))
            elif one.answer or not self._is_settled(one):
                self.questions[one.question].append(one)

    # Sources

    def marks(self, *records: Record) -> Markup:
        """Returns the numbers of the records, such as ` [3] [4]`."""
        return Markup("".join(f" [{ref}]" for ref in dict.fromkeys(self._source(record).ref for record in records)))  # noqa: S704 - numbers

    def _source(self, record: Record) -> DocumentSource:
        if record.id not in self.sources:
            kind = cast(SourceKind, type(record).__name__.removeprefix("About").lower())
            public_id = getattr(record, "public_id", None)
            title = next(getattr(record, name) for name in ("title", "question", "name") if hasattr(record, name))
            self.sources[record.id] = DocumentSource(len(self.sources) + 1, kind, record.id, public_id, title)
        return self.sources[record.id]

    def listed(self, source: DocumentSource) -> str:
        """Returns what a source is, and where it was heard: signals and customers; else its title."""
        record = self._heard.get(source.id)
        heard = record and record.signals and "; ".join([", ".join(record.signals), *record.accounts])
        public_id = f" {source.public_id}" if source.public_id else ""
        return f"{source.kind.capitalize()}{public_id}: {heard or source.title}"

    # What is counted

    @cached_property
    def customers(self) -> dict[str, Record]:
        """The customers of findings, ideas and the initiative's signals, each with a record.

        Those with most findings come first, then by name.
        """
        counts = Counter(name for finding in self.findings.all for name in finding.accounts)
        records = [*chain.from_iterable(finding.records for finding in self.findings.all), *self.material.ideas]
        named: dict[str, Record] = {name: record for record in reversed(records) for name in record.accounts}
        for name in chain.from_iterable(accounts for _, accounts in self.material.signals):
            named.setdefault(name, self.about)
        return {name: named[name] for name in sorted(named, key=lambda name: (-counts[name], name.casefold()))}

    @cached_property
    def heard(self) -> list[str]:
        """The signals of findings."""
        return distinct(finding.signals for finding in self.findings.all)

    @cached_property
    def signals(self) -> list[str]:
        return distinct([self.heard, (signal for signal, _ in self.material.signals)])

    @cached_property
    def shared(self) -> list[AboutInsight | AboutEvidence]:
        """The records of findings that are linked to several requirements."""
        own = set(chain.from_iterable(one.own for one in self.requirements))
        return [record for finding in self.findings.problems if finding not in own for record in finding.records]

    @property
    def insights(self) -> list[AboutInsight]:
        return [insight for finding in self.findings.all for insight in finding.insights]

    @cached_property
    def people(self) -> dict[str, list[AboutIdea]]:
        """The people that ideas name by what they do, such as "stewards", those that most ideas name first."""
        found: dict[str, list[AboutIdea]] = defaultdict(list)
        for idea in self.material.ideas:
            said = (one.text for one in read_sentences(idea.description) if one.role is not Role.OPEN)
            for name in people_in(" ".join(said)):
                found[name].append(idea)
        return dict(sorted(found.items(), key=lambda each: -len(each[1]))[:_MOST_PEOPLE])

    def has(self, *roles: Role) -> bool:
        """Whether the description, an idea or a customer says something of these roles."""
        return any(self.stated[role] for role in roles) or any(
            one.points[role] or one.confirmed[role] or one.voices[role] for one in self.requirements for role in roles
        )

    @cached_property
    def praise(self) -> list[Finding]:
        """The praise that is about an idea: understood alone and half of its words are, or a person confirmed it."""
        if not self.findings.praise:
            return []
        texts = ([idea.name, *split_sentences(idea.description)] for idea in self.material.ideas)
        meanings = meanings_of(*chain.from_iterable(texts))
        about = {one: one.shared(meanings) for one in self.findings.praise}
        return [
            one
            for one, shared in about.items()
            if not one.is_statement or (shared >= max(ANSWERS, len(one.terms) / 2) and stands_alone(one.said))
        ]

    @property
    def scope(self) -> dict[str, tuple[list[str], list[Record]]]:
        """The features that change, each with the labels and the ideas of its requirements."""
        found: dict[str, tuple[list[str], list[Record]]] = {name: ([], [self.about]) for name in self.about.features}
        for one in self.requirements:
            for name in one.features:
                labels, records = found.setdefault(name, ([], []))
                labels.append(one.label)
                records.extend(one.ideas)
        return found

    @cached_property
    def missing(self) -> list[str]:
        """The names of what is not recorded."""
        about = self.about
        needs = (point.text for one in self.requirements for point in one.points[Role.NEED])
        answered = (one.answer or "" for one in self.material.questions)
        measured = (one.answer or "" for one in self.answers("measures"))
        known = {
            "description": about.description.strip(),
            "team": about.teams,
            "finish date": about.finish_date,
            "problem": self.has(Role.PROBLEM) or any(not one.is_request for one in self.findings.problems),
            "customers": self.customers,
            "goal": self.has(Role.GOAL, Role.MEASURE) or has_purpose(about.description) or self._is_recorded("goals"),
            "what it leaves out": self.has(Role.NON_GOAL) or self._is_recorded("non-goals"),
            "requirements": self.material.ideas,
            "measure and target": self.has(Role.MEASURE) or any(map(has_figure, measured)),
            "what speaks against it": self.has(Role.RISK)
            or self.findings.objections
            or any(self._is_reported("risks", idea) for idea in self._reports),
            "rules and limits": self._is_recorded("constraints")
            or any("rules" in points_in(text) for text in chain(needs, answered)),
            "rollout": self._is_recorded("rollout"),
        }
        return [name for name, is_known in known.items() if not is_known]

    def _is_recorded(self, topic: str) -> bool:
        """Whether an answered question or a description is about the topic."""
        ideas = (idea.description for idea in self.material.ideas)
        texts = chain([self.about.description], ideas, (one.description for one in self.material.opportunities))
        return topic in self._topics or any(_is_about(text, topic) for text in texts)

    # Questions

    def _is_settled(self, question: AboutQuestion) -> bool:
        """Whether the engine asked it, and the present description, or a customer about the same, says it."""
        point, text = rules().point_of(question.question), self._texts.get(question.asked_of, "")
        is_reported = point in _REPORTED and self._is_reported(point, question.asked_of)
        return is_reported or _says(text, point)

    def _is_reported(self, point: str, idea: str) -> bool:
        """Whether a customer says it about the idea."""
        quotes = chain.from_iterable(finding.quotes for finding in self._reports.get(idea, ()))
        return any(_says(quote.text, point) for quote in quotes)

    def answers(self, *places: str) -> list[AboutQuestion]:
        """Returns the answered questions of topics, of the requirement with a label, or of neither ("decisions")."""
        return [one for _, one in sorted(chain.from_iterable(self._answers[place] for place in places))]
