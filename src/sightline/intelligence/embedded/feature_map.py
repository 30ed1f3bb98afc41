"""Features made ready for many texts: their words, what each word weighs, and where it occurs."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final
from uuid import UUID

from sightline.intelligence.embedded.vocabulary import AMBIGUOUS_WORDS, GENERIC_WORDS, STOP_WORDS
from sightline.intelligence.embedded.words import fold, singular, words_of
from sightline.intelligence.engine import FeatureText

MOST_NAME_CHARACTERS: Final = 1_000
MOST_DESCRIPTION_CHARACTERS: Final = 4_000
SPECIFIC_LETTERS: Final = 6
_ARTICLES: Final = frozenset({"a", "an", "the", "and"})
_STOP_STEMS: Final = frozenset(map(fold, STOP_WORDS))
_GENERIC_STEMS: Final = frozenset(map(fold, GENERIC_WORDS))
_AMBIGUOUS_STEMS: Final = frozenset(map(fold, AMBIGUOUS_WORDS))
GENERIC_WEIGHT: Final = 0.25
COMMON_WEIGHT: Final = 0.15
SMALL_WORD_WEIGHT: Final = 0.5  # where a name is little without its small words: what song, check out


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to call a feature: the words that count, folded with their weights, and in the singular.

    `initials` are those of three to six words, else empty. An ambiguous wording is one word of many meanings.
    """

    stems: dict[str, float]
    surfaces: frozenset[str]
    initials: str
    weight: float
    is_ambiguous: bool


@dataclass(frozen=True, slots=True)
class PreparedFeature:
    """A feature as matching reads it. `described` are words of the description that the name does not have."""

    id: UUID
    wordings: tuple[Wording, ...]
    described: dict[str, float]


@dataclass(frozen=True, slots=True)
class EmbeddedFeatureMap:
    """All features in their order, and in which of them each word is part of the name or of the description.

    `joined` tells that darkmode is dark and mode.
    """

    features: tuple[PreparedFeature, ...]
    words: frozenset[str]
    named: dict[str, tuple[int, ...]]
    described: dict[str, tuple[int, ...]]
    joined: dict[str, tuple[str, ...]]
    size: int


@dataclass(frozen=True, slots=True)
class _Read:
    id: UUID
    names: tuple[tuple[str, ...], ...]
    description: tuple[str, ...]


def read_features(features: Sequence[FeatureText]) -> EmbeddedFeatureMap:
    """Reads the first 1,000 characters of each name and 4,000 of each description."""
    read = [_read(feature) for feature in features]
    weights, twins = _weights(read), _twins(read)
    prepared = tuple(_prepared(feature, weights, twins) for feature in read)
    named = _places(_name_stems(feature) for feature in prepared)
    described = _places(feature.described for feature in prepared)
    joined = {one: parts for feature in read for words in feature.names for one, parts in _joined(words)}
    size = _size(prepared, len(named) + len(described))
    return EmbeddedFeatureMap(prepared, frozenset(named).union(described), named, described, joined, size)


def _places(stems_of_features: Iterable[Iterable[str]]) -> dict[str, tuple[int, ...]]:
    """In which features each word is."""
    places: dict[str, list[int]] = {}
    for number, stems in enumerate(stems_of_features):
        for stem in stems:
            places.setdefault(stem, []).append(number)
    return {stem: tuple(numbers) for stem, numbers in places.items()}


def _name_stems(feature: PreparedFeature) -> dict[str, None]:
    stems = dict.fromkeys(stem for wording in feature.wordings for stem in wording.stems)
    stems.update(dict.fromkeys(wording.initials for wording in feature.wordings if wording.initials))
    return stems


def _read(feature: FeatureText) -> _Read:
    name = feature.name[:MOST_NAME_CHARACTERS]
    names = [tuple(words_of(part)) for part in _ways_to_say(name)]
    description = tuple(words_of(feature.description[:MOST_DESCRIPTION_CHARACTERS]))
    return _Read(feature.id, tuple(words for words in dict.fromkeys(names) if words), description)


def _ways_to_say(name: str) -> Sequence[str]:
    """`Single sign-on (SSO)` is called by what stands before the bracket, and by what stands in it."""
    before, opened, rest = name.partition("(")
    inside, closed, after = rest.partition(")")
    if opened and closed and before.strip() and inside.strip():
        return (before + after, inside)
    return (name,)


def _counting(words: Sequence[str]) -> Sequence[str]:
    """The words without stop words; all of them when there are only stop words."""
    return [word for word in words if word not in STOP_WORDS] or words


def _twins(features: Sequence[_Read]) -> frozenset[frozenset[str]]:
    """Sets of words that several names have: there the small words, as in check in and check out, count too."""
    seen = Counter(frozenset(map(fold, _counting(words))) for feature in features for words in feature.names)
    return frozenset(stems for stems, count in seen.items() if count > 1)


def _weights(features: Sequence[_Read]) -> dict[str, float]:
    """1 for a word of one feature, less for one of several, little for one that most have or that is generic."""
    occurs: Counter[str] = Counter()
    for feature in features:
        words = {word for name in feature.names for word in name}.union(feature.description)
        occurs.update({fold(word) for word in words})
    scale = math.log(len(features) + 1)
    weights = {stem: max(COMMON_WEIGHT, 1 - math.log(count) / scale) for stem, count in occurs.items()}
    for stem, count in occurs.items():
        if stem in _STOP_STEMS or (len(features) > 3 and count * 2 > len(features)):
            weights[stem] = COMMON_WEIGHT
        elif stem in _GENERIC_STEMS:
            weights[stem] = min(weights[stem], GENERIC_WEIGHT)
    return weights


def _prepared(feature: _Read, weights: dict[str, float], twins: frozenset[frozenset[str]]) -> PreparedFeature:
    wordings = tuple(_wording(words, weights, twins) for words in feature.names)
    named = {stem for wording in wordings for stem in wording.stems}
    stems = {fold(word) for word in feature.description if word not in STOP_WORDS and word not in GENERIC_WORDS}
    described = {stem: weights[stem] for stem in sorted(stems - named) if len(stem) > 1}
    return PreparedFeature(feature.id, wordings, described)


def _wording(words: Sequence[str], weights: dict[str, float], twins: frozenset[frozenset[str]]) -> Wording:
    counting = _counting(words)
    kinds, small = frozenset(map(fold, counting)), frozenset[str]()
    if kinds in twins or (len(kinds) == 1 and len(words) > 1):
        counting = [word for word in words if word not in _ARTICLES] or words
        small = STOP_WORDS.difference(kinds)
    stems = {fold(word): SMALL_WORD_WEIGHT if word in small else weights[fold(word)] for word in counting}
    initials = "".join(word[0] for word in words) if 3 <= len(words) <= 6 else ""
    is_ambiguous = len(stems) == 1 and (not _AMBIGUOUS_STEMS.isdisjoint(stems) or len(counting[0]) < SPECIFIC_LETTERS)
    return Wording(stems, frozenset(map(singular, counting)), initials, sum(stems.values()), is_ambiguous)


def _joined(words: Sequence[str]) -> Iterable[tuple[str, tuple[str, ...]]]:
    """`darkmode` for a feature called Dark mode."""
    for one, next_one in pairwise(words):
        if one not in STOP_WORDS and next_one not in STOP_WORDS:
            yield fold(one + next_one), (fold(one), fold(next_one))


def _size(features: Sequence[PreparedFeature], words: int) -> int:
    """Measured by walking maps of 1 to 500 features; within a third of it."""
    held = sum(len(_name_stems(feature)) + len(feature.described) for feature in features)
    return 500 + 700 * len(features) + 60 * held + 180 * words
