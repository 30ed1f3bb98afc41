"""Which features have their whole name in one sentence, as the signals of the fitted decision."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import log, log1p
from typing import Final, NamedTuple

from sightline.intelligence.embedded.decision import DECISION, Ground
from sightline.intelligence.embedded.feature_map import EmbeddedFeatureMap, Wording
from sightline.intelligence.embedded.mentions import Mention
from sightline.intelligence.embedded.sentences import Sentence
from sightline.intelligence.embedded.vocabulary import STOP_WORDS
from sightline.intelligence.embedded.words import singular

LIGHT: Final = 0.3  # the weight of a word that most features of the map have is below
MOST_CONTENT: Final = 5  # words: longer sentences are not less certain
FARTHEST: Final = 20
NEAR: Final = 8  # words of a name with more other words between them are never clear
EVEN: Final = 0.5
MOST_COMPARED: Final = 8  # words of a name, the heaviest, that are looked for in other names: each may double the time
_ROUNDING: Final = 1e-9


class Evidence(NamedTuple):
    """A feature whose name is in a sentence in full.

    `named` and `described` are the folded words of its name and its description there. `weight` is the weight of
    `named`. `values` are the signals, in the file's order, at first those that the words alone give; `as_word`
    has the signals of the ground `word`, which is fitted to longer names too.
    `is_initials` when they stand for the name, `has_twin` when another feature has the same name.
    """

    ground: Ground
    wording: Wording
    named: frozenset[str]
    weight: float
    values: tuple[float, ...] = ()
    described: frozenset[str] = frozenset()
    as_word: tuple[float, ...] = ()
    is_initials: bool = False
    is_unclear: bool = False
    has_twin: bool = False

    @property
    def confidence(self) -> float:
        """The probability; for what is never clear, at most just below that; for one of two with this name, a half."""
        if self.has_twin:
            return EVEN
        found = DECISION.probability(self.ground, self.values)
        return DECISION.below_clear(found) if self.is_unclear else found


def find_names(
    sentence: Sentence, mentions: Mapping[str, Mention], features: EmbeddedFeatureMap
) -> Iterator[tuple[int, Evidence]]:
    """Yields the places of features whose whole name is in the sentence, in order, each with its evidence."""
    weights = _weights(mentions, features)
    places = {place for place, weight in weights.items() if weight >= features.lightest[place] - _ROUNDING}
    for stem in features.initials.keys() & mentions.keys():
        places.update(features.initials[stem])
    names = {place: features.features[place].wordings for place in sorted(places)}
    read = {wordings: _read(wordings, mentions) for wordings in set(names.values())}
    found = {place: name for place, wordings in names.items() if (name := read[wordings])}
    if not found:
        return
    ranked = sorted(weights.values())
    same = Counter(name.named for name in found.values())
    holders = _Holders([name for name in found.values() if same[name.named] == 1], weights, features)
    content = log1p(min(MOST_CONTENT, sum(word not in STOP_WORDS for word in sentence.words)))
    judged: dict[tuple[tuple[Wording, ...], frozenset[str]], Evidence] = {}  # equal for features with equal names
    for place, name in found.items():
        described = frozenset(mentions.keys() & features.features[place].described)
        if (names[place], described) not in judged:
            has_twin = same[name.named] > 1
            shared = 0.0 if described else 1.0 if has_twin else holders.share(place, name.wording)
            least = name.weight - _ROUNDING
            tied = len(ranked) - bisect_left(ranked, least) - (weights[place] >= least)
            values: tuple[float, ...] = (shared, features.crowding, content)
            as_word = values
            if name.ground == "name":
                rarest = min(len(features.named[stem]) for stem in name.named)
                values = (*name.values, shared, float(shared == 1.0), log1p(tied), log(rarest), features.crowding)
            is_doubtful = name.is_unclear and not described
            is_contrast = any(mentions[stem].is_contrast for stem in name.named)
            judged[names[place], described] = name._replace(
                described=described,
                values=values,
                as_word=as_word,
                is_unclear=has_twin or is_doubtful or is_contrast or holders.have_more(place, name),
                has_twin=has_twin,
            )
        yield place, judged[names[place], described]


def _weights(mentions: Iterable[str], features: EmbeddedFeatureMap) -> dict[int, float]:
    """Returns for each feature what the words of its name in the sentence weigh."""
    weights: dict[int, float] = {}
    for stem in mentions:
        for place, weight in features.named.get(stem, {}).items():
            weights[place] = weights.get(place, 0.0) + weight
    return weights


class _Holders:
    """The features that share words with names, one bit of an integer each, so that many are compared at once.

    The highest bit is of the feature whose words in the sentence weigh most.
    """

    def __init__(self, names: Iterable[Evidence], weights: Mapping[int, float], features: EmbeddedFeatureMap) -> None:
        self._shares = features.shares
        stems = {stem for one in names for stem in (*one.named, *one.wording.telling) if len(features.named[stem]) > 1}
        places = set[int]().union(*(features.named[stem] for stem in stems))
        self._ranked = sorted((weights.get(place, 0.0), place) for place in places)
        self._bit = {place: 1 << at for at, (_, place) in enumerate(self._ranked)}
        self._of = {stem: sum(map(self._bit.__getitem__, features.named[stem])) for stem in stems}

    def have_more(self, place: int, name: Evidence) -> bool:
        """Whether the sentence has these words, and more, of another feature's name."""
        others = ~self._bit.get(place, 0)
        for stem in name.named:
            others &= self._of.get(stem, 0)
        return others > 0 and self._ranked[others.bit_length() - 1][0] - name.weight >= LIGHT

    def share(self, place: int, wording: Wording) -> float:
        """Returns the largest share of the weight of a name's heaviest eight words that another feature's name has."""
        if wording not in self._shares:
            heaviest = sorted(wording.telling.items(), key=lambda word: -word[1])[:MOST_COMPARED]
            words = [(weight, self._of.get(stem, 0)) for stem, weight in heaviest]
            # Added as `_heaviest` adds, so that a name with all words has exactly 1; `sum` may round otherwise.
            *_, whole = accumulate(weight for weight, _ in words)
            self._shares[wording] = _heaviest(words, ~self._bit.get(place, 0), 0.0, whole, 0.0) / whole
        return self._shares[wording]


def _heaviest(words: Sequence[tuple[float, int]], group: int, weight: float, rest: float, least: float) -> float:
    """Returns the largest weight of a feature of the group, at least `least`: `weight` and its words of `words`.

    `words` are weights, `rest` in sum, each with the features that have the word. A group is left as soon as all the
    words that follow could not bring it to `least`.
    """
    if not group or weight + rest < least - _ROUNDING:
        return least
    if not words:
        return max(least, weight)
    (more, holders), *others = words
    least = _heaviest(others, group & holders, weight + more, rest - more, least)
    return _heaviest(others, group & ~holders, weight, rest - more, least)


def _read(wordings: Iterable[Wording], mentions: Mapping[str, Mention]) -> Evidence | None:
    """Returns the heaviest of a feature's names that are there in full."""
    found = [name for wording in wordings if (name := _read_wording(wording, mentions))]
    return max(found, key=lambda name: name.weight, default=None)


def _read_wording(wording: Wording, mentions: Mapping[str, Mention]) -> Evidence | None:
    initials = mentions.get(wording.initials)
    if initials and initials.is_shouted:
        own = (wording.weight, 0.0, 0.0, 0.0)
        return Evidence("name", wording, frozenset({wording.initials}), wording.weight, own, is_initials=True)
    if not wording.stems.keys() <= mentions.keys():
        return None
    said, named = [mentions[stem] for stem in wording.stems], frozenset(wording.stems)
    if len(said) == 1:  # as a verb, or in most features of the map, one word needs words of the description
        is_past = said[0].word.endswith("ed") and singular(said[0].word) not in wording.surfaces
        is_unclear = wording.weight < LIGHT or said[0].is_verb or is_past
        return Evidence("word", wording, named, wording.weight, is_unclear=is_unclear)
    between = _narrowest([mention.places for mention in said])
    other_forms = sum(singular(one.word) not in wording.surfaces for one in said) / len(said)
    telling = sum(weight > LIGHT for weight in wording.stems.values())
    own = (wording.weight, log1p(min(between, FARTHEST)), other_forms, float(telling < 2))
    return Evidence("name", wording, named, wording.weight, own, is_unclear=between > NEAR)


def _narrowest(places: Sequence[Sequence[int]]) -> int:
    """Returns how many other words the shortest span with all of them has."""
    heads = [0] * len(places)
    narrowest = 1_000
    while True:
        now = [place[head] for place, head in zip(places, heads, strict=True)]
        lowest = min(range(len(now)), key=now.__getitem__)
        narrowest = min(narrowest, max(now) - now[lowest] + 1 - len(set(now)))
        heads[lowest] += 1
        if heads[lowest] == len(places[lowest]):
            return narrowest
