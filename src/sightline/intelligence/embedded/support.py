"""What a whole text has of each feature: words of its name and of its description, in any sentence."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from heapq import nlargest
from typing import Final

from sightline.intelligence.embedded.feature_map import EmbeddedFeatureMap, PreparedFeature
from sightline.intelligence.embedded.mentions import Mention

MOST_WEIGHED: Final = 50  # features: more are never shown
FEWEST_WORDS: Final = 4  # of a feature that is clear though no sentence has its whole name


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
