"""What supports a feature in one sentence, as the signals of the fitted decision."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import inf, log, log1p
from typing import Final, NamedTuple

from sightline.intelligence.embedded.candidates import find_candidates, weigh_others
from sightline.intelligence.embedded.decision import DECISION, Ground
from sightline.intelligence.embedded.feature_map import EmbeddedFeatureMap, PreparedFeature, Wording
from sightline.intelligence.embedded.mentions import Mention
from sightline.intelligence.embedded.sentences import Sentence
from sightline.intelligence.embedded.vocabulary import STOP_WORDS
from sightline.intelligence.embedded.words import singular

LIGHT: Final = 0.3  # the weight of a word that most features of the map have is below
MOST_SUPPORT: Final = 3.0
MOST_CONTENT: Final = 5  # words: longer sentences are not less certain
FARTHEST: Final = 20
NEAR: Final = 8  # words of a name with more other words between them are never clear
FEWEST_DESCRIBED: Final = 3  # words of the description that make a part of a name clear
EVEN: Final = 0.5
FULL: Final = frozenset({"name", "word"})  # grounds with all words of the name
_ROUNDING: Final = 1e-9


class Evidence(NamedTuple):
    """The support for a feature in a sentence.

    `named` and `described` are the folded words of its name and its description there. `weight` is that of the named
    ones. `values` are the signals, in the order of `SIGNALS`; `as_word`, for all words of a name, those of the ground
    `word`, which is fitted to longer names too. `is_initials` when they stand for the name, `has_twin` when another
    feature has the same name.
    """

    ground: Ground
    named: frozenset[str]
    described: frozenset[str]
    weight: float
    values: tuple[float, ...]
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
        return min(found, round(DECISION.clear - 0.01, 2)) if self.is_unclear else found


@dataclass(slots=True)
class _Support:
    """What a sentence has of one feature. `own` are the signals that its words alone give."""

    ground: Ground
    wording: Wording | None
    named: frozenset[str]
    weight: float
    own: tuple[float, ...] = ()
    described: frozenset[str] = frozenset()
    description: float = 0.0
    is_initials: bool = False
    is_unclear: bool = False


def find_evidence(
    sentence: Sentence, mentions: Mapping[str, Mention], features: EmbeddedFeatureMap, *, only_likely: bool = False
) -> Iterator[tuple[int, Evidence]]:
    """Yields the places of features with words in the sentence and the evidence, compared with that for the others.

    With `only_likely` features that cannot become a suggestion may be left out. The evidence for the rest is the same.
    """
    places, others = find_candidates(mentions, features, only_likely=only_likely)
    if not places:
        return
    found = {place: _weigh(features.features[place], mentions) for place in places}
    other_weights, other_groups = weigh_others(others, mentions, features, _least(found)) if others else ([], {})
    groups = _groups(found.values(), other_groups)
    weights = sorted(chain(other_weights, (one.weight for one in found.values() if one.named)))
    content = _content(sentence)
    for place, one in found.items():
        is_outdone = _is_outdone(one, groups)
        has_twin = one.ground in FULL and groups[one.named].full > 1
        values: tuple[float, ...] = (one.description,)
        as_word: tuple[float, ...] = ()
        if one.wording is not None and one.ground in FULL:
            tied = len(weights) - bisect_left(weights, one.weight - _ROUNDING) - 1
            shared = 0.0 if one.described else _shared(place, one.wording, features, has_twin=has_twin)
            as_word = (shared, features.crowding, content)
            values = as_word if one.ground == "word" else _of_name(one, shared, tied, features)
        elif one.ground == "part":
            values = (*one.own, one.description, float(is_outdone))
        evidence = Evidence(
            ground=one.ground,
            named=one.named,
            described=one.described,
            weight=one.weight,
            values=values,
            as_word=as_word,
            is_initials=one.is_initials,
            is_unclear=one.is_unclear or is_outdone,
            has_twin=has_twin,
        )
        yield place, evidence


def _least(found: Mapping[int, _Support]) -> float:
    """Returns from which weight on others change this evidence: that of a name in full, or a word more than any."""
    named = [one for one in found.values() if one.named]
    return min((one.weight if one.ground == "name" else one.weight + LIGHT for one in named), default=inf)


def _of_name(one: _Support, shared: float, tied: int, features: EmbeddedFeatureMap) -> tuple[float, ...]:
    holders = min(len(features.named[stem]) for stem in one.named)
    return (
        *one.own,
        shared,
        float(shared == 1.0),
        log1p(tied),
        log(holders),
        features.crowding,
    )


def _content(sentence: Sentence) -> float:
    return log1p(min(MOST_CONTENT, sum(word not in STOP_WORDS for word in sentence.words)))


def _shared(place: int, wording: Wording, features: EmbeddedFeatureMap, *, has_twin: bool) -> float:
    """Returns the largest share of the weight of a name's words that another feature's name has."""
    if has_twin:
        return 1.0
    weights: dict[int, float] = {}
    for stem, weight in wording.telling.items():
        for other in features.named[stem]:
            weights[other] = weights.get(other, 0.0) + weight
    whole = weights.pop(place)
    return max(weights.values(), default=0.0) / whole


def _weigh(feature: PreparedFeature, mentions: Mapping[str, Mention]) -> _Support:
    """Returns the support of the best wording: one with all its words, else that with the heaviest ones."""
    best: _Support | None = None
    for wording in feature.wordings:
        one = _weigh_wording(wording, mentions)
        if one is not None and (best is None or _rank(one) > _rank(best)):
            best = one
    described = frozenset(feature.described.keys() & mentions.keys())
    if best is None:
        is_unclear = len(described) < FEWEST_DESCRIBED or _is_contrast(described, mentions)
        best = _Support("description", None, frozenset(), 0.0, is_unclear=is_unclear)
    else:
        is_bare = best.ground == "part" and len(described) < FEWEST_DESCRIBED
        best.is_unclear = is_bare or _is_contrast(best.named, mentions) or (best.is_unclear and not described)
    if described:
        # Summed in the order of the feature, so that rounding is the same in every process.
        support = sum([weight for stem, weight in feature.described.items() if stem in described])
        best.described, best.description = described, min(support, MOST_SUPPORT)
    return best


def _rank(one: _Support) -> tuple[bool, float]:
    return one.ground in FULL, one.weight


def _is_contrast(stems: Iterable[str], mentions: Mapping[str, Mention]) -> bool:
    return any(mentions[stem].is_contrast for stem in stems)


def _weigh_wording(wording: Wording, mentions: Mapping[str, Mention]) -> _Support | None:
    initials = mentions.get(wording.initials)
    if initials and initials.is_shouted:
        own = (wording.weight, 0.0, 0.0, 0.0)
        return _Support("name", wording, frozenset({wording.initials}), wording.weight, own, is_initials=True)
    named = wording.stems.keys() & mentions.keys()
    if not named:
        return None
    stems = [stem for stem in wording.stems if stem in named]
    if len(stems) < len(wording.stems):
        weights = [wording.stems[stem] for stem in stems]
        return _Support("part", wording, frozenset(stems), sum(weights), (max(weights),))
    said = [mentions[stem] for stem in stems]
    return _one_word(wording, said[0]) if len(said) == 1 else _all_words(wording, said)


def _one_word(wording: Wording, mention: Mention) -> _Support:
    """Weighs a name of one word. As a verb, or in most features of the map, it needs words of the description."""
    is_past = mention.word.endswith("ed") and singular(mention.word) not in wording.surfaces
    is_unclear = wording.weight < LIGHT or mention.is_verb or is_past
    return _Support("word", wording, frozenset(wording.stems), wording.weight, is_unclear=is_unclear)


def _all_words(wording: Wording, said: Sequence[Mention]) -> _Support:
    between = _narrowest([mention.places for mention in said])
    other_forms = sum(singular(one.word) not in wording.surfaces for one in said) / len(said)
    telling = sum(weight > LIGHT for weight in wording.stems.values())
    own = (wording.weight, log1p(min(between, FARTHEST)), other_forms, float(telling < 2))
    return _Support("name", wording, frozenset(wording.stems), wording.weight, own, is_unclear=between > NEAR)


class _Group(NamedTuple):
    """The features of which a sentence has the same words: how many are there in full, and the greatest weight."""

    full: int
    weight: float


def _groups(found: Iterable[_Support], others: Mapping[frozenset[str], float]) -> dict[frozenset[str], _Group]:
    groups = {named: _Group(0, weight) for named, weight in others.items()}
    for one in found:
        before = groups.get(one.named, _Group(0, 0.0))
        full = before.full + (one.ground in FULL)
        groups[one.named] = _Group(full, max(before.weight, one.weight))
    return groups


def _is_outdone(one: _Support, groups: Mapping[frozenset[str], _Group]) -> bool:
    """Whether the sentence has these words, and more, of another feature's name."""
    if not one.named:
        return False
    return any(one.named < named and other.weight - one.weight >= LIGHT for named, other in groups.items())


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
