"""The terms of a question: words with weights by how rare they are, in a form that related words share.

`wording.yaml` has other words for the same; they share a term that begins with `=`.
"""

import re
import shlex
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Final

from msgspec import Struct

from sightline.intelligence.embedded.meaning import groups_of
from sightline.intelligence.embedded.sentences import LONGEST_SENTENCE
from sightline.intelligence.embedded.signs import end_with_sign, start_with_sign
from sightline.intelligence.embedded.vocabulary import AMBIGUOUS_WORDS, GENERIC_WORDS, STOP_WORDS, read_data
from sightline.intelligence.embedded.words import fold, root_of, words_of
from sightline.sources.languages import code_of, stop_words

Terms = Mapping[str, float]

_COMMON: Final = 0.25
_GENERIC: Final = 0.5
_TELLING: Final = 1.5
_AMBIGUOUS: Final = 0.75
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_SYNONYM: Final = 0.5
_SUFFIX: Final = re.compile(r"(?<=.{4})(?:ship|hood|ness)s?$")


class SameWords(Struct, frozen=True):
    """Words for the same, and a question with a sentence that answers it in another of them."""

    same: str
    example: dict[str, str]


class Lens(Struct, frozen=True):
    """What a question may be about. With an objective it is a section of a plan, for questions with one of `cues`."""

    name: str
    words: dict[str, SameWords]
    objective: str = ""
    cues: str = ""


class Asks(Struct, frozen=True):
    """Which figures a question asks for, and whether a sentence without any of them is no answer."""

    question: str
    figures: tuple[str, ...]
    example: dict[str, str]
    only: bool = False


class QuestionWording(Struct, frozen=True):
    """The file `wording.yaml`."""

    little: str
    never: str
    figures: dict[str, str]
    asks: list[Asks]
    counted: str
    tone: dict[str, str]
    weights: dict[str, float]
    order: tuple[float, ...]
    lenses: list[Lens]
    number: str
    answers: dict[str, str]
    nothing: dict[str, str]
    plan: dict[str, str]
    not_names: str
    uses: dict[str, str]
    patterns: dict[str, str]
    indirect: dict[str, str]


@cache
def wording() -> QuestionWording:
    return read_data("research/wording.yaml", QuestionWording)


@cache
def pattern(name: str) -> re.Pattern[str]:
    """Returns a pattern of the file, with a name in the place of `{name}`."""
    patterns = wording().patterns
    return re.compile(patterns[name].replace("{name}", patterns["name"]))


def any_word(words: str) -> str:
    """Returns a pattern for any of the words and quoted phrases; `word*` is any word that begins so."""
    found = sorted(shlex.split(words), key=len, reverse=True)
    return "|".join(re.escape(word).replace(r"\*", r"\w*") for word in found)


@cache
def _same() -> re.Pattern[str]:
    named = {name: words.same for lens in wording().lenses for name, words in lens.words.items()}
    return re.compile("|".join(rf"(?P<{name}>\b(?:{any_word(same)})\b)" for name, same in named.items()))


def weigh(text: str, languages: Iterable[str] = ()) -> dict[str, float]:
    """Returns the terms of a text with their weights, in order. A word with others for the same counts as their term.

    Stop words of English and of the languages do not count, nor do measures.
    """
    stops = _stops(tuple(languages))
    same = {f"={found.lastgroup}": _TELLING * _weight(found[0]) for found in _same().finditer(text.lower())}
    rest = _same().sub(" ", text.lower())
    return {stem(word): _weight(word) for word in words_of(rest) if word not in stops and len(word) > 1} | same


def share(terms: Terms, words: Container[str]) -> float:
    """Returns the share of the terms' weight that is among the words of `folded`, 0 to 1: a synonym counts for half."""
    total = sum(terms.values())
    return sum(weight * _presence(term, words) for term, weight in terms.items()) / total if total else 0.0


def _presence(term: str, words: Container[str]) -> float:
    return 1.0 if term in words else _SYNONYM * any(f"#{group}" in words for group in groups_of(term))


def closeness(terms: Terms, words: Container[str], *, is_named: bool = False) -> float:
    """Returns the share, or 0 where only one of several terms is among the words: a single word says little.

    A name that the question asks about counts as one more.
    """
    common = sum(term in words for term in terms) + is_named
    return share(terms, words) if common >= min(2, len(terms)) else 0.0


def folded(text: str) -> frozenset[str]:
    """Returns all words of a text, in the form of terms."""
    return _folded_sentence(text) if len(text) <= LONGEST_SENTENCE else _folded_page(text)


def _folded(text: str) -> frozenset[str]:
    same = (f"={found.lastgroup}" for found in _same().finditer(text.lower()))
    words = words_of(text)
    groups = (f"#{group}" for word in words for group in groups_of(word))
    return frozenset(map(stem, words)).union(same, groups)


_folded_sentence = lru_cache(maxsize=2_000)(_folded)
_folded_page = lru_cache(maxsize=8)(_folded)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Returns what related words share: member and membership are `member`."""
    return root_of(_SUFFIX.sub("", fold(word))) or fold(word)


def telling(text: str, languages: Iterable[str] = ()) -> list[str]:
    """The words of a text that say what it is about, as they are written, in order and once; numbers with signs."""
    stops = _stops(tuple(languages))
    words = (word for part, is_measure in _parts(text) for word in ([part] if is_measure else words_of(part)))
    found = {stem(word): word for word in reversed(list(words)) if word not in stops and _weight(word) > _GENERIC}
    return list(reversed(found.values()))


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """Yields measures, such as "-30 °C", and the text between them."""
    at = 0
    for number in _NUMBER.finditer(text):
        start, end = start_with_sign(text, number.start()), end_with_sign(text, number.end())
        if start >= at and (start, end) != number.span():
            yield text[at:start], False
            yield text[start:end], True
            at = end
    yield text[at:], False


@lru_cache(maxsize=16)
def _stops(labels: tuple[str, ...]) -> frozenset[str]:
    codes = {code for label in labels if (code := code_of(label)) and code != "en"}
    return STOP_WORDS.union(wording().never.split(), *(stop_words(code) for code in codes))


@cache
def _weights() -> dict[str, float]:
    weights = {AMBIGUOUS_WORDS: _AMBIGUOUS, GENERIC_WORDS: _GENERIC, frozenset(wording().little.split()): _COMMON}
    return {word: weight for words, weight in weights.items() for word in words}


def _weight(word: str) -> float:
    return _weights().get(word.removesuffix("'s"), 1.0)
