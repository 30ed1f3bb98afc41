"""Passages of a page that may answer a question: sentences by their terms, their figures and their time."""

import re
from bisect import bisect_right
from functools import cache, lru_cache
from itertools import islice
from math import prod
from typing import Final, NamedTuple

from sightline.intelligence.embedded.research.names import names_in, place_in, stem_of_name, stems_of_names
from sightline.intelligence.embedded.research.terms import (
    Key,
    Terms,
    asked_for,
    closeness,
    folded,
    presence,
    share,
    weigh,
    wording,
)
from sightline.intelligence.embedded.sentences import MOST_CHARACTERS, MOST_SENTENCES, find_sentences
from sightline.intelligence.embedded.words import fold, words_of
from sightline.intelligence.plans import PlanSection
from sightline.sources.periods import without_period

LEAST_STRENGTH: Final = 0.42
_LEAST_COUNTED: Final = 0.5
_COUNTED: Final = 40  # characters after a figure
_SHORTEST: Final = 30  # of a sentence without a figure
_LONGEST_HEADING: Final = 12  # words
_REFERRED: Final = 0.9  # for a sentence that is understood with the one before it
_NARROWEST, _WIDEST = 45, 130  # characters of wrapped lines
_NEAR, _WIDE = 1, 4  # sentences before and after one
_LEAST_WIDE: Final = 0.5  # of the terms stand in the title or so many sentences
_LIST: Final = re.compile(r"\s*(?:[-*•·‣◦–]|\d{1,2}[.)])\s")  # noqa: RUF001 - what writes lists
_REFERS: Final = re.compile(r"(?:\w+\W+){0,2}(?:it|they|these|those|es|sie|diese)\b", re.IGNORECASE)  # it begins so
_NUMBER_OF: Final = re.compile(
    r"\bthe (?:number|count) of\b|\banzahl\b", re.IGNORECASE
)  # what is counted stands before
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
_END: Final = (".", "!", "?", ":", ";", "…", ",", "”", '"', ")")


class Asked(NamedTuple):
    """A question as it is compared: `names` are groups of stems, of each of which the page has to name one,
    `counted` are terms of what is counted, of which the sentence has to have one.
    """

    terms: Terms
    figures: tuple[str, ...]
    is_figure: bool
    names: tuple[frozenset[str], ...]
    counted: Terms

    @property
    def needs(self) -> set[str]:
        """The stems without which nothing is an answer, as they say what the question is about."""
        return {one.stem for one in self.terms if one.weight == 1}


class Spot(NamedTuple):
    """An exact part of the page, how well it may answer, 0 to 1 and a little more, and the stems that it is about."""

    place: int
    text: str
    strength: float
    about: frozenset[str]


def read_questions(section: PlanSection) -> dict[str, Asked]:
    """Returns each question of the section as it is compared, without the names of competitors if there are others."""
    own = {fold(word) for one in section.competitors for name in (one.name, *one.aliases) for word in words_of(name)}
    return {question: _read(question, own, section) for question in section.questions}


def _read(question: str, own: set[str], section: PlanSection) -> Asked:
    plain = without_period(question)
    rest = " ".join(word for word in words_of(plain) if fold(word) not in own)
    terms = weigh(rest, section.scope.languages) or weigh(plain, section.scope.languages)
    place = place_in(question)
    names = [name for name in names_in(question) if name != place and not own.intersection(map(fold, words_of(name)))]
    groups = [[place] if place else [], names]
    lower = question.lower()
    asks, _ = asked_for(lower)
    return Asked(
        terms=terms,
        figures=asks.figures if asks else (),
        is_figure=asks is not None and asks.only,
        names=tuple(frozenset(map(stem_of_name, group)) for group in groups if group),
        counted=_counted(lower) if asks and "time" not in asks.figures else (),
    )


def _counted(question: str) -> Terms:
    """Returns what the question wants counted, of the first two terms after "how many"."""
    found = re.search(wording().counted, question)
    return tuple(one for one in weigh(question[found.end() :])[:2] if one.weight >= _LEAST_COUNTED) if found else ()


@cache
def _figures() -> dict[str, re.Pattern[str]]:
    return {
        of: re.compile(one.replace("{number}", wording().number), re.IGNORECASE)
        for of, one in wording().figures.items()
    }


@lru_cache(maxsize=2_000)
def figures_in(sentence: str) -> frozenset[str]:
    """Returns what the figures of a sentence are of, and `any` if it has some. A year is no figure."""
    rest, found = _YEAR.sub(" ", sentence), set()
    for of, pattern in _figures().items():
        rest, number = pattern.subn(" ", rest)
        found.update([of] if number else [])
    return frozenset(found | {"any"} if found - {"cause"} else found)


class PageLine(NamedTuple):
    """A sentence as an exact part of a text, and the heading above it."""

    text: str
    heading: str


def _after_figures(sentence: str) -> frozenset[Key]:
    """Returns the keys of the words after each figure of a sentence, which say what is counted."""
    places = (found.end() for found in _figures()["count"].finditer(sentence))
    return frozenset[Key]().union(*(folded(sentence[place : place + _COUNTED]) for place in places))


@lru_cache(maxsize=64)
def read_lines(text: str) -> tuple[PageLine, ...]:
    """Returns the sentences that say something. A heading, a question or a row of a table is none."""
    shown, headings = _as_read(text[:MOST_CHARACTERS])
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


def find_passages(asked: Asked, title: str, text: str, *, is_named: bool = False) -> list[Spot]:
    """Returns the sentences of the text that may answer, strongest first. None if it has no name that is asked for."""
    whole = f"{title}\n{text}"
    if not all(group & stems_of_names(whole) for group in asked.names):
        return []
    codes = [
        re.compile(rf"(?<![\d.,]){one.stem}(?!\d)", re.IGNORECASE)  # of a model, such as 500
        for one in asked.terms
        if any(map(str.isdigit, one.stem))
    ]
    lines = read_lines(text)
    words = [folded(line.text) for line in lines]
    titled = folded(title)
    found = []
    for place, line in enumerate(lines):
        above = titled | folded(line.heading)
        near, wide = (above.union(*words[max(0, place - most) : place + most + 1]) for most in (_NEAR, _WIDE))
        said = "\n".join([title, line.heading, *(one.text for one in lines[max(0, place - _NEAR) : place + _NEAR + 1])])
        if not all(code.search(said) for code in codes):
            continue
        refers = place and _REFERS.match(line.text)
        own = words[place] | words[place - 1] if refers else words[place]
        around = closeness(asked.terms, wide, is_named=is_named or bool(asked.names))
        is_before = refers or "share" in figures_in(line.text) or _NUMBER_OF.search(line.text)
        counted = (own | above) if is_before else _after_figures(line.text)
        if around >= _LEAST_WIDE and (not asked.counted or share(asked.counted, counted)):
            parts = [share(asked.terms, part) for part in (own, above | own, near)]
            strength = (sum(parts) + around) / (len(parts) + 1) * (_REFERRED if refers else 1.0)
            about = frozenset(one.stem for one in asked.terms if presence(one, above | own))
            found.append(Spot(place, line.text, strength * _fitness(asked, line.text), about))
    return sorted((one for one in found if one.strength >= LEAST_STRENGTH), key=lambda one: (-one.strength, one.place))


def _fitness(asked: Asked, line: str) -> float:
    """A factor for the figure that is asked for, for results, and for the time of which the sentence speaks."""
    has = figures_in(line)
    weights = wording().weights
    if not asked.figures:
        factor = weights["typed" if has - {"count", "any", "cause"} else "counted" if has else "plain"]
    elif has.intersection(asked.figures):
        factor = next(one for one, of in zip(wording().order, asked.figures, strict=False) if of in has)
    elif asked.is_figure:
        return 0.0
    else:
        factor = weights["other" if has else "none"]
    lower = line.lower()
    tones = {name for name, pattern in wording().tone.items() if re.search(pattern, lower)}
    if "latest" in tones:
        tones -= {"earlier"}  # a sentence that compares today with before is of today
    if "result" in tones:
        tones -= {"method"}
    return factor * prod(weights[name] for name in tones)
