"""The place of a quote in its source. What is stored is the source's own words, never the model's."""

import re
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from sightline.intelligence.embedded.signs import end_with_sign, start_with_sign

_WORD = re.compile(r"\w+")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_QUOTED = re.compile(r"[“\"„«]([^”\"“„«»]{3,})[”\"“»]")
_MARKS: Final = " \t\r\n\"'“”„‘’«»"  # noqa: RUF001 - quotation marks of many languages
_FEWEST: Final = 2  # words of a quote that is not exact
_WORDS_A_GAP: Final = 6
_MOST_GAPS: Final = 3
_LONG: Final = 200  # characters of a quote that is not looked for as whole words first
_MOST_STEPS: Final = 200_000  # words that are compared for a quote with gaps: some hundredths of a second
# A quote that leaves one of these out says the opposite.
_TURNING: Final = frozenset(
    {"not", "no", "never", "none", "nobody", "without", "hardly", "t", "cannot", "nicht", "kein"}
)


class Place(NamedTuple):
    """Where a quote begins and ends."""

    start: int
    end: int


def locate(quote: str, source: str) -> Place | None:
    """Returns the place of the same words, or None.

    Case, white space and punctuation may differ, and one word in six, three at most, may be left out of the quote. No
    word may be added, changed or moved. The sign of a number at either end belongs to it.
    """
    found = _locate(quote, source)
    return found and Place(start_with_sign(source, found.start), end_with_sign(source, found.end))


def exact_words(quote: str, source: str) -> str:
    """Returns the words that are meant as the source has them, or nothing. The bounds are those of `locate`."""
    place = locate(quote, source)
    return source[place.start : place.end] if place else ""


def _locate(quote: str, source: str) -> Place | None:
    exact, words = _read(quote)
    if not words:
        return None
    if found := _exact(exact, source):
        return found
    if len(words) < _FEWEST or not has_words(quote, source):
        return None
    there, folded, known = _words_of(source)
    if not known.issuperset(words):
        return None
    span = _without_gaps(words, folded) or _with_gaps(words, folded)
    return Place(there[span[0]].start(), there[span[1]].end()) if span else None


def has_words(quote: str, source: str) -> bool:
    """Whether the source has the words of the quote, in whatever order and perhaps within others."""
    folded = _folded(source)
    return all(word in folded for word in _read(quote)[1])


@lru_cache(maxsize=1)  # a source is searched for many quotes
def _folded(source: str) -> str:
    return source.casefold()


@lru_cache(maxsize=1)  # a quote is looked for in many sources
def _read(quote: str) -> tuple[str, list[str]]:
    """Returns the quote without marks around it, and its words without case."""
    exact = quote.strip(_MARKS)
    return exact, [word.casefold() for word in _WORD.findall(exact)]


@lru_cache(maxsize=1)  # the quotes of an answer have few sources
def _words_of(source: str) -> tuple[list[re.Match[str]], list[str], frozenset[str]]:
    """Returns where the words of the source are, the words without case, and each of them once."""
    there = list(_WORD.finditer(source))
    folded = [word[0].casefold() for word in there]
    return there, folded, frozenset(folded)


def figures_of(text: str) -> set[str]:
    """Returns the numbers in digits."""
    return set(_FIGURE.findall(text))


def quotes_in(text: str) -> list[str]:
    """Returns the words between quotation marks."""
    return _QUOTED.findall(text)


def invents(text: str, source: str) -> bool:
    """Whether the text has figures, or words between quotation marks, that its source does not have."""
    return not figures_of(text) <= figures_of(source) or any(words not in source for words in quotes_in(text))


def _exact(quote: str, source: str) -> Place | None:
    """Returns the place of whole words. Scripts without spaces, and long quotes, may begin within a word."""
    start, is_long = source.find(quote), len(quote) > _LONG
    if start < 0:
        return None
    if not is_long and (whole := re.search(rf"(?<!\w){re.escape(quote)}(?!\w)", source)):
        return Place(*whole.span())
    may_begin_within = is_long or not quote.isascii() or len(quote.split()) > _FEWEST
    return Place(start, start + len(quote)) if may_begin_within else None


def _without_gaps(words: list[str], source: list[str]) -> tuple[int, int] | None:
    """Returns the first and last word of the source where the words follow each other."""
    text = f" {' '.join(source)} "
    start = text.find(f" {' '.join(words)} ")
    first = text.count(" ", 0, start)
    return (first, first + len(words) - 1) if start >= 0 else None


def _with_gaps(words: list[str], source: list[str]) -> tuple[int, int] | None:
    """Returns the first and last word of the shortest part of the source that leaves out few of its words.

    Tries only so many of the places where a long quote may begin that the search ends soon, whatever repeats.
    """
    gaps = min(len(words) // _WORDS_A_GAP, _MOST_GAPS)
    starts = (at for at, word in enumerate(source) if gaps and word == words[0])
    spans = (_follow(words, source, at, gaps) for at in islice(starts, _MOST_STEPS // len(words)))
    return min(filter(None, spans), key=lambda span: span[1] - span[0], default=None)


def _follow(words: list[str], source: list[str], at: int, gaps: int) -> tuple[int, int] | None:
    """Returns the first and last word of the source if all words follow from `at` on with so many left out."""
    place = at
    for word in words[1:]:
        place += 1
        while place < len(source) and source[place] != word:
            if gaps == 0 or source[place] in _TURNING:
                return None
            gaps -= 1
            place += 1
        if place >= len(source):
            return None
    return at, place
