"""How relevant a page is to a section, by its words, and which of its sentences say most."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from sightline.intelligence.embedded.research.names import mentions, stem_of_name, stems_of_names
from sightline.intelligence.embedded.research.passages import (
    LEAST_STRENGTH,
    Asked,
    find_passages,
    read_lines,
    read_questions,
)
from sightline.intelligence.embedded.research.terms import (
    Key,
    folded,
    foreign_language,
    is_listed,
    pattern,
    presence,
    share,
    stem,
    telling,
    weigh,
)
from sightline.intelligence.embedded.sentences import MOST_CHARACTERS
from sightline.intelligence.plans import PlanSection
from sightline.intelligence.research import LEAST_RELEVANCE, FramedQuote, Judgement, Spot
from sightline.sources.addresses import host_of
from sightline.sources.languages import code_of, name_of
from sightline.sources.pages import Page
from sightline.sources.periods import without_period

_ELSEWHERE: Final = 0.8  # of the score stays for a page that does not name the geography, or nothing of the audience
_NO_NAME: Final = 0.3  # the most for a page that names no competitor of the section
_NAMED: Final = 0.15
_MOST_OBSERVATIONS: Final = 3
_SHOWN_QUESTION: Final = 160


def judge_pages(section: PlanSection, pages: Sequence[Page]) -> list[Judgement]:
    """The score says how well the best passage of a page may answer, compared with the other pages; the reason is one
    line.
    """
    asked = read_questions(section)
    found = [find_passages(one, pages) for one in asked.values()]
    return [
        _judge(section, page, asked, dict(zip(asked, passages, strict=True)))
        for page, *passages in zip(pages, *found, strict=True)
    ]


def _judge(section: PlanSection, page: Page, asked: Mapping[str, Asked], passages: dict[str, list[Spot]]) -> Judgement:
    if excluded := _excluded(section, page):
        return Judgement(0.0, f"Excluded: it is about {excluded}.", [])
    text = f"{page.title}\n{page.text[:MOST_CHARACTERS]}"
    words = folded(text)
    named = [one.name for one in section.competitors if mentions(one, text, page.url)]
    best = [found[0].strength if found else 0.0 for found in passages.values()]
    whole = min(1.0, max(best) * LEAST_RELEVANCE / LEAST_STRENGTH)
    score, notes = _adjust(section, named, text, whole)
    fits = tuple(round(one * score / whole, 3) if whole else 0.0 for one in best)
    reason = f"{_common(asked.values(), words)}{notes}."
    lacks = frozenset(
        word for question, found in passages.items() for word in _lacking(section, question, page, words, bool(found))
    )
    return Judgement(round(score, 2), reason, _observations(page, passages), fits=fits, lacks=lacks, spots=passages)


def _lacking(
    section: PlanSection, question: str, page: Page, words: frozenset[Key], has_passages: bool
) -> Iterable[str]:
    """Returns the words of the question that the page does not have.

    A page in another language that may answer does not lack one word of which the lists have no other.
    """
    own = foreign_language(question) or "English"
    asked = telling(without_period(question), [*section.scope.languages, own])
    lacks = [word for word in asked if not folded(word) & words]
    is_foreign = page.language not in (None, code_of(own))
    unknown = [word for word in asked if not is_listed(word) and stem(word) not in words]
    is_said = is_foreign and has_passages and len(unknown) == 1
    return [word for word in lacks if word not in unknown] if is_said else lacks


def _common(asked: Iterable[Asked], words: frozenset[Key]) -> str:
    terms = {term.stem: term for one in asked for term in one.terms}
    found = sorted((one for one in terms.values() if presence(one, words)), key=lambda one: -one.weight)
    shown = f" ({', '.join(one.stem for one in found[:4])})" if found else ""
    return f"Has {len(found)} of {len(terms)} terms of the section{shown}"


def _adjust(section: PlanSection, named: Sequence[str], text: str, score: float) -> tuple[float, str]:
    """The score after names, geography and audience, and what there is to say about them."""
    scope, notes = section.scope, ""
    if section.competitors:
        score = min(1.0, score + _NAMED) if named else min(score, _NO_NAME)
        notes += f"; names {', '.join(named)}" if named else "; names no competitor of the section"
    places = {stem_of_name(word) for word in scope.geography.split()}
    if places and not places & stems_of_names(text):
        score, notes = score * _ELSEWHERE, f"{notes}; does not name the geography"
    audience = weigh(scope.audience, scope.languages)
    if audience and not share(audience, folded(text)):
        score, notes = score * _ELSEWHERE, f"{notes}; does not name the audience"
    return score, notes


def _excluded(section: PlanSection, page: Page) -> str | None:
    """The exclusion that the title or two sentences of the page are about."""
    parts = re.split(r"[,;.\n]| and | or ", section.scope.exclusions)
    title = folded(page.title)
    for phrase in filter(None, (pattern("negation").sub("", part.strip()) for part in parts)):
        words = {term.stem for term in weigh(phrase, section.scope.languages)}
        if words and (words <= title or sum(words <= folded(one.text) for one in read_lines(page.text)) > 1):
            return phrase
    return None


def _observations(page: Page, passages: dict[str, list[Spot]]) -> list[FramedQuote]:
    """The strongest passages of each question in turn, in the order of the page."""
    ranked = sorted(
        (rank, -passage.strength, passage, question)
        for question, found in passages.items()
        for rank, passage in enumerate(found[:_MOST_OBSERVATIONS])
    )
    chosen: dict[str, tuple[Spot, str]] = {}
    for _, _, passage, question in ranked:
        chosen.setdefault(passage.text, (passage, question))
    kept = list(chosen.values())[:_MOST_OBSERVATIONS]
    return [FramedQuote(frame(page, question), passage.text) for passage, question in sorted(kept)]


def frame(page: Page, question: str) -> str:
    """Returns who says it, in which language, on which question."""
    who = page.publisher or host_of(page.url) or page.title
    language = f", in {name_of(page.language)}" if page.language and page.language != "en" else ""
    shown = question if len(question) <= _SHOWN_QUESTION else question[: _SHOWN_QUESTION - 1].rstrip() + "…"
    return f"{who}{language}, on “{shown}”"
