"""Features made ready for many texts: their words, what each word weighs, and where it occurs."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sightline.intelligence.embedded.vocabulary import GENERIC_WORDS, STOP_WORDS
from sightline.intelligence.embedded.words import fold, words_of
from sightline.intelligence.engine import FeatureText

MOST_NAME_CHARACTERS: Final = 1_000
MOST_DESCRIPTION_CHARACTERS: Final = 4_000
GENERIC_WEIGHT: Final = 0.25
COMMON_WEIGHT: Final = 0.15


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to call a feature: its words that count, folded, and their weight together."""

    stems: dict[str, float]
    surfaces: frozenset[str]
    initials: str
    weight: float


@dataclass(frozen=True, slots=True)
class PreparedFeature:
    """A feature as matching reads it. `described` are words of the description that the name does not have."""

    id: UUID
    wordings: tuple[Wording, ...]
    described: dict[str, float]


@dataclass(frozen=True, slots=True)
class EmbeddedFeatureMap:
    """All features in their order. `places` tells which of them have a word; `joined` splits darkmode."""

    features: tuple[PreparedFeature, ...]
    places: dict[str, tuple[int, ...]]
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
    weights = _weights(read)
    prepared = tuple(_prepared(feature, weights) for feature in read)
    places: dict[str, list[int]] = {}
    for number, feature in enumerate(prepared):
        for stem in _stems_of(feature):
            places.setdefault(stem, []).append(number)
    joined = dict(pair for feature in read for words in feature.names for pair in _joined(words))
    held = {stem: tuple(numbers) for stem, numbers in places.items()}
    return EmbeddedFeatureMap(prepared, held, joined, _size(prepared, held))


def _read(feature: FeatureText) -> _Read:
    name = feature.name[:MOST_NAME_CHARACTERS]
    names = [tuple(words_of(part)) for part in _ways_to_say(name)]
    description = tuple(words_of(feature.description[:MOST_DESCRIPTION_CHARACTERS]))
    return _Read(feature.id, tuple(words for words in dict.fromkeys(names) if words), description)


def _ways_to_say(name: str) -> Iterable[str]:
    """`Single sign-on (SSO)` is called by what stands before the bracket, and by what stands in it."""
    before, opened, rest = name.partition("(")
    inside, closed, after = rest.partition(")")
    if opened and closed and before.strip() and inside.strip():
        return (before + after, inside)
    return (name,)


def counting_words(words: Iterable[str]) -> list[str]:
    """The words without stop words; all of them when there are only stop words."""
    words = list(words)
    return [word for word in words if word not in STOP_WORDS] or words


def _weights(features: Sequence[_Read]) -> dict[str, float]:
    """1 for a word of one feature, less for one of several, little for one that most have or that is generic."""
    occurs: Counter[str] = Counter()
    generic = {fold(word) for word in GENERIC_WORDS}
    for feature in features:
        words = {word for name in feature.names for word in name}.union(feature.description)
        occurs.update({fold(word) for word in words})
    scale = math.log(len(features) + 1)
    weights: dict[str, float] = {}
    for stem, count in occurs.items():
        weight = max(COMMON_WEIGHT, 1 - math.log(count) / scale)
        if len(features) > 3 and count * 2 > len(features):
            weight = COMMON_WEIGHT
        weights[stem] = min(weight, GENERIC_WEIGHT) if stem in generic else weight
    return weights


def _prepared(feature: _Read, weights: dict[str, float]) -> PreparedFeature:
    wordings = tuple(_wording(words, weights) for words in feature.names)
    named = {stem for wording in wordings for stem in wording.stems}
    stems = {fold(word) for word in feature.description if word not in STOP_WORDS and word not in GENERIC_WORDS}
    described = {stem: weights[stem] for stem in sorted(stems - named) if len(stem) > 1}
    return PreparedFeature(feature.id, wordings, described)


def _wording(words: Sequence[str], weights: dict[str, float]) -> Wording:
    counting = counting_words(words)
    stems = {stem: weights[stem] for stem in map(fold, counting)}
    initials = "".join(word[0] for word in words) if 3 <= len(words) <= 6 else ""
    return Wording(stems, frozenset(counting), initials, sum(stems.values()))


def _stems_of(feature: PreparedFeature) -> dict[str, None]:
    stems = dict.fromkeys(stem for wording in feature.wordings for stem in wording.stems)
    stems.update(dict.fromkeys(wording.initials for wording in feature.wordings if wording.initials))
    stems.update(dict.fromkeys(feature.described))
    return stems


def _joined(words: Sequence[str]) -> Iterable[tuple[str, tuple[str, ...]]]:
    """`darkmode` for a feature called Dark mode."""
    for one, next_one in zip(words, words[1:], strict=False):
        if one not in STOP_WORDS and next_one not in STOP_WORDS:
            yield fold(one + next_one), (fold(one), fold(next_one))


def _size(features: Sequence[PreparedFeature], places: dict[str, tuple[int, ...]]) -> int:
    words = sum(len(_stems_of(feature)) for feature in features)
    return 500 + 700 * len(features) + 60 * words + 180 * len(places)
