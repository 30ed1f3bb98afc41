"""The terms of a section: words with weights by how rare they are, folded so that forms of one word are equal."""

from collections.abc import Container, Iterable, Mapping
from functools import lru_cache
from typing import Final

from sightline.intelligence.embedded.vocabulary import AMBIGUOUS_WORDS, GENERIC_WORDS, STOP_WORDS, word_set
from sightline.intelligence.embedded.words import fold, words_of
from sightline.sources.languages import code_of, stop_words

Terms = Mapping[str, float]

# Said in any question of research; they name no subject.
_RESEARCH_WORDS: Final = word_set("""
    affect affects apply applies answer answers approach approaches change changes company companies compare
    compared comparison competing competition competitive competitor competitors current currently describe differ
    difference differences evidence expect find findings growing handle handled handles happen happening important
    industry kind kinds latest learn main major market markets matter matters mention mentioned offer offered offers
    others problem problems public publicly question recent recently report reported reports research rival rivals
    say says section sections source sources tool tools towards trend trends understand vendor vendors
""")
_COMMON: Final = 0.25
_AMBIGUOUS: Final = 0.75


def weigh(text: str, languages: Iterable[str] = ()) -> dict[str, float]:
    """The terms of a text with their weights, in order. Stop words of English and of the languages do not count."""
    stops = _stops(tuple(languages))
    return {fold(word): _weight(word) for word in words_of(text) if word not in stops and len(word) > 1}


def share(terms: Terms, words: Container[str]) -> float:
    """The share of the terms' weight that is among the folded words, 0 to 1."""
    total = sum(terms.values())
    return sum(weight for term, weight in terms.items() if term in words) / total if total else 0.0


def closeness(terms: Terms, words: Container[str]) -> float:
    """The share, or 0 where only one of several terms is among the words: a single word says little."""
    common = sum(term in words for term in terms)
    return share(terms, words) if common >= min(2, len(terms)) else 0.0


def folded(text: str) -> set[str]:
    """All words of a text, folded."""
    return {fold(word) for word in words_of(text)}


def telling(text: str, languages: Iterable[str] = ()) -> list[str]:
    """The words of a text that say what it is about, as they are written, in order and once."""
    stops = _stops(tuple(languages))
    found = {fold(word): word for word in reversed(words_of(text)) if word not in stops and _weight(word) > _COMMON}
    return list(reversed(found.values()))


@lru_cache(maxsize=16)
def _stops(labels: tuple[str, ...]) -> frozenset[str]:
    codes = {code for label in labels if (code := code_of(label)) and code != "en"}
    return STOP_WORDS.union(*(stop_words(code) for code in codes))


def _weight(word: str) -> float:
    plain = word.removesuffix("'s")
    if plain in _RESEARCH_WORDS or plain in GENERIC_WORDS:
        return _COMMON
    return _AMBIGUOUS if plain in AMBIGUOUS_WORDS else 1.0
