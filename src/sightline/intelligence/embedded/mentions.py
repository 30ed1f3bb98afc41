"""Which known words a sentence has, and how they are said."""

from dataclasses import dataclass

from sightline.intelligence.embedded.feature_map import EmbeddedFeatureMap
from sightline.intelligence.embedded.words import fold, words_of


@dataclass(frozen=True, slots=True)
class Mention:
    """A word of the feature map in a sentence. `first` counts words from the beginning of the sentence."""

    word: str
    first: int
    is_contrast: bool
    is_named: bool
    is_noun: bool
    is_shouted: bool


def read_mentions(sentence: str, features: EmbeddedFeatureMap) -> dict[str, Mention]:
    found = {}
    for at, word in enumerate(words_of(sentence)):
        stem = fold(word)
        if stem in features.places and stem not in found:
            found[stem] = Mention(word, at, False, False, True, False)
    return found
