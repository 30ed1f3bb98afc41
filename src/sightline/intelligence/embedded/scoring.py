"""How sure it is that one sentence speaks of one feature."""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from sightline.intelligence.embedded.feature_map import PreparedFeature, Wording
from sightline.intelligence.embedded.mentions import Mention
from sightline.intelligence.embedded.words import singular

CLEAR: Final = 0.8
UNCERTAIN: Final = 0.3
LIGHT: Final = 0.3
ENOUGH_WEIGHT: Final = 0.9
ENOUGH_SHARE: Final = 0.5
DENSE_SUPPORT: Final = 2.0
SOME_SUPPORT: Final = 0.5
ENOUGH_SUPPORT: Final = 3.0
MOST_IN_CONTRAST: Final = 0.6

Ground = Literal["name", "initials", "part of the name", "description"]


class Weighed(NamedTuple):
    """What speaks for a feature: the folded words of its name and of its description, on which ground, how sure."""

    confidence: float
    ground: Ground
    named: frozenset[str]
    described: frozenset[str]


def weigh(feature: PreparedFeature, mentions: Mapping[str, Mention]) -> Weighed:
    """Weighs every way to call the feature and takes the surest. From 0.8 on it is clear, below 0.3 nothing."""
    described = frozenset(feature.described.keys() & mentions.keys())
    # Summed in the order of the feature, so that rounding is the same in every process.
    weight = sum(weight for stem, weight in feature.described.items() if stem in described) if described else 0
    support = min(weight, ENOUGH_SUPPORT)
    best = Weighed(0.12 * support, "description", frozenset(), described)
    for wording in feature.wordings:
        found = _weigh_wording(wording, described, support, mentions)
        if found.confidence > best.confidence:
            best = found
    is_contrast = any(mentions[stem].is_contrast for stem in best.named or best.described)
    return best._replace(confidence=round(min(best.confidence, MOST_IN_CONTRAST if is_contrast else 1), 2))


def _weigh_wording(
    wording: Wording, described: frozenset[str], support: float, mentions: Mapping[str, Mention]
) -> Weighed:
    initials = mentions.get(wording.initials)
    if initials and initials.is_shouted:
        return Weighed(0.85, "initials", frozenset({wording.initials}), described)
    named = frozenset(wording.stems.keys() & mentions.keys())
    if len(named) < len(wording.stems):
        share = sum(weight for stem, weight in wording.stems.items() if stem in named) / wording.weight
        return Weighed(_of_a_part(share, len(named), support), "part of the name", named, described)
    sure = _of_one_word(wording, support, mentions) if len(named) == 1 else _of_all_words(wording, support, mentions)
    return Weighed(sure, "name", named, described)


def _of_a_part(share: float, words: int, support: float) -> float:
    if words == 0:
        return 0.0
    if share >= ENOUGH_SHARE and support >= DENSE_SUPPORT:
        return CLEAR + 0.02 * support * share
    return min(0.3 * share + 0.12 * support + 0.05 * words, CLEAR - 0.01)


def _of_one_word(wording: Wording, support: float, mentions: Mapping[str, Mention]) -> float:
    """A word of many meanings needs company from the description, and so does another form of the word."""
    (stem,) = wording.stems
    mention = mentions[stem]
    is_same_form = singular(mention.word) in wording.surfaces
    if wording.weight < LIGHT:
        return 0.5
    if is_same_form:
        clear = support >= SOME_SUPPORT or not wording.is_ambiguous or mention.is_named
    else:
        clear = support >= (SOME_SUPPORT if mention.word.endswith("ing") else 1.2)
    is_other_meaning = wording.is_ambiguous and not is_same_form and mention.word.endswith("ed")
    unclear = 0.2 if is_other_meaning else 0.5
    return (0.82 if clear else unclear) + 0.04 * support


def _of_all_words(wording: Wording, support: float, mentions: Mapping[str, Mention]) -> float:
    """All words of a name are clear where they stand close together, at least two of them say something."""
    between, is_in_order = _narrowest([mentions[stem].places for stem in wording.stems])
    telling = sum(weight > LIGHT for weight in wording.stems.values())
    if wording.weight < ENOUGH_WEIGHT or (telling < 2 and not is_in_order and support < SOME_SUPPORT):
        return 0.6 + 0.04 * support
    if between <= 1:
        return 0.88 + 0.03 * support
    if between <= 1 + len(wording.stems):
        return (0.8 if support >= SOME_SUPPORT or len(wording.stems) > 2 else 0.75) + 0.03 * support
    return 0.6 + 0.04 * support


def _narrowest(places: list[list[int]]) -> tuple[int, bool]:
    """The narrowest part of the sentence with one of each: how many other words are in it, and if in order."""
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
