"""How relevant a page is to a section, by its words, and which of its sentences say most."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from sightline.intelligence.embedded.research.names import mentions
from sightline.intelligence.embedded.research.terms import Terms, closeness, folded, share, weigh
from sightline.intelligence.embedded.sentences import MOST_CHARACTERS, Sentence, read_sentences
from sightline.intelligence.embedded.words import fold, words_of
from sightline.intelligence.plans import PlanSection
from sightline.intelligence.research import Judgement, Observation
from sightline.sources.addresses import host_of
from sightline.sources.languages import name_of
from sightline.sources.pages import Page

_PAGE, _PASSAGE, _TITLE = 0.4, 0.45, 0.15  # what each share adds to the score
_WHOLE_PAGE: Final = 0.9  # a page with so much of the terms has them all: nobody uses every word of a question
_WHOLE_PASSAGE: Final = 0.75
_ELSEWHERE: Final = 0.8  # of the score stays for a page that does not name the geography, or nothing of the audience
_NO_NAME: Final = 0.3  # the most for a page that names no competitor of the section
_NAMED: Final = 0.15
_LEAST_PASSAGE: Final = 0.3
_MOST_OBSERVATIONS: Final = 3
_SHORTEST: Final = 30
_SHOWN_QUESTION: Final = 160
_NEGATION: Final = re.compile(
    r"^(?:and |or )?(?:please )?"
    r"(?:no|not|nothing (?:about|on)|without|ignore|exclude|excluding|except|leave out|skip|avoid)\s+",
    re.IGNORECASE,
)


class _Passage(NamedTuple):
    """A sentence, the question it comes closest to, and the share of that question's terms around it."""

    place: int
    sentence: Sentence
    question: str
    share: float


def judge_page(section: PlanSection, page: Page) -> Judgement:
    """The score says how much of the section's terms the page and its best passage have; the reason is one line."""
    if excluded := _excluded(section, page):
        return Judgement(0.0, f"Excluded: it is about {excluded}.", [])
    text = f"{page.title}\n{page.text[:MOST_CHARACTERS]}"
    words, titled = folded(text), folded(page.title)
    questions = question_terms(section)
    topics = [terms for one in (section.topic, section.objective) if (terms := _without_names(section, one))][:1]
    wanted = [*questions.values(), *topics]
    passages = _passages(page.text, questions)
    close = [max(closeness(terms, words) for terms in questions.values()), *(closeness(one, words) for one in topics)]
    score = (
        _PAGE * sum(min(1.0, value / _WHOLE_PAGE) for value in close) / len(close)
        + _PASSAGE * min(1.0, max((one.share for one in passages), default=0.0) / _WHOLE_PASSAGE)
        + _TITLE * max(share(terms, titled) for terms in wanted)
    )
    score, notes = _adjust(section, page, text, score)
    return Judgement(round(score, 2), f"{_common(wanted, words)}{notes}.", _observations(page, passages))


def question_terms(section: PlanSection) -> dict[str, Terms]:
    """The terms of each question, without the names of competitors if there are others."""
    return {
        question: _without_names(section, question) or weigh(question, section.scope.languages)
        for question in section.questions
    }


def _without_names(section: PlanSection, text: str) -> Terms:
    names = {fold(word) for one in section.competitors for name in (one.name, *one.aliases) for word in words_of(name)}
    return {term: weight for term, weight in weigh(text, section.scope.languages).items() if term not in names}


def _common(wanted: Sequence[Terms], words: set[str]) -> str:
    terms = {term: weight for one in wanted for term, weight in one.items()}
    found = sorted((term for term in terms if term in words), key=lambda term: -terms[term])
    shown = f" ({', '.join(found[:4])})" if found else ""
    return f"Has {len(found)} of {len(terms)} terms of the section{shown}"


def _adjust(section: PlanSection, page: Page, text: str, score: float) -> tuple[float, str]:
    """The score after names, geography and audience, and what there is to say about them."""
    scope, notes = section.scope, ""
    if section.competitors:
        named = [one.name for one in section.competitors if mentions(one, text, page.url)]
        score = min(1.0, score + _NAMED) if named else min(score, _NO_NAME)
        notes += f"; names {', '.join(named)}" if named else "; names no competitor of the section"
    for label, wanted in (("the geography", scope.geography), ("the audience", scope.audience)):
        words = weigh(wanted, scope.languages)
        if words and not words.keys() & folded(text):
            score *= _ELSEWHERE
            notes += f"; does not name {label}"
    return score, notes


def _excluded(section: PlanSection, page: Page) -> str | None:
    """The exclusion that the title or two sentences of the page are about."""
    phrases = [_NEGATION.sub("", part.strip()) for part in re.split(r"[,;.\n]| and | or ", section.scope.exclusions)]
    title = folded(page.title)
    for phrase in filter(None, phrases):
        words = weigh(phrase, section.scope.languages).keys()
        if words and (words <= title or sum(words <= _folded(one) for one in read_sentences(page.text)) > 1):
            return phrase
    return None


def _folded(sentence: Sentence) -> set[str]:
    return {fold(word) for word in sentence.words}


def _passages(text: str, questions: Mapping[str, Terms]) -> list[_Passage]:
    """Each sentence long enough to say something, with the question whose terms it or its neighbours have most of."""
    sentences = read_sentences(text)
    folds = [_folded(one) for one in sentences]
    found = []
    for place, sentence in enumerate(sentences):
        if len(sentence.text) < _SHORTEST or sentence.text.endswith("?"):
            continue
        near = folds[place].union(*folds[max(0, place - 1) : place + 2])
        shares = {q: _closeness_at(terms, folds[place], near) for q, terms in questions.items()}
        question = max(shares, key=lambda one: shares[one])
        found.append(_Passage(place, sentence, question, shares[question]))
    return found


def _closeness_at(terms: Terms, words: set[str], near: set[str]) -> float:
    """Mostly by the sentence itself, a little by its neighbours."""
    around = closeness(terms, near)
    return 0.7 * share(terms, words) + 0.3 * around if around else 0.0


def _observations(page: Page, passages: Sequence[_Passage]) -> list[Observation]:
    """The passages that say most, in the order of the page."""
    best = sorted((one for one in passages if one.share >= _LEAST_PASSAGE), key=lambda one: (-one.share, one.place))
    chosen = {one.sentence.text: one for one in reversed(best[: 2 * _MOST_OBSERVATIONS])}
    kept = sorted(chosen.values(), key=lambda one: (-one.share, one.place))[:_MOST_OBSERVATIONS]
    return [Observation(frame(page, one.question), one.sentence.text) for one in sorted(kept)]


def frame(page: Page, question: str) -> str:
    """Returns who says it, in which language, on which question."""
    who = page.publisher or host_of(page.url) or page.title
    language = f", in {name_of(page.language)}" if page.language and page.language != "en" else ""
    shown = question if len(question) <= _SHOWN_QUESTION else question[: _SHOWN_QUESTION - 1].rstrip() + "…"
    return f"{who}{language}, on “{shown}”"
