"""Which features a text speaks of: by a whole name in one sentence, or by words of name and description in all."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from typing import Final, NamedTuple
from uuid import UUID

from sightline.intelligence.embedded.decision import DECISION
from sightline.intelligence.embedded.feature_map import EmbeddedFeatureMap, PreparedFeature
from sightline.intelligence.embedded.mentions import Mention, read_mentions
from sightline.intelligence.embedded.scoring import Evidence, find_names
from sightline.intelligence.embedded.sentences import Sentence, read_sentences
from sightline.intelligence.engine import FeatureMatch, Matching

MOST_MATCHES: Final = 8
MOST_SUGGESTIONS: Final = 8
MOST_WORDS_SAID: Final = 6
MOST_WEIGHED: Final = 50  # features: more are never shown
FEWEST_WORDS: Final = 4  # of a feature that is clear though no sentence has its whole name


class ReadSentence(NamedTuple):
    """A sentence and the words of the feature map in it, folded."""

    sentence: Sentence
    mentions: Mapping[str, Mention]


class Found(NamedTuple):
    """A feature and its confidence; `name` has the sentence with its whole name and the evidence, if there is one."""

    place: int
    confidence: float
    name: tuple[ReadSentence, Evidence] | None = None


def match_features(text: str, features: EmbeddedFeatureMap) -> Matching:
    """Finds features in the first 200 sentences within the first 40,000 characters; at most 8 and 8.

    A match is clear from the confidence `clear` of `matching.json` on, a suggestion from `uncertain` on. A mention that
    is denied ("we do not need") does not count. Never clear is what is only compared with ("instead of"), and the words
    of a longer name that is meant. Without words of the description, neither is a name whose words are far apart, or of
    one word that is a verb or in most names; nor are fewer than four words of name and description. The surest
    come first, equals in the order of the features.
    """
    if not features.features:
        return Matching("no_features", [], [])
    read = _read(text, features)
    ranked = _find(read, features)
    surest = [one for one in ranked if one.confidence >= DECISION.clear][:MOST_MATCHES]
    rest = [one for one in ranked if DECISION.uncertain <= one.confidence < DECISION.clear][:MOST_SUGGESTIONS]
    clear, uncertain = ([_match(one, read, features) for one in some] for some in (surest, rest))
    return Matching("matched" if clear else "needs_review" if uncertain else "no_match", clear, uncertain)


def closest_features(text: str, features: EmbeddedFeatureMap, limit: int) -> list[UUID]:
    """Returns at most `limit` features that share words with the text, closest first; all if there are no more."""
    if len(features.features) <= limit:
        return [feature.id for feature in features.features]
    ranked = _find(_read(text, features), features, most=limit)
    return [features.features[one.place].id for one in ranked[:limit]]


def _read(text: str, features: EmbeddedFeatureMap) -> list[ReadSentence]:
    return [ReadSentence(sentence, read_mentions(sentence, features)) for sentence in read_sentences(text)]


def _find(read: Sequence[ReadSentence], features: EmbeddedFeatureMap, most: int = MOST_WEIGHED) -> list[Found]:
    """Returns features with words in the text, surest first, by the surest whole name or by words in all sentences."""
    best: dict[int, Found] = {}
    held_back: set[int] = set()
    for one in read:
        for place, evidence in find_names(one.sentence, one.mentions, features):
            if evidence.is_unclear or evidence.has_twin:
                held_back.add(place)
            if place not in best or evidence.confidence > best[place].confidence:
                best[place] = Found(place, evidence.confidence, (one, evidence))
    words = read_words(one.mentions for one in read)
    for place, signals in weigh_text(words, features, most):
        confidence = DECISION.probability("text", signals)
        named = best.get(place)
        if confidence >= DECISION.clear and (place in held_back or is_unclear(features.features[place], words)):
            confidence = DECISION.below_clear(confidence)
        if named is None:
            best[place] = Found(place, confidence)
        elif confidence > named.confidence:
            best[place] = named._replace(confidence=confidence)
    return sorted(best.values(), key=lambda one: (-one.confidence, one.place))


def read_words(mentions: Iterable[Mapping[str, Mention]]) -> dict[str, bool]:
    """Returns the folded words of all sentences, each with whether it is only compared with, wherever it stands."""
    words: dict[str, bool] = {}
    for sentence in mentions:
        for stem, mention in sentence.items():
            words[stem] = words.get(stem, True) and mention.is_contrast
    return words


def weigh_text(
    words: Mapping[str, bool], features: EmbeddedFeatureMap, most: int = MOST_WEIGHED
) -> Iterator[tuple[int, tuple[float, float, float]]]:
    """Yields the features whose words in the text weigh most, by their places, heaviest first, with three signals each.

    The signals are the weight of the rarest word of the name that is there, the sum of the weights of words of the
    description, and the lead: how much more all words of the feature weigh than all words of the strongest
    other one, which is negative for all but the strongest.
    """
    weights: defaultdict[int, float] = defaultdict(float)
    described: defaultdict[int, float] = defaultdict(float)
    rarest: dict[int, float] = {}
    for stem in words:
        weight = features.weights.get(stem, 0.0)
        for place in features.described.get(stem, ()):
            described[place] += weight
        for place in features.named.get(stem, ()):
            weights[place] += weight
            if weight > rarest.get(place, 0.0):
                rarest[place] = weight
    for place, weight in described.items():
        weights[place] += weight
    strongest = nlargest(most, ((weight, -place) for place, weight in weights.items()))
    first, second = ([weight for weight, _ in strongest[:2]] + [0.0, 0.0])[:2]
    for number, (weight, negative) in enumerate(strongest):
        place, lead = -negative, weight - (first if number else second)
        yield place, (rarest.get(place, 0.0), described.get(place, 0.0), lead)


def is_unclear(feature: PreparedFeature, words: Mapping[str, bool]) -> bool:
    """Whether the text has fewer than four words of the feature, or a word of its name is only compared with."""
    named = feature.named.keys() & words.keys()
    described = words.keys() & feature.described
    return len(named) + len(described) < FEWEST_WORDS or any(words[stem] for stem in named or described)


def _match(found: Found, read: Sequence[ReadSentence], features: EmbeddedFeatureMap) -> FeatureMatch:
    feature = features.features[found.place]
    if found.name is not None:
        quoted, evidence = found.name
        which = "the initials" if evidence.is_initials else "all words"
        reasoning = _reasoning(f"One sentence has {which}", evidence.named, evidence.described, [quoted])
    else:
        words = {stem: at for at, stem in enumerate((*feature.named, *feature.described))}
        quoted = max(read, key=lambda one: sum(features.weights[stem] for stem in _there(words, one)))
        reasoning = _reasoning("The text has words", feature.named, feature.described, read)
    return FeatureMatch(feature.id, reasoning, quoted.sentence.text, found.confidence)


def _reasoning(start: str, named: Iterable[str], described: Iterable[str], read: Sequence[ReadSentence]) -> str:
    words, more = _listed(named, read), _listed(described, read)
    if not words:
        return f"{start} of the feature's description: {more}."
    return f"{start} of the feature's name: {words}{f'; of its description: {more}' if more else ''}."


def _listed(stems: Iterable[str], read: Sequence[ReadSentence]) -> str:
    """Returns at most six of the words as written first, in the order of the text, and how many more there are."""
    said: dict[str, str] = {}
    order = {stem: at for at, stem in enumerate(stems)}
    for one in read:
        if there := _there(order, one):
            there.sort(key=lambda stem: one.mentions[stem].places[0])
            said |= {stem: one.mentions[stem].word for stem in there if stem not in said}
    words = list(dict.fromkeys(said.values()))
    more = len(words) - MOST_WORDS_SAID
    return ", ".join(words[:MOST_WORDS_SAID]) + (f" and {more} more" if more > 0 else "")


def _there(order: Mapping[str, int], one: ReadSentence) -> list[str]:
    """Returns the words that the sentence has, in their order."""
    there = order.keys() & one.mentions.keys()
    return sorted(there, key=order.__getitem__) if len(there) > 1 else list(there)
