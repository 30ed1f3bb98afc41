"""The features that are weighed for a sentence: all with words in it, or those that can become a suggestion."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain
from typing import Final, NamedTuple

from sightline.intelligence.embedded.decision import DECISION
from sightline.intelligence.embedded.feature_map import EmbeddedFeatureMap

FEWEST_ALONE: Final = 3  # fewer words of a description alone are not a suggestion
FEW: Final = 24  # so few are weighed in less time than it takes to choose among them
_ROUNDING: Final = 1e-8  # more than sums in another order differ by

Holders = Mapping[str, Sequence[int]]


class Candidates(NamedTuple):
    """The places of features to weigh, in order, and of others with words of their name in the sentence: how many."""

    places: list[int]
    others: Mapping[int, int]


def find_candidates(mentions: Iterable[str], features: EmbeddedFeatureMap, *, only_likely: bool) -> Candidates:
    """Returns the features with a word of their name, or enough words of their description, in the sentence.

    With `only_likely` those that cannot become a suggestion may be among the others. In a large map most are.
    """
    named = _holders(mentions, features.named)
    described = _holders(mentions, features.described)
    if only_likely and len(features.features) > FEW and _count(named) + _count(described) > FEW:
        return _likely(named, described, features)
    places = set(chain.from_iterable(named.values()))
    if len(described) >= FEWEST_ALONE:
        counts = Counter(chain.from_iterable(described.values()))
        places.update(place for place, count in counts.items() if count >= FEWEST_ALONE)
    return Candidates(sorted(places), {})


def weigh_others(
    others: Mapping[int, int], mentions: Iterable[str], features: EmbeddedFeatureMap, least: float
) -> tuple[list[float], dict[frozenset[str], float]]:
    """Returns what the words of the others' names in the sentence weigh, all that weigh `least` and some with less.

    The second result is by the set of words, of sets of two and more: the greatest weight.
    """
    weights: list[float] = []
    groups: dict[frozenset[str], float] = {}
    named = _holders(mentions, features.named)
    fewest = _fewest(least, _most(features.weights.get(stem, 0.0) for stem in named))
    if fewest < 2:
        single = {place for place, count in others.items() if count == 1}
        for stem, held in named.items():
            if (weight := features.weights.get(stem, 0.0)) >= least - _ROUNDING:
                weights += [weight] * len(single.intersection(held))
    for place, count in others.items():
        if count > 1 and count >= fewest:
            stems = features.features[place].wordings[0].stems
            group = frozenset(stems.keys() & named.keys())
            # Summed in the order of the name, so that rounding is the same as for features that are weighed.
            weight = sum([weight for stem, weight in stems.items() if stem in group])
            weights.append(weight)
            groups[group] = max(groups.get(group, 0.0), weight)
    return weights, groups


def _holders(mentions: Iterable[str], places: Holders) -> Holders:
    return {stem: places[stem] for stem in mentions if stem in places}


def _count(holders: Holders) -> int:
    return sum(map(len, holders.values()))


def _likely(named: Holders, described: Holders, features: EmbeddedFeatureMap) -> Candidates:
    """Returns those with all words of their name, or with enough words of their description for a part of it."""
    counts = Counter(chain.from_iterable(named.values()))
    places = {place for place, count in counts.items() if count >= features.lengths[place]}
    places.update(place for stem in named for place in features.initials.get(stem, ()))
    places.update(_well_described(named, described, features.weights))
    others = {place: count for place, count in counts.items() if place not in places} if places else {}
    return Candidates(sorted(places), others)


def _well_described(named: Holders, described: Holders, weights: Mapping[str, float]) -> set[int]:
    """Returns features with enough words of the description: fewer where a rare word of the name is there too."""
    most = _most(weights[stem] for stem in described)
    alone = max(FEWEST_ALONE, _fewest(DECISION.least_description(), most))
    fewest = {stem: _fewest(DECISION.least_description(weights.get(stem, 0.0)), most) for stem in named}
    if min(chain([alone], fewest.values())) > len(described):
        return set()
    counts = Counter(chain.from_iterable(described.values()))
    found = {place for place, count in counts.items() if count >= alone}
    for stem, held in named.items():
        if fewest[stem] <= len(described):
            found.update(place for place in held if counts.get(place, 0) >= fewest[stem])
    return found


def _most(weights: Iterable[float]) -> list[float]:
    """Returns what no word, one word, two words and so on weigh at most."""
    return list(accumulate(sorted(weights, reverse=True), initial=0.0))


def _fewest(weight: float, most: Sequence[float]) -> int:
    """Returns how many words it takes to weigh so much; more than there are if all together weigh less."""
    return bisect_left(most, weight - _ROUNDING)
