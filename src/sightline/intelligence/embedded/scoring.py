"""What supports a feature in one sentence, as the signals of the fitted decision."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import log, log1p
from typing import Final, NamedTuple

from sightline.intelligence.embedded.decision import CLEAR, Ground, probability
from sightline.intelligence.embedded.feature_map import EmbeddedFeatureMap, PreparedFeature, Wording
from sightline.intelligence.embedded.mentions import Mention
from sightline.intelligence.embedded.words import singular

LIGHT: Final = 0.3  # the weight of a word that most features of the map have is below
MOST_SUPPORT: Final = 3.0
FARTHEST: Final = 20
NEAR: Final = 8  # words of a name with more other words between them are never clear
FEWEST_ALONE: Final = 3  # fewer words of a description alone are not a suggestion
FEWEST_DESCRIBED: Final = 3  # words of the description that make a part of a name clear
EVEN: Final = 0.5
UNCLEAR: Final = round(CLEAR - 0.01, 2)
FULL: Final = frozenset({"name", "word"})  # grounds with all words of the name


class Evidence(NamedTuple):
    """The support for a feature in a sentence.

    `named` and `described` are the folded words of its name and its description there. `weight` is that of the named
    ones. `values` are the signals, in the order of `SIGNALS`. `is_initials` when they stand for the name, `is_shared`
    when another feature has the same name.
    """

    ground: Ground
    named: frozenset[str]
    described: frozenset[str]
    weight: float
    values: tuple[float, ...]
    is_initials: bool = False
    is_unclear: bool = False
    is_shared: bool = False

    @property
    def confidence(self) -> float:
        """The probability; for what is never clear, at most just below that; for one of two with this name, a half."""
        if self.is_shared:
            return EVEN
        found = probability(self.ground, self.values)
        return min(found, UNCLEAR) if self.is_unclear else found


def find_evidence(mentions: Mapping[str, Mention], features: EmbeddedFeatureMap) -> Iterator[tuple[int, Evidence]]:
    """Yields the places of features with words in the sentence and the evidence, compared with that for the others."""
    found = {place: _weigh(features.features[place], mentions) for place in _candidates(mentions, features)}
    groups = _groups(found.values())
    weights = sorted((one.weight for one in found.values()), reverse=True)[:2]
    for place, one in found.items():
        is_outdone = _is_outdone(one, groups)
        if one.ground in FULL:
            values = (*one.values, float(is_outdone), float(_is_contained(place, one, features)))
        else:
            rival = weights[0] if one.weight < weights[0] else (weights[1] if len(weights) > 1 else 0.0)
            values = (*one.values, one.weight - rival)
            values = (*values, float(is_outdone)) if one.named else values
        yield (
            place,
            one._replace(values=values, is_unclear=one.is_unclear or is_outdone, is_shared=_is_shared(one, groups)),
        )


def _candidates(mentions: Iterable[str], features: EmbeddedFeatureMap) -> list[int]:
    """Returns the features with a word of their name, or enough words of their description, in the sentence."""
    named = {place for stem in mentions for place in features.named.get(stem, ())}
    described = [features.described[stem] for stem in mentions if stem in features.described]
    if len(described) >= FEWEST_ALONE:
        counts = Counter(chain.from_iterable(described))
        named.update(place for place, count in counts.items() if count >= FEWEST_ALONE)
    return sorted(named)


def _weigh(feature: PreparedFeature, mentions: Mapping[str, Mention]) -> Evidence:
    """Returns the evidence for the best wording: one with all its words, else that with the heaviest ones."""
    described = frozenset(feature.described.keys() & mentions.keys())
    # Summed in the order of the feature, so that rounding is the same in every process.
    support = sum(weight for stem, weight in feature.described.items() if stem in described) if described else 0.0
    support = min(support, MOST_SUPPORT)
    best: Evidence | None = None
    for wording in feature.wordings:
        one = _weigh_wording(wording, mentions)
        if one is not None and (best is None or _rank(one) > _rank(best)):
            best = one
    if best is None:
        values = (support, log1p(len(described)))
        is_unclear = len(described) < FEWEST_DESCRIBED or _is_contrast(described, mentions)
        return Evidence("description", frozenset(), described, 0.0, values, is_unclear=is_unclear)
    is_bare = best.ground == "part" and len(described) < FEWEST_DESCRIBED
    is_unclear = is_bare or _is_contrast(best.named, mentions) or (best.is_unclear and not described)
    return best._replace(described=described, values=(*best.values, support), is_unclear=is_unclear)


def _rank(one: Evidence) -> tuple[bool, float]:
    return one.ground in FULL, one.weight


def _is_contrast(stems: Iterable[str], mentions: Mapping[str, Mention]) -> bool:
    return any(mentions[stem].is_contrast for stem in stems)


def _weigh_wording(wording: Wording, mentions: Mapping[str, Mention]) -> Evidence | None:
    initials = mentions.get(wording.initials)
    if initials and initials.is_shouted:
        values = (wording.weight, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
        return Evidence("name", frozenset({wording.initials}), frozenset(), wording.weight, values, is_initials=True)
    named = wording.stems.keys() & mentions.keys()
    if not named:
        return None
    stems = [stem for stem in wording.stems if stem in named]
    said = [mentions[stem] for stem in stems]
    forms = (
        sum(singular(one.word) not in wording.surfaces for one in said) / len(said),
        sum(one.is_loose for one in said) / len(said),
        sum(one.is_named for one in said) / len(said),
    )
    if len(said) < len(wording.stems):
        return _part(wording, stems, forms)
    return _one_word(wording, stems[0], said[0], forms) if len(said) == 1 else _all_words(wording, said, forms)


def _part(wording: Wording, stems: Sequence[str], forms: tuple[float, float, float]) -> Evidence:
    weight = sum(wording.stems[stem] for stem in stems)
    rarest = max(wording.stems[stem] for stem in stems)
    values = (weight / wording.weight, rarest, log(len(wording.stems)), *forms)
    return Evidence("part", frozenset(stems), frozenset(), weight, values)


def _one_word(wording: Wording, stem: str, mention: Mention, forms: tuple[float, float, float]) -> Evidence:
    """Weighs a name of one word. As a verb, or in most features of the map, it needs words of the description."""
    is_past = bool(forms[0]) and mention.word.endswith("ed")
    values = (wording.weight, float(mention.is_verb), forms[0], float(is_past), *forms[1:])
    is_unclear = wording.weight < LIGHT or mention.is_verb or is_past
    return Evidence("word", frozenset({stem}), frozenset(), wording.weight, values, is_unclear=is_unclear)


def _all_words(wording: Wording, said: Sequence[Mention], forms: tuple[float, float, float]) -> Evidence:
    between, is_in_order = _narrowest([mention.places for mention in said])
    telling = sum(weight > LIGHT for weight in wording.stems.values())
    apart = log1p(min(between, FARTHEST))
    values = (wording.weight, apart, float(not is_in_order), *forms, float(telling < 2))
    is_far = between > NEAR
    return Evidence("name", frozenset(wording.stems), frozenset(), wording.weight, values, is_unclear=is_far)


class _Group(NamedTuple):
    """The features of which a sentence has the same words: how many are there in full, and the greatest weight."""

    full: int
    weight: float


def _groups(found: Iterable[Evidence]) -> dict[frozenset[str], _Group]:
    groups: dict[frozenset[str], _Group] = {}
    for one in found:
        before = groups.get(one.named, _Group(0, 0.0))
        full = before.full + (one.ground in FULL)
        groups[one.named] = _Group(full, max(before.weight, one.weight))
    return groups


def _is_outdone(one: Evidence, groups: Mapping[frozenset[str], _Group]) -> bool:
    """Whether the sentence has these words, and more, of another feature's name."""
    if not one.named:
        return False
    return any(one.named < named and other.weight - one.weight >= LIGHT for named, other in groups.items())


def _is_shared(one: Evidence, groups: Mapping[frozenset[str], _Group]) -> bool:
    """Whether another feature has the same name."""
    return one.ground in FULL and groups[one.named].full > 1


def _is_contained(place: int, one: Evidence, features: EmbeddedFeatureMap) -> bool:
    """Whether the name of another feature has all of these words, and no word of the description decides."""
    if one.described:
        return False
    holders = sorted((features.named.get(stem, ()) for stem in one.named), key=len)
    return any(other != place and all(other in held for held in holders[1:]) for other in holders[0])


def _narrowest(places: Sequence[Sequence[int]]) -> tuple[int, bool]:
    """Returns how many other words the shortest span with all of them has, and whether they are in order."""
    heads = [0] * len(places)
    narrowest, is_in_order = 1_000, False
    while True:
        now = [place[head] for place, head in zip(places, heads, strict=True)]
        lowest = min(range(len(now)), key=now.__getitem__)
        between = max(now) - now[lowest] + 1 - len(set(now))
        if between < narrowest:
            narrowest, is_in_order = between, now == sorted(now)
        heads[lowest] += 1
        if heads[lowest] == len(places[lowest]):
            return narrowest, is_in_order
