"""Which pages matter to a section, and the passages that say so: exact parts of the pages."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from sightline.intelligence.embedded.research.judging import frame
from sightline.intelligence.embedded.research.passages import read_questions
from sightline.intelligence.embedded.research.terms import folded, share
from sightline.intelligence.embedded.sentences import MOST_CHARACTERS
from sightline.intelligence.model.answers import MOST_COMPLAINTS, MOST_ITEMS
from sightline.intelligence.model.endpoint import Endpoint, Prompt
from sightline.intelligence.model.prompts import cut, fenced, read_task
from sightline.intelligence.model.quotes import exact_words
from sightline.intelligence.model.session import Session
from sightline.intelligence.plans import PlanSection
from sightline.intelligence.research import FramedQuote, Judgement
from sightline.sources.addresses import host_of
from sightline.sources.pages import Page

LONGEST_PAGE: Final = 6_000  # characters that are shown of a page
LONGEST_PART: Final = 1_500
LONGEST_QUOTE: Final = 600
MOST_PASSAGES: Final = 3
REPAIRS: Final = 1

Grade = Literal["answers", "partly", "related", "unrelated"]
# The score of a page, and why.
_GRADES: Final[dict[Grade, tuple[float, str]]] = {
    "answers": (0.85, "Answers"),
    "partly": (0.6, "Answers in part"),
    "related": (0.3, "Is on the subject, but answers nothing"),
    "unrelated": (0.0, "Is about something else"),
}
_BY_WORDS: Final = 0.1  # of the score: pages of equal relevance are ordered by their words

TASK: Final = read_task("relevance")


class Passage(Struct):
    """Words of a page, and the number of the question that they speak to."""

    question: int
    quote: str


class JudgedPage(Struct):
    """The page of this number as the model judges it."""

    page: int
    relevance: Grade
    passages: list[Passage]


class JudgedPages(Struct):
    """The answer."""

    pages: list[JudgedPage]


async def judge_pages(
    endpoint: Endpoint, session: Session, section: PlanSection, pages: Sequence[Page], by_words: Sequence[Judgement]
) -> list[Judgement]:
    """Returns a judgement per page: that by words for a page that the model leaves out. Raises ModelFailed."""
    parts = [shown_parts(section, page) for page in pages]
    shown = [_shown(number, page, parts[number]) for number, page in enumerate(pages)]
    prompt = Prompt(TASK, "\n\n".join([describe(section), *shown]))

    def read(answer: JudgedPages) -> tuple[list[Judgement], str]:
        exact = cache(lambda number, quote: _exact(parts[number], quote))
        judged = {one.page: one for one in reversed(answer.pages)}
        judgements = [
            _judgement(section, page, partial(exact, number), judged[number], by_words[number])
            if number in judged
            else by_words[number]
            for number, page in enumerate(pages)
        ]
        return judgements, _complaint(range(len(pages)), exact, judged)

    return await endpoint.ask(session, prompt, JudgedPages, read, REPAIRS)


def describe(section: PlanSection) -> str:
    """Returns the section as data, with the numbers of its questions."""
    scope = section.scope
    competitors = (", ".join([one.name, *one.aliases]) for one in section.competitors)
    lines = {
        "Section": section.name,
        "Objective": section.objective,
        "Topic": section.topic,
        "Competitors": "; ".join(competitors),
        "Geography": scope.geography,
        "Audience": scope.audience,
        "Excluded": scope.exclusions,
    }
    questions = [f"Question {number}: {question}" for number, question in enumerate(section.questions)]
    return fenced("section", "\n".join([*(f"{name}: {text}" for name, text in lines.items() if text), *questions]))


def shown_parts(section: PlanSection, page: Page) -> list[str]:
    """Returns the page's text, or the beginning of a long one and the parts with most words of the questions."""
    text = page.text[:MOST_CHARACTERS]
    if len(text) <= LONGEST_PAGE:
        return [text]
    spans = list(cut(text, LONGEST_PART))
    questions = [asked.terms for asked in read_questions(section).values()]
    close = [max(share(terms, folded(text[start:end])) for terms in questions) for start, end in spans]
    best = sorted(range(1, len(spans)), key=lambda place: -close[place])[: LONGEST_PAGE // LONGEST_PART - 1]
    chosen: list[tuple[int, int]] = []
    for start, end in (spans[place] for place in sorted([0, *best])):
        if chosen and chosen[-1][1] == start:
            start = chosen.pop()[0]
        chosen.append((start, end))
    return [text[start:end] for start, end in chosen]


def _shown(number: int, page: Page, parts: Sequence[str]) -> str:
    published = f", {page.published.moment:%Y-%m-%d}" if page.published else ""
    head = f"{page.title} ({page.publisher or host_of(page.url)}{published})"
    text = "\n[...]\n".join(parts)
    return f"Page {number}:\n" + fenced("page", f"{head}\n\n{text}")


def _complaint(numbers: range, exact: Callable[[int, str], str], judged: Mapping[int, JudgedPage]) -> str:
    if missing := [number for number in numbers if number not in judged]:
        return f"These pages are missing: {', '.join(map(str, missing))}"
    quotes = [(number, one.quote) for number in numbers for one in judged[number].passages[:MOST_ITEMS]]
    wrong = [f"{page}: {quote[:200]}" for page, quote in quotes if not exact(page, quote)]
    return "These quotes are not word for word in their page: " + " | ".join(wrong[:MOST_COMPLAINTS]) if wrong else ""


def _exact(parts: Sequence[str], quote: str) -> str:
    """Returns the words as the page has them, or nothing."""
    found = (exact_words(quote, part) for part in parts)
    return next((words for words in found if 0 < len(words) <= LONGEST_QUOTE), "")


def _judgement(
    section: PlanSection, page: Page, exact: Callable[[str], str], judged: JudgedPage, by_words: Judgement
) -> Judgement:
    """Returns scores and frames of our own: of what the model writes, only the place of a quote is used."""
    observations: list[FramedQuote] = []
    questions: list[str] = []
    for passage in judged.passages[:MOST_ITEMS]:
        quote = exact(passage.quote)
        if quote and 0 <= passage.question < len(section.questions) and len(observations) < MOST_PASSAGES:
            questions.append(section.questions[passage.question])
            observations.append(FramedQuote(frame(page, questions[-1]), quote))
    score, reason = _GRADES[judged.relevance]
    said = reason + (f": {' '.join(dict.fromkeys(questions))}" if questions else ".")
    score = round(score + _BY_WORDS * by_words.score, 2)
    return replace(by_words, score=score, reason=said, observations=observations, engine=None)
