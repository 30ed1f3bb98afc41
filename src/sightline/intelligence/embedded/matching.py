"""Which features a text speaks of: the words of a feature's name and description, found in one sentence."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final, Literal, NamedTuple

from sightline.intelligence.embedded.feature_map import EmbeddedFeatureMap
from sightline.intelligence.embedded.mentions import Mention, read_mentions
from sightline.intelligence.embedded.scoring import CLEAR, LIGHT, UNCERTAIN, Weighed, weigh
from sightline.intelligence.embedded.sentences import Sentence, read_sentences
from sightline.intelligence.engine import FeatureMatch, Matching

MOST_MATCHES: Final = 8
MOST_SUGGESTIONS: Final = 8
MOST_WORDS_SAID: Final = 6
AMBIGUOUS: Final = 0.75
FEWEST_DESCRIBED: Final = 3  # fewer words of a description alone never make a suggestion


class Found(NamedTuple):
    """A feature and what speaks for it in one sentence. `words` are written as the sentence has them."""

    place: int
    sentence: str
    weighed: Weighed
    name_words: tuple[str, ...]
    description_words: tuple[str, ...]

    @property
    def confidence(self) -> float:
        return self.weighed.confidence


def match_features(text: str, features: EmbeddedFeatureMap) -> Matching:
    """Finds features in the first 200 sentences within the first 40,000 characters; at most 8 and 8.

    A match is clear when one sentence has the name's wording, or most of it with several words of the
    description. A mention that is denied ("we do not need") does not count, one that is only compared with
    ("instead of") is never clear. The surest come first, equals in the order of the features.
    """
    if not features.features:
        return Matching("no_features", [], [])
    best: dict[int, Found] = {}
    for sentence in read_sentences(text):
        for found in _found_in(sentence, features):
            if found.place not in best or found.confidence > best[found.place].confidence:
                best[found.place] = found
    ranked = sorted(best.values(), key=lambda found: (-found.confidence, found.place))
    clear = [_match(found, features) for found in ranked if found.confidence >= CLEAR][:MOST_MATCHES]
    uncertain = [_match(found, features) for found in ranked if found.confidence < CLEAR][:MOST_SUGGESTIONS]
    return Matching(_status(clear, uncertain), clear, uncertain)


def _status(
    clear: Sequence[FeatureMatch], uncertain: Sequence[FeatureMatch]
) -> Literal["matched", "needs_review", "no_match"]:
    if clear:
        return "matched"
    return "needs_review" if uncertain else "no_match"


def _found_in(sentence: Sentence, features: EmbeddedFeatureMap) -> list[Found]:
    mentions = read_mentions(sentence, features)
    weighed = {place: weigh(features.features[place], mentions) for place in _candidates(mentions, features)}
    found = []
    for place, one in weighed.items():
        if one.confidence >= CLEAR and _is_ambiguous(place, weighed, features):
            one = one._replace(confidence=AMBIGUOUS)
        if one.confidence >= UNCERTAIN:
            words = (_as_said(one.named, mentions), _as_said(one.described, mentions))
            found.append(Found(place, sentence.text, one, *words))
    return found


def _candidates(mentions: Iterable[str], features: EmbeddedFeatureMap) -> list[int]:
    """The features of whose name a word is there, or enough words of the description."""
    named = {place for stem in mentions for place in features.named.get(stem, ())}
    described = [features.described[stem] for stem in mentions if stem in features.described]
    if len(described) >= FEWEST_DESCRIBED:
        counts = Counter(chain.from_iterable(described))
        named.update(place for place, count in counts.items() if count >= FEWEST_DESCRIBED)
    return sorted(named)


def _is_ambiguous(place: int, weighed: dict[int, Weighed], features: EmbeddedFeatureMap) -> bool:
    """Whether the sentence also has these words as part of what it says of another feature's name."""
    named = weighed[place].named
    for other_place, other in weighed.items():
        if other_place != place and named <= other.named:
            wording = features.features[other_place].wordings
            more = sum(weight for way in wording for stem, weight in way.stems.items() if stem in other.named - named)
            if more >= LIGHT or (named == other.named and other.confidence >= weighed[place].confidence):
                return True
    return False


def _as_said(stems: Iterable[str], mentions: dict[str, Mention]) -> tuple[str, ...]:
    """The words as the sentence has them, in its order."""
    said = sorted((mentions[stem].places[0], mentions[stem].word) for stem in stems)
    return tuple(dict.fromkeys(word for _, word in said))


def _match(found: Found, features: EmbeddedFeatureMap) -> FeatureMatch:
    return FeatureMatch(features.features[found.place].id, _reasoning(found), found.sentence, found.confidence)


def _reasoning(found: Found) -> str:
    described = _listed(found.description_words)
    if found.weighed.ground == "description":
        return f"One sentence has words of the feature's description: {described}."
    start = {
        "name": "One sentence has all words of the feature's name",
        "initials": "One sentence has the initials of the feature's name",
        "part of the name": "One sentence has a part of the feature's name",
    }[found.weighed.ground]
    more = f"; words of its description there: {described}" if described else ""
    return f"{start}: {_listed(found.name_words)}{more}."


def _listed(words: Sequence[str]) -> str:
    more = len(words) - MOST_WORDS_SAID
    return ", ".join(words[:MOST_WORDS_SAID]) + (f" and {more} more" if more > 0 else "")
