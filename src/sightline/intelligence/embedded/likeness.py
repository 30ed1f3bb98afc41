"""Whether two statements say the same, by their words."""

from collections import defaultdict

from sightline.intelligence.embedded.kept import keep_by_text
from sightline.intelligence.embedded.vocabulary import STOP_WORDS
from sightline.intelligence.embedded.words import fold, words_of

_CONTAINED = 0.85
_FEWEST_CONTAINED = 4
MOST_COMPARED = 50  # statements with one word, records with one word or signal


@keep_by_text(5_000)  # a document is written again when little has changed
def telling_words(text: str) -> frozenset[str]:
    """Returns the folded words without stop words; all words, or the text itself, if there are no others."""
    words = words_of(text)
    return frozenset(fold(word) for word in words if word not in STOP_WORDS) or frozenset(words) or frozenset({text})


def are_alike(words: frozenset[str], others: frozenset[str], share: float) -> bool:
    """Whether both share `share` of all words, or nearly all words of the shorter one are in the longer one."""
    common, both, shorter = len(words & others), len(words) + len(others), min(len(words), len(others))
    return common >= share * (both - common) or (shorter >= _FEWEST_CONTAINED and common >= _CONTAINED * shorter)


class Statements:
    """Statements by their words, so that each is compared with few others. `share` is as for `are_alike()`."""

    def __init__(self, share: float) -> None:
        self._share = share
        self._by_word: dict[str, list[tuple[int, frozenset[str]]]] = defaultdict(list)

    def add(self, words: frozenset[str], place: int) -> None:
        for word in words:
            self._by_word[word].append((place, words))

    def find(self, words: frozenset[str]) -> int | None:
        """Returns the place of the first similar statement, searched by the rarer half of the words."""
        known = [word for word in words if word in self._by_word]
        most = len(words) // 2 + 1 - (len(words) - len(known))
        rarest = sorted((len(self._by_word[word]), word) for word in known) if most > 0 else []
        for _, word in rarest[: max(0, most)]:
            for place, others in self._by_word[word][:MOST_COMPARED]:
                if are_alike(words, others, self._share):
                    return place
        return None
