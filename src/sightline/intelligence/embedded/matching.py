"""Which features a text speaks of: the words of a feature's name and description, found in one sentence."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sightline.intelligence.embedded.feature_map import EmbeddedFeatureMap, PreparedFeature, Wording
from sightline.intelligence.embedded.mentions import Mention, read_mentions
from sightline.intelligence.embedded.sentences import split_sentences
from sightline.intelligence.engine import FeatureMatch, Matching

CLEAR: Final = 0.8
UNCERTAIN: Final = 0.35
MOST_MATCHES: Final = 8
MOST_SUGGESTIONS: Final = 8


@dataclass(frozen=True, slots=True)
class Found:
    """A feature found in a sentence: the folded words of its name, those of its description, how sure."""

    place: int
    sentence: int
    named: frozenset[str]
    described: frozenset[str]
    confidence: float


def match_features(text: str, features: EmbeddedFeatureMap) -> Matching:
    """Finds features in the first 200 sentences within the first 40,000 characters; at most 8 and 8.

    A match is clear when one sentence has the name's wording, or most of it with several words of the
    description. A mention that is denied ("we do not need") does not count, one that is only compared with
    ("instead of") is never clear. The best come first, equals in the order of the features.
    """
    if not features.features:
        return Matching("no_features", [], [])
    sentences = split_sentences(text)
    best: dict[int, Found] = {}
    for number, sentence in enumerate(sentences):
        mentions = read_mentions(sentence, features)
        for found in _found_in(mentions, number, features):
            if found.place not in best or found.confidence > best[found.place].confidence:
                best[found.place] = found
    ranked = sorted(best.values(), key=lambda found: (-found.confidence, found.place))
    clear = [_match(found, sentences, features) for found in ranked if found.confidence >= CLEAR]
    uncertain = [_match(found, sentences, features) for found in ranked if found.confidence < CLEAR]
    status = "matched" if clear else "needs_review" if uncertain else "no_match"
    return Matching(status, clear[:MOST_MATCHES], uncertain[:MOST_SUGGESTIONS])


def _found_in(mentions: dict[str, Mention], sentence: int, features: EmbeddedFeatureMap) -> list[Found]:
    """What one sentence speaks of. Where one mention lies within a longer one, the longer is meant."""
    places = sorted({place for stem in mentions for place in features.places.get(stem, ())})
    found = [_weighed(features.features[place], place, sentence, mentions) for place in places]
    clear = [one for one in found if one.confidence >= CLEAR]
    kept = []
    for one in found:
        if one.confidence >= CLEAR and any(one.named < other.named for other in clear):
            one = _less_sure(one, 0.7)
        if one.confidence >= UNCERTAIN:
            kept.append(one)
    return kept


def _less_sure(found: Found, most: float) -> Found:
    return Found(found.place, found.sentence, found.named, found.described, min(found.confidence, most))


def _weighed(feature: PreparedFeature, place: int, sentence: int, mentions: dict[str, Mention]) -> Found:
    described = frozenset(stem for stem in feature.described if stem in mentions)
    support = sum(feature.described[stem] for stem in described)
    sure, named = 0.0, frozenset[str]()
    for wording in feature.wordings:
        here = frozenset(stem for stem in wording.stems if stem in mentions)
        confidence = _confidence(wording, here, support, mentions)
        if confidence > sure:
            sure, named = confidence, here
    if any(mentions[stem].is_contrast for stem in named):
        sure = min(sure, 0.6)
    return Found(place, sentence, named, described, round(sure, 2))


def _confidence(wording: Wording, named: frozenset[str], support: float, mentions: dict[str, Mention]) -> float:
    if wording.initials in mentions and mentions[wording.initials].is_shouted:
        return 0.85
    if not named:
        return 0.35 if support >= 3 else 0.0
    share = sum(wording.stems[stem] for stem in named) / wording.weight
    if len(named) == len(wording.stems):
        return _confidence_of_all(wording, support, mentions)
    return min(0.3 * share + 0.12 * min(support, 3.0) + 0.05 * len(named), 0.79)


def _confidence_of_all(wording: Wording, support: float, mentions: dict[str, Mention]) -> float:
    """Every word of the name is there: close together is clear, a single common word needs company."""
    supported = min(support, 3.0) * 0.03
    if len(wording.stems) == 1:
        (stem,) = wording.stems
        clear = mentions[stem].is_named or (support > 0 and mentions[stem].is_noun)
        return (0.82 if clear else 0.55) + supported
    places = [mentions[stem].first for stem in wording.stems]
    spread = max(places) - min(places) + 1 - len(places)
    near = spread <= 2 + len(places)
    heavy = wording.weight >= 1
    return (0.88 if near and heavy else 0.7 if near else 0.6) + supported


def _match(found: Found, sentences: Sequence[str], features: EmbeddedFeatureMap) -> FeatureMatch:
    feature = features.features[found.place]
    return FeatureMatch(feature.id, _reasoning(found), sentences[found.sentence], found.confidence)


def _reasoning(found: Found) -> str:
    words = ", ".join(sorted(found.named | found.described))
    return f"The sentence has words of this feature: {words}."
