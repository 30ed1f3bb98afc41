"""Passages of pages that may answer a question: sentences by their terms, their figures, their time and their page.

How much each of the signals counts is in `signals.json`, written by `tools/fit_research.py`.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence, Set
from functools import cache, lru_cache
from itertools import islice
from math import log
from operator import mul
from typing import Final, NamedTuple

from msgspec import Struct

from sightline.intelligence.embedded.research.names import (
    begins_with_another,
    names_in,
    place_in,
    stem_of_name,
    stems_of_names,
)
from sightline.intelligence.embedded.research.terms import (
    COMMON,
    Key,
    Terms,
    asked_for,
    folded,
    key_of,
    pattern,
    presence,
    share,
    weigh,
    wording,
)
from sightline.intelligence.embedded.sentences import MOST_CHARACTERS, MOST_SENTENCES, find_sentences
from sightline.intelligence.embedded.vocabulary import read_data
from sightline.intelligence.embedded.words import fold, words_of
from sightline.intelligence.plans import PlanSection
from sightline.intelligence.research import Spot
from sightline.sources.pages import Page
from sightline.sources.periods import without_period

LEAST_STRENGTH: Final = 0.5
_LEAST_COUNTED: Final = 0.5
_COUNTED: Final = 40  # characters after a figure
_BESIDE: Final = 60  # characters before and after a figure
_SHORTEST: Final = 30  # of a sentence without a figure
_LONGEST_HEADING: Final = 12  # words
_NARROWEST, _WIDEST = 45, 130  # characters of wrapped lines
_NEAR, _WIDE = 1, 4  # sentences before and after one
_FEW_SENTENCES: Final = 5  # of a page, in which their places say nothing
_FEWEST_TERMS: Final = 2  # of several, a name counted: a single word says little
_LEAST_WIDE: Final = 0.25  # of the terms stand in the title or so many sentences
_NAMED: Final = 0.8  # a word that means the same, or the word itself
_RANKS: Final = (1.0, 0.6, 0.2)  # of the figures that a question asks for
_EVERYWHERE: Final = 0.3  # what a term weighs that all pages have
_SATURATED: Final = 1.2  # sentences with a term, after which more say little
_USUAL_LENGTH: Final = 12  # sentences
_LONG_AGO: Final = 5 * 365.25 * 86_400.0  # seconds
_LIST: Final = re.compile(r"\s*(?:[-*•·‣◦–]|\d{1,2}[.)])\s")  # noqa: RUF001 - what writes lists
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
_END: Final = (".", "!", "?", ":", ";", "…", ",", "”", '"', ")")


class Asked(NamedTuple):
    """A question as it is compared: `names` are groups of stems, of each of which the page has to name one,
    `companies` stems of names other than places, `counted` are terms of what is counted, `fewest` the number of terms
    that have to stand around a passage.
    """

    terms: Terms
    figures: tuple[str, ...]
    is_figure: bool
    names: tuple[frozenset[str], ...]
    companies: frozenset[str]
    counted: Terms
    fewest: int

    def is_unnamed(self, lacking: Set[str]) -> bool:
        """Whether nothing is an answer, as no page has one of the words that say what the question is about.

        If several are missing, the pages may use other words.
        """
        about = {one.stem for one in self.terms if one.weight == 1}
        return len(about & lacking) == 1 and len(about) > _FEWEST_TERMS


def read_questions(section: PlanSection) -> dict[str, Asked]:
    """Returns each question of the section as it is compared, without the names of competitors if there are others."""
    own = {fold(word) for one in section.competitors for name in (one.name, *one.aliases) for word in words_of(name)}
    return {question: _read(question, own, section) for question in section.questions}


def _read(question: str, own: set[str], section: PlanSection) -> Asked:
    plain = without_period(question)
    rest = " ".join(word for word in words_of(plain) if fold(word) not in own)
    terms = weigh(rest, section.scope.languages) or weigh(plain, section.scope.languages)
    place = place_in(question)
    companies = [name for name in names_in(question) if name != place]
    names = [name for name in companies if not own.intersection(map(fold, words_of(name)))]
    groups = [[place] if place else [], names]
    lower = question.lower()
    asks, _ = asked_for(lower)
    return Asked(
        terms=terms,
        figures=asks.figures if asks else (),
        is_figure=asks is not None and asks.only,
        names=tuple(frozenset(map(stem_of_name, group)) for group in groups if group),
        companies=frozenset(map(stem_of_name, companies)),
        counted=_counted(lower) if asks and "time" not in asks.figures else (),
        fewest=min(_FEWEST_TERMS - bool(own or any(groups)), sum(one.weight > COMMON for one in terms)),
    )


def _counted(question: str) -> Terms:
    """Returns what the question wants counted, of the first two terms after "how many"."""
    found = pattern("counted").search(question)
    return tuple(one for one in weigh(question[found.end() :])[:2] if one.weight >= _LEAST_COUNTED) if found else ()


@cache
def _figures() -> dict[str, re.Pattern[str]]:
    return {
        of: re.compile(one.replace("{number}", wording().patterns["number"]), re.IGNORECASE)
        for of, one in wording().figures.items()
    }


@lru_cache(maxsize=2_000)
def figures_in(sentence: str) -> frozenset[str]:
    """Returns what the figures of a sentence are of, and `any` if it has some. A year is no figure."""
    rest, found = _YEAR.sub(" ", sentence), set()
    for of, figure in _figures().items():
        rest, number = figure.subn(" ", rest)
        found.update([of] if number else [])
    return frozenset(found | {"any"} if found - {"cause"} else found)


class PageLine(NamedTuple):
    """A sentence as an exact part of a text, and the heading above it."""

    text: str
    heading: str


def read_lines(text: str) -> tuple[PageLine, ...]:
    """Returns the sentences that say something. A heading, a question or a row of a table is none."""
    return _read_lines(text[:MOST_CHARACTERS])


@lru_cache(maxsize=64)  # each question reads all pages of a round again, up to 30
def _read_lines(text: str) -> tuple[PageLine, ...]:
    shown, headings = _as_read(text)
    found = []
    for start, end in islice(find_sentences(shown), MOST_SENTENCES):
        line = text[start:end]
        if (len(line) >= _SHORTEST or figures_in(line)) and not line.endswith("?"):
            at = bisect_right(headings, (start, "")) - 1
            found.append(PageLine(line, headings[at][1]))
    return tuple(found)


def _as_read(text: str) -> tuple[str, list[tuple[int, str]]]:
    """Returns the text with headings and tables blanked and wrapped lines joined, and the headings with their places.

    Every character keeps its place.
    """
    lines = text.split("\n")
    is_wrapped = "\n\n" in text or _is_wrapped(lines)
    blocks = [_is_heading(lines, at, is_wrapped) for at in range(len(lines))]
    shown, headings, place = [], [(-1, "")], 0
    for line, after, is_block, is_block_after in zip(lines, [*lines[1:], ""], blocks, [*blocks[1:], True], strict=True):
        is_joined = is_wrapped and line.strip() and after.strip() and not _LIST.match(after) and not is_block_after
        shown.append(("\n" * len(line) if is_block else line) + (" " if is_joined and not is_block else "\n"))
        headings += [(place, line)] if is_block and not line.startswith("|") else []
        place += len(line) + 1
    return "".join(shown)[: len(text)], headings


def _is_wrapped(lines: list[str]) -> bool:
    """Whether a text without empty lines is one wrapped paragraph: all lines but the last are about as long."""
    lengths = [len(line) for line in lines[:-1]]
    return bool(lengths) and min(lengths) >= _NARROWEST and max(lengths) <= _WIDEST


def _is_heading(lines: list[str], at: int, is_wrapped: bool) -> bool:
    """Whether the line is a heading, or of a table: a short line without an end, alone, and something follows."""
    line = lines[at].strip()
    if line.startswith(("#", "|")):
        return True
    is_alone = not is_wrapped or not "".join(lines[max(0, at - 1) : at] + lines[at + 1 : at + 2]).strip()
    if not line or not is_alone or _LIST.match(line) or line.endswith(_END):
        return False
    return len(line.split()) <= _LONGEST_HEADING and any(one.strip() for one in lines[at + 1 :])


class SignalWeights(Struct):
    """What each signal counts, with its meaning, and the least sum for a passage that may answer with a figure."""

    about: str
    least: float
    signals: dict[str, tuple[float, str]]


WEIGHTS: Final = read_data("research/signals.json", SignalWeights)


class _ReadPage(NamedTuple):
    """A page as it is compared. `words` are the keys of each sentence and of the one it refers to, `above` those of
    the title and of its heading.
    """

    whole: str
    lines: tuple[PageLine, ...]
    words: list[frozenset[Key]]
    above: list[frozenset[Key]]

    def subject(self, place: int) -> str:
        """Returns a sentence, after the one that it refers to."""
        before = self.lines[place - 1].text if place and pattern("pointing").match(self.lines[place].text) else ""
        return f"{before} {self.lines[place].text}".lstrip()

    def around(self, place: int, most: int) -> frozenset[Key]:
        """Returns the keys of a sentence, of what is above it, and of so many sentences before and after."""
        return self.above[place].union(*self.words[max(0, place - most) : place + most + 1])


class Candidate(NamedTuple):
    """A sentence of a page, its signals in the order of the file, and the stems that it is about."""

    place: int
    text: str
    values: tuple[float, ...]
    about: frozenset[str]


def find_passages(asked: Asked, pages: Sequence[Page]) -> list[list[Spot]]:
    """Returns for each page the sentences that may answer, strongest first."""
    weights = [weight for weight, _ in WEIGHTS.signals.values()]
    is_for_figure = asked.figures and "cause" not in asked.figures
    full = (WEIGHTS.least - (0.0 if is_for_figure else WEIGHTS.signals["figure"][0])) / LEAST_STRENGTH
    found = []
    for page in find_candidates(asked, pages):
        spots = [Spot(one.place, one.text, sum(map(mul, weights, one.values)) / full, one.about) for one in page]
        may_answer = (one for one in spots if one.strength >= LEAST_STRENGTH)
        found.append(sorted(may_answer, key=lambda one: (-one.strength, one.place)))
    return found


def find_candidates(asked: Asked, pages: Sequence[Page]) -> list[list[Candidate]]:
    """Returns for each page the sentences with their signals; none of a page without a name that is asked for.

    The pages are compared with one another: a term that all of them have says little, and signals of a page are shares
    of the most that one of them has.
    """
    read = [_read_page(page) for page in pages]
    terms = _by_rarity(asked.terms, read)
    subjects = [_subject(terms, page) for page in read]
    focuses = [
        max((share(terms, page.around(at, _NEAR)) for at in range(len(page.lines))), default=0.0) for page in read
    ]
    most_subject, most_focus = max(subjects, default=0.0) or 1.0, max(focuses, default=0.0) or 1.0
    dates = [page.published.moment.timestamp() if page.published else None for page in pages]
    newest = max(filter(None, dates), default=0.0)
    return [
        list(_candidates(asked, terms, page, (subject / most_subject, focus / most_focus, _recency(date, newest))))
        if all(group & stems_of_names(page.whole) for group in asked.names)
        else []
        for page, date, subject, focus in zip(read, dates, subjects, focuses, strict=True)
    ]


def _recency(date: float | None, newest: float) -> float:
    """Returns 1 for the newest page, 0 for one that is five years older, the mean for an undated one."""
    return 0.5 if date is None else max(0.0, 1 - (newest - date) / _LONG_AGO)


def _read_page(page: Page) -> _ReadPage:
    lines = read_lines(page.text)
    own = [folded(line.text) for line in lines]
    words = [
        one | before if pattern("pointing").match(line.text) else one
        for line, one, before in zip(lines, own, [frozenset[Key](), *own], strict=False)
    ]
    return _ReadPage(
        f"{page.title}\n{page.text}", lines, words, [folded(page.title) | folded(line.heading) for line in lines]
    )


def _by_rarity(terms: Terms, pages: Sequence[_ReadPage]) -> Terms:
    """Returns the terms with more weight the fewer of the pages have them."""
    whole = [frozenset[Key]().union(*page.words, *page.above) for page in pages]
    counts = [sum(presence(one, words) >= _NAMED for words in whole) for one in terms]
    return tuple(
        one._replace(weight=one.weight * (log((len(pages) + 1.5) / (count + 0.5)) + _EVERYWHERE))
        for one, count in zip(terms, counts, strict=True)
    )


def _subject(terms: Terms, page: _ReadPage) -> float:
    """Returns how much a page is about the terms: in how many sentences each of them stands, for its length."""
    usual = _SATURATED * (1 + len(page.lines) / _USUAL_LENGTH) / 2
    found = ((one.weight, sum(presence(one, words) for words in page.words)) for one in terms)
    return sum(weight * count / (count + usual) for weight, count in found)


def _candidates(asked: Asked, terms: Terms, page: _ReadPage, of_page: tuple[float, ...]) -> Iterator[Candidate]:
    codes = [re.compile(rf"(?<![\d.,]){one.stem}(?!\d)", re.IGNORECASE) for one in terms if re.search(r"\d", one.stem)]
    for place, line in enumerate(page.lines):
        said = "\n".join([line.heading, *(one.text for one in page.lines[max(0, place - _NEAR) : place + _NEAR + 1])])
        has, wide = figures_in(line.text), page.around(place, _WIDE)
        common = len({key_of(one, wide) for one in asked.terms if one.weight > COMMON} - {None})
        is_close = common >= asked.fewest and share(terms, wide) >= _LEAST_WIDE
        has_figure = has - {"cause"} and not _counts_others(asked, line.text, has)
        if not (is_close and all(code.search(said) for code in codes) and (has_figure or not asked.is_figure)):
            continue
        if not asked.companies or not begins_with_another(page.subject(place), asked.companies, page.whole):
            own, near = page.words[place] | page.above[place], page.around(place, _NEAR)
            values = (
                share(terms, near),
                share(terms, wide),
                share(terms, own),
                _fit_of_figure(asked, has),
                float(bool(not asked.figures and has - {"cause"})),
                _beside_figures(asked, terms, line.text),
                _tone(line.text),
                place / max(_FEW_SENTENCES, len(page.lines) - 1),
                float(place == 0 and len(page.lines) > _FEW_SENTENCES),
                *of_page,
            )
            yield Candidate(place, line.text, values, frozenset(one.stem for one in terms if presence(one, own)))


def _fit_of_figure(asked: Asked, has: frozenset[str]) -> float:
    """Returns 1 for the figure that is asked for, less for another one that may answer, below 0 for none."""
    ranks = (rank for of, rank in zip(asked.figures, _RANKS, strict=False) if of in has)
    return next(ranks, 0.0 if not asked.figures else -0.5 if asked.is_figure or not has else 0.0)


def _beside_figures(asked: Asked, terms: Terms, line: str) -> float:
    """Returns the most of the terms that stand beside one of the figures."""
    patterns = [_figures()[of] for of in asked.figures if of in _figures() and of in figures_in(line)]
    places = (found.span() for one in patterns for found in one.finditer(line))
    beside = (line[max(0, start - _BESIDE) : end + _BESIDE] for start, end in places)
    return max((share(terms, folded(one)) for one in beside), default=0)


def _counts_others(asked: Asked, line: str, has: frozenset[str]) -> bool:
    """Whether the sentence has what the question wants counted, but not after a figure: something else is counted."""
    if "share" in has or pattern("number of").search(line) or not share(asked.counted, folded(line)):
        return False
    after = (line[found.end() : found.end() + _COUNTED] for found in _figures()["count"].finditer(line))
    return not any(share(asked.counted, folded(words)) for words in after)


def _tone(line: str) -> float:
    """Returns a sum for results, and against a method or an earlier time."""
    lower = line.lower()
    return sum(weight for weight, tone in wording().tones.values() if re.search(tone, lower))
