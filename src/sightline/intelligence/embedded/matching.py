"""Which features a text speaks of: the words of a feature's name and description, found in one sentence."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple
from uuid import UUID

from sightline.intelligence.embedded.decision import DECISION
from sightline.intelligence.embedded.feature_map import EmbeddedFeatureMap
from sightline.intelligence.embedded.mentions import Mention, read_mentions
from sightline.intelligence.embedded.scoring import Evidence, find_evidence
from sightline.intelligence.embedded.sentences import Sentence, read_sentences
from sightline.intelligence.engine import FeatureMatch, Matching

MOST_MATCHES: Final = 8
MOST_SUGGESTIONS: Final = 8
MOST_WORDS_SAID: Final = 6


class Found(NamedTuple):
    """A feature, its support in one sentence, and the known words of that."""

    place: int
    sentence: str
    evidence: Evidence
    confidence: float
    mentions: dict[str, Mention]


def match_features(text: str, features: EmbeddedFeatureMap) -> Matching:
    """Finds features in the first 200 sentences within the first 40,000 characters; at most 8 and 8.

    A match is clear from the confidence `clear` of `matching.json` on, a suggestion from `uncertain` on. A mention that
    is denied ("we do not need") does not count. Never clear is what is only compared with ("instead of"), and the words
    of a longer name that is meant. Without words of the description, neither is a part of a name, nor its words far
    apart, nor a name of one word that is a verb or in most names. The surest come first, equals in the order of the
    features.
    """
    if not features.features:
        return Matching("no_features", [], [])
    best: dict[int, Found] = {}
    for sentence in read_sentences(text):
        for found in _found_in(sentence, features):
            if found.place not in best or found.confidence > best[found.place].confidence:
                best[found.place] = found
    ranked = sorted(best.values(), key=lambda found: (-found.confidence, found.place))
    clear = [_match(found, features) for found in ranked if found.confidence >= DECISION.clear][:MOST_MATCHES]
    uncertain = [_match(found, features) for found in ranked if found.confidence < DECISION.clear][:MOST_SUGGESTIONS]
    return Matching(_status(clear, uncertain), clear, uncertain)


def closest_features(text: str, features: EmbeddedFeatureMap, limit: int) -> list[UUID]:
    """Returns at most `limit` features that share words with the text, closest first; all if there are no more."""
    if len(features.features) <= limit:
        return [feature.id for feature in features.features]
    best: dict[int, float] = {}
    for sentence in read_sentences(text):
        for place, one in find_evidence(sentence, read_mentions(sentence, features), features):
            best[place] = max(best.get(place, 0.0), one.confidence)
    ranked = sorted(best, key=lambda place: (-best[place], place))
    return [features.features[place].id for place in ranked[:limit]]


def _status(
    clear: Sequence[FeatureMatch], uncertain: Sequence[FeatureMatch]
) -> Literal["matched", "needs_review", "no_match"]:
    if clear:
        return "matched"
    return "needs_review" if uncertain else "no_match"


def _found_in(sentence: Sentence, features: EmbeddedFeatureMap) -> Iterator[Found]:
    mentions = read_mentions(sentence, features)
    for place, one in find_evidence(sentence, mentions, features, only_likely=True):
        if (confidence := one.confidence) >= DECISION.uncertain:
            yield Found(place, sentence.text, one, confidence, mentions)


def _match(found: Found, features: EmbeddedFeatureMap) -> FeatureMatch:
    return FeatureMatch(features.features[found.place].id, _reasoning(found), found.sentence, found.confidence)


def _reasoning(found: Found) -> str:
    one = found.evidence
    described = _listed(_as_said(one.described, found.mentions))
    if one.ground == "description":
        return f"One sentence has words of the feature's description: {described}."
    which = "the initials" if one.is_initials else "a part" if one.ground == "part" else "all words"
    named = _listed(_as_said(one.named, found.mentions))
    more = f"; words of its description there: {described}" if described else ""
    return f"One sentence has {which} of the feature's name: {named}{more}."


def _as_said(stems: Iterable[str], mentions: dict[str, Mention]) -> list[str]:
    """Returns the words as written in the sentence, in its order."""
    said = sorted((mentions[stem].places[0], mentions[stem].word) for stem in stems)
    return list(dict.fromkeys(word for _, word in said))


def _listed(words: Sequence[str]) -> str:
    more = len(words) - MOST_WORDS_SAID
    return ", ".join(words[:MOST_WORDS_SAID]) + (f" and {more} more" if more > 0 else "")
