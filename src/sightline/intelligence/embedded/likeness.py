"""Whether two statements say the same, by their words."""

from sightline.intelligence.embedded.vocabulary import STOP_WORDS
from sightline.intelligence.embedded.words import fold, words_of

_CONTAINED = 0.85
_FEWEST_CONTAINED = 4


def telling_words(text: str) -> frozenset[str]:
    """Returns the folded words without stop words; all words, or the text itself, if there are no others."""
    words = words_of(text)
    return frozenset(fold(word) for word in words if word not in STOP_WORDS) or frozenset(words) or frozenset({text})


def are_alike(words: frozenset[str], others: frozenset[str], share: float) -> bool:
    """Whether both share `share` of all words, or nearly all words of the shorter one are in the longer one."""
    common, shorter = len(words & others), min(len(words), len(others))
    return common >= share * len(words | others) or (shorter >= _FEWEST_CONTAINED and common >= _CONTAINED * shorter)
