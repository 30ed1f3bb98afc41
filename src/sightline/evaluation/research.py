"""How well research answers with the embedded engine, measured on questions whose facts lie in labelled articles."""

from asyncio import run
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from msgspec import Struct

from sightline.evaluation.marks import Output
from sightline.evaluation.worlds import Measured, Quality, read_json, read_tickets, share
from sightline.intelligence.embedded.research import EmbeddedResearcher
from sightline.intelligence.research import PlanContext, QuestionAnswer, Researcher
from sightline.platform.clock import Clock
from sightline.platform.errors import BadRequest
from sightline.research.runs.search import Budget, SearchTools, search_section
from sightline.research.runs.search_result import NewFinding
from sightline.research.runs.work import PREVIEW_ROUNDS, terms_of
from sightline.sources.library.library import Library
from sightline.sources.library.texts import read_text

_PATIENCE = 600.0  # seconds for a search, so that a slow machine answers the same


class LabelledQuestion(Struct, frozen=True):
    """A question, and the facts that answer it; none if the articles do not."""

    id: str
    question: str
    facts: tuple[str, ...]


class Fact(Struct, frozen=True):
    """What an article says in the words of `quote`; `also_in` are copies, `outdated_by` is a later fact."""

    id: str
    article: str
    quote: str
    outdated_by: str | None = None
    also_in: tuple[str, ...] = ()


class Labels(Struct, frozen=True):
    """The file `research.json`. The facts of a contradiction belong into one answer, a text with copies once."""

    questions: tuple[LabelledQuestion, ...]
    facts: tuple[Fact, ...]
    contradictions: tuple[tuple[str, str], ...] = ()
    copies: tuple[tuple[str, ...], ...] = ()


class ResearchQuality(Quality):
    """The quality of answers; a question with several parts has several.

    `wrong`: answers that do not quote a fact first, and answers with quotes to unanswerable questions.
    """

    questions: int
    answerable: int  # questions with facts
    first: float | None  # share of these: at least one answer has quotes, and each that has quotes a fact first
    facts: int  # facts of answerable questions that no later fact replaces
    among: float | None  # share of these that an answer quotes
    unanswerable: int  # questions without facts
    unanswerable_said: float | None  # share of these whose answers have no quotes
    older_first: int  # answers that quote an outdated fact, and not its later fact before it
    copies_twice: int  # texts that an answer quotes from several copies
    contradictions: int  # labelled pairs of facts
    contradictions_shown: int  # pairs of which one answer quotes both


class Passage(NamedTuple):
    """A quote of an answer, and the name of its article."""

    text: str
    article: str


class Answered(NamedTuple):
    """An answer to a question of a plan, with its passages in order."""

    question: LabelledQuestion
    asked: str
    answer: str
    passages: list[Passage]

    @property
    def articles(self) -> set[str]:
        return {one.article for one in self.passages}


def measure(folder: Path) -> Measured:
    """Researches the questions of `research.json` in the folder's articles and compares the answers with the facts."""
    labels, answers = _answers(folder)
    outputs = (Output(f"{one.question.id}-{n}", one.question.question, one.answer) for n, one in enumerate(answers, 1))
    return Measured(_quality(labels, answers), list(outputs))


def measure_quality(folder: Path) -> ResearchQuality:
    """Returns the figures alone."""
    return _quality(*_answers(folder))


def _answers(folder: Path) -> tuple[Labels, list[Answered]]:
    labels = read_labels(folder)
    return labels, run(answer_all(folder, labels, Clock().now()))


def read_labels(folder: Path) -> Labels:
    """Reads `research.json` of a world. Raises BadRequest if it is not right, and OSError."""
    labels = read_json(folder / "research.json", Labels)
    known = {fact.id for fact in labels.facts}
    if unknown := [id for one in labels.questions for id in one.facts if id not in known]:
        raise BadRequest(f"{folder / 'research.json'}: there is no fact {unknown[0]}.")
    return labels


async def answer_all(
    folder: Path, labels: Labels, now: datetime, researcher: Researcher | None = None
) -> list[Answered]:
    """Plans each question, searches the folder's articles and answers, as a first run of a prepared plan does."""
    articles = folder / "articles"
    names = read_names(folder, now)
    with TemporaryDirectory() as place:
        library = Library(articles, Path(place) / "index", update_seconds=_PATIENCE, wait_seconds=_PATIENCE)
        tools = SearchTools(researcher or EmbeddedResearcher(), library, library)
        context = PlanContext(now=now, evidence=_evidence(folder))
        return [one for question in labels.questions for one in await _ask(question, tools, names, context)]


def read_names(folder: Path, now: datetime) -> dict[str, str]:
    """Returns the name of each article by its address."""
    paths = sorted((folder / "articles").glob("*.md"))
    return {read_text(path.read_bytes(), path.name, now).url: path.name for path in paths}


def _evidence(folder: Path) -> tuple[str, ...]:
    """Returns the texts of customers, if the world has some: they say which languages matter."""
    return tuple(one.text for one in read_tickets(folder)) if (folder / "tickets.jsonl").exists() else ()


async def _ask(
    question: LabelledQuestion, tools: SearchTools, names: Mapping[str, str], context: PlanContext
) -> list[Answered]:
    now = context.now
    plan = (await tools.researcher.plan(question.question, context)).definition
    terms = terms_of(plan, now - timedelta(days=plan.initial_lookback_days), now)
    budget = Budget(rounds=PREVIEW_ROUNDS, seconds=_PATIENCE, patience=_PATIENCE)
    found = [await search_section(one, terms, tools, known={}, budget=budget) for one in plan.sections]
    return [
        Answered(question, one.question, one.answer, _passages(one, section.findings, names))
        for section in found
        for one in section.answer.questions
    ]


def _passages(answer: QuestionAnswer, findings: Sequence[NewFinding], names: Mapping[str, str]) -> list[Passage]:
    """Returns the quotes that stand in the answer, in its order."""
    text = _plain(answer.answer)
    found = [
        (text.find(f"“{quote}”"), Passage(quote, names[finding.url]))
        for finding in findings
        if finding.id in answer.finding_ids
        for quote in (_plain(one.quote) for one in finding.observations)
    ]
    return [passage for at, passage in sorted(found) if at >= 0]


def _quality(labels: Labels, answers: Sequence[Answered]) -> ResearchQuality:
    """Compares the answers with the facts of their questions."""
    facts = {fact.id: fact for fact in labels.facts}
    asked = [one for one in labels.questions if one.facts]
    by_question = {one.id: [given for given in answers if given.question.id == one.id] for one in labels.questions}
    said = {id: [given for given in answers if given.passages] for id, answers in by_question.items()}
    first = [bool(said[one.id]) and all(_begins(given, facts) for given in said[one.id]) for one in asked]
    current = [(one, facts[id]) for one in asked for id in one.facts if not facts[id].outdated_by]
    found = [any(_place(fact, given) is not None for given in by_question[one.id]) for one, fact in current]
    silent = [not said[one.id] for one in labels.questions if not one.facts]
    wrong = [given for one in asked for given in by_question[one.id] if not _begins(given, facts)]
    wrong += [given for given in answers if given.passages and not given.question.facts]
    return ResearchQuality(
        questions=len(labels.questions),
        answerable=len(asked),
        first=share(sum(first), len(asked)),
        facts=len(current),
        among=share(sum(found), len(current)),
        unanswerable=len(silent),
        unanswerable_said=share(sum(silent), len(silent)),
        older_first=sum(_is_older_first(one, facts) for one in answers),
        copies_twice=sum(len(one.articles.intersection(copies)) > 1 for one in answers for copies in labels.copies),
        contradictions=len(labels.contradictions),
        contradictions_shown=sum(
            any(all(_place(facts[id], one) is not None for id in pair) for one in answers)
            for pair in labels.contradictions
        ),
        wrong=[f"{one.question.id}: {one.question.question} {_plain(one.answer)}" for one in wrong],
    )


def _begins(answer: Answered, facts: Mapping[str, Fact]) -> bool:
    return any(_place(facts[id], answer) == 0 for id in answer.question.facts)


def _place(fact: Fact, answer: Answered) -> int | None:
    """Returns the place of the first passage that says the fact."""
    places = (at for at, one in enumerate(answer.passages) if says(one, fact))
    return next(places, None)


def says(passage: Passage, fact: Fact) -> bool:
    """Whether the passage has the words of the fact, and stands in its article or a copy."""
    return passage.article in (fact.article, *fact.also_in) and _plain(fact.quote).rstrip(".") in _plain(passage.text)


def _is_older_first(answer: Answered, facts: Mapping[str, Fact]) -> bool:
    """Whether the answer says an outdated fact and not before it the fact that is current."""
    for fact in facts.values():
        older = _place(fact, answer)
        if fact.outdated_by and older is not None:
            newer = _place(facts[fact.outdated_by], answer)
            if newer is None or older < newer:
                return True
    return False


def _plain(text: str) -> str:
    return " ".join(text.split())
