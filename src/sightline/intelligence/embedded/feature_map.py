"""The features of a product, prepared for many texts: their words, the weight of each, and where it occurs."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from itertools import pairwise
from sys import intern
from typing import Final, NamedTuple
from uuid import UUID

from sightline.intelligence.embedded.vocabulary import STOP_WORDS
from sightline.intelligence.embedded.words import fold, root_of, singular, words_of
from sightline.intelligence.engine import FeatureText

MOST_NAME_CHARACTERS: Final = 1_000
MOST_DESCRIPTION_CHARACTERS: Final = 4_000
_ARTICLES: Final = frozenset({"a", "an", "the", "and"})
_STOP_STEMS: Final = frozenset(map(fold, STOP_WORDS))
COMMON_WEIGHT: Final = 0.15
SMALL_WORD_WEIGHT: Final = 0.75  # for names that need their small words: what song, check out


@dataclass(frozen=True, slots=True, eq=False)  # equal names of a map share one
class Wording:
    """One wording of a feature: the words that count, folded with their weights, and in the singular.

    `telling` has `stems` without small words, or all if there are no others. `initials` are
    empty for less than three or more than six words.
    """

    stems: dict[str, float]
    telling: dict[str, float]
    surfaces: frozenset[str]
    initials: str
    weight: float


@dataclass(frozen=True, slots=True)
class PreparedFeature:
    """A feature prepared for matching. `described` are words of the description that the name does not have."""

    id: UUID
    wordings: tuple[Wording, ...]
    described: tuple[str, ...]

    @property
    def named(self) -> dict[str, float]:
        """The words of all its names."""
        return {stem: weight for wording in self.wordings for stem, weight in wording.stems.items()}


@dataclass(frozen=True, slots=True)
class EmbeddedFeatureMap:
    """All features in their order, and for each word the features with it in the name or the description.

    `named` has for each word its weight in each name: more than in `weights` for a small word that a name needs.

    `beginnings` has the first three letters of each of `words`. `joined` maps compounds to their words: darkmode to
    dark and mode. `roots` maps what related words share to words of names: notif to notification. `crowding` is 0 if no
    two names share a word, and 1 if every word is shared. `sharing` is how many names have the word that most have.

    `weights` has the weight of each word, `lightest` the weight of each feature's lightest name. `initials`
    maps initials of names to features. `shares` remembers for a name that was in a text how much of its weight another
    name has.
    """

    features: tuple[PreparedFeature, ...]
    words: frozenset[str]
    beginnings: frozenset[str]
    named: dict[str, dict[int, float]]
    described: dict[str, tuple[int, ...]]
    joined: dict[str, tuple[str, ...]]
    roots: dict[str, tuple[str, ...]]
    weights: dict[str, float]
    lightest: tuple[float, ...]
    initials: dict[str, tuple[int, ...]]
    crowding: float
    sharing: int
    size: int
    shares: dict[Wording, float] = field(default_factory=dict)


class _Read(NamedTuple):
    id: UUID
    names: tuple[tuple[str, ...], ...]
    described: tuple[str, ...]  # folded, in order, without stop words


def read_features(features: Sequence[FeatureText]) -> EmbeddedFeatureMap:
    """Reads the first 1,000 characters of each name and 4,000 of each description."""
    read = [_read(feature) for feature in features]
    weights, twins = _weights(read), _twins(read)
    wordings = {words: _wording(words, weights, twins) for words in {words for one in read for words in one.names}}
    prepared = tuple(_prepared(feature, wordings) for feature in read)
    named = _named(prepared)
    described = _places(feature.described for feature in prepared)
    roots = _roots({word for feature in read for words in feature.names for word in words if word not in STOP_WORDS})
    known = frozenset(named).union(described)
    return EmbeddedFeatureMap(
        features=prepared,
        words=known,
        beginnings=frozenset(stem[:3] for stem in known),
        named=named,
        described=described,
        joined={one: parts for feature in read for words in feature.names for one, parts in _joined(words)},
        roots=roots,
        weights=weights,
        lightest=tuple(min((one.weight for one in feature.wordings), default=math.inf) for feature in prepared),
        initials=_places({one.initials for one in feature.wordings if one.initials} for feature in prepared),
        crowding=_crowding(prepared, named),
        sharing=max(map(len, named.values()), default=0),
        size=_size(len(prepared), named, described),
    )


def _crowding(features: Sequence[PreparedFeature], named: Mapping[str, Sized]) -> float:
    """Returns the mean share of the weight of a name's words that other names have too."""

    def share(wording: Wording) -> float:
        shared = (weight for stem, weight in wording.telling.items() if len(named[stem]) > 1)
        return sum(shared) / sum(wording.telling.values())

    shares = [max(map(share, one.wordings), default=0.0) for one in features]
    return sum(shares) / len(shares) if shares else 0.0


def _roots(words: Iterable[str]) -> dict[str, tuple[str, ...]]:
    roots: dict[str, set[str]] = {}
    for word in words:
        roots.setdefault(root_of(word), set()).add(fold(word))
    return {root: tuple(sorted(stems)) for root, stems in roots.items() if root}


def _places(stems_of_features: Iterable[Iterable[str]]) -> dict[str, tuple[int, ...]]:
    """Returns the features of each word."""
    places: dict[str, list[int]] = {}
    for number, stems in enumerate(stems_of_features):
        for stem in stems:
            places.setdefault(stem, []).append(number)
    return {stem: tuple(numbers) for stem, numbers in places.items()}


def _named(features: Sequence[PreparedFeature]) -> dict[str, dict[int, float]]:
    """Returns the features of each word of their names, with its weight there; initials weigh nothing."""
    named: dict[str, dict[int, float]] = {}
    for place, feature in enumerate(features):
        for wording in feature.wordings:
            for stem, weight in wording.stems.items():
                named.setdefault(stem, {})[place] = weight
            if wording.initials:
                named.setdefault(wording.initials, {}).setdefault(place, 0.0)
    return named


def _read(feature: FeatureText) -> _Read:
    name = feature.name[:MOST_NAME_CHARACTERS]
    names = [tuple(words_of(part)) for part in _ways_to_say(name)]
    description = words_of(feature.description[:MOST_DESCRIPTION_CHARACTERS])
    # One string for each word of the map: a map of 10,000 features has each of its words many times.
    described = {intern(fold(word)) for word in description if word not in STOP_WORDS}
    return _Read(feature.id, tuple(words for words in dict.fromkeys(names) if words), tuple(sorted(described)))


def _ways_to_say(name: str) -> Sequence[str]:
    """Returns the names of a feature. `Single sign-on (SSO)` has two: the words before the bracket, and those in it."""
    before, opened, rest = name.partition("(")
    inside, closed, after = rest.partition(")")
    if opened and closed and before.strip() and inside.strip():
        return (before + after, inside)
    return (name,)


def _counting(words: Sequence[str]) -> Sequence[str]:
    """Returns the words without stop words; all words if there are only stop words."""
    return [word for word in words if word not in STOP_WORDS] or words


def _twins(features: Sequence[_Read]) -> frozenset[frozenset[str]]:
    """Returns sets of words that several names share. For these small words count too: check in, check out."""
    seen = Counter(frozenset(map(fold, _counting(words))) for feature in features for words in feature.names)
    return frozenset(stems for stems, count in seen.items() if count > 1)


def _weights(features: Sequence[_Read]) -> dict[str, float]:
    """Returns 1 for a word of one feature, less for one of several, little for a stop word or one of most features."""
    occurs: Counter[str] = Counter()
    for feature in features:
        occurs.update({fold(word) for name in feature.names for word in name}.union(feature.described))
    scale = math.log(len(features) + 1)
    weights = {stem: max(COMMON_WEIGHT, 1 - math.log(count) / scale) for stem, count in occurs.items()}
    for stem, count in occurs.items():
        if stem in _STOP_STEMS or (len(features) > 3 and count * 2 > len(features)):
            weights[stem] = COMMON_WEIGHT
    return weights


def _prepared(feature: _Read, by_words: Mapping[tuple[str, ...], Wording]) -> PreparedFeature:
    wordings = tuple(by_words[words] for words in feature.names)
    named = {stem for wording in wordings for stem in wording.stems}
    described = tuple(stem for stem in feature.described if len(stem) > 1 and stem not in named)
    return PreparedFeature(feature.id, wordings, described)


def _wording(words: Sequence[str], weights: dict[str, float], twins: frozenset[frozenset[str]]) -> Wording:
    counting = _counting(words)
    kinds, small = frozenset(map(fold, counting)), frozenset[str]()
    if kinds in twins or (len(kinds) == 1 and len(words) > 1):
        counting = [word for word in words if word not in _ARTICLES] or words
        small = STOP_WORDS.difference(kinds)
    stems = {fold(word): SMALL_WORD_WEIGHT if word in small else weights[fold(word)] for word in counting}
    telling = {fold(word): stems[fold(word)] for word in counting if word not in STOP_WORDS} or stems
    initials = "".join(word[0] for word in words) if 3 <= len(words) <= 6 else ""
    return Wording(stems, telling, frozenset(map(singular, counting)), initials, sum(stems.values()))


def _joined(words: Sequence[str]) -> Iterable[tuple[str, tuple[str, ...]]]:
    """Returns compounds, such as `darkmode` for a feature with the name Dark mode."""
    for one, next_one in pairwise(words):
        if one not in STOP_WORDS and next_one not in STOP_WORDS:
            yield fold(one + next_one), (fold(one), fold(next_one))


def _size(features: int, named: Mapping[str, Sized], described: Mapping[str, Sized]) -> int:
    """Returns the size in bytes, estimated from measurements of 5 to 5,000 features; within a third."""
    in_names, in_descriptions = sum(map(len, named.values())), sum(map(len, described.values()))
    words = len(named) + len(described)
    return 700 + 1_100 * features + 90 * in_names + 16 * in_descriptions + 200 * words
