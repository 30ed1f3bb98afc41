"""Which words of a feature map a sentence has, where, and how they are said."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from sightline.intelligence.embedded.feature_map import EmbeddedFeatureMap
from sightline.intelligence.embedded.vocabulary import CLAUSE_STARTS, CONTRASTING_WORDS, CONTRASTS, DENIALS
from sightline.intelligence.embedded.words import Spoken, fold, spoken_words

MOST_PLACES: Final = 6
_DENIED_WORDS: Final = 8
_CLAUSE_MARKS: Final = frozenset(",;:()[]–—.!?")  # noqa: RUF001 - dashes part clauses


@dataclass(slots=True)
class Mention:
    """A known word in a sentence: how it is written, and its first six places.

    `is_contrast` when it is only compared with, wherever it stands;
    `is_named` when it is written as a name in a running sentence: with a capital or in quotes; `is_shouted` when
    it is all capitals.
    """

    word: str
    places: list[int] = field(default_factory=list)
    is_contrast: bool = True
    is_named: bool = False
    is_shouted: bool = False


def read_mentions(sentence: str, features: EmbeddedFeatureMap) -> dict[str, Mention]:
    """The known words of a sentence of at most 300 characters, folded, with how they are mentioned."""
    spoken = spoken_words(sentence)
    known = list(_known(spoken, features))
    if not known:
        return {}
    denied, contrasted = _taken_back(sentence, spoken)
    has_small_letters = any(map(str.islower, sentence))
    found: dict[str, Mention] = {}
    for at, stem, word in known:
        if at in denied:
            continue
        mention = found.setdefault(stem, Mention(word))
        if len(mention.places) < MOST_PLACES:
            mention.places.append(at)
        mention.is_contrast &= at in contrasted
        if has_small_letters:
            mention.is_shouted |= _is_shouted(spoken[at])
            mention.is_named |= mention.is_shouted or _is_named(sentence, spoken[at])
    return found


def _known(spoken: Sequence[Spoken], features: EmbeddedFeatureMap) -> Iterator[tuple[int, str, str]]:
    """Place, folded form and form of each known word; darkmode counts as two words, web hooks as one."""
    stems = [fold(one.word) for one in spoken]
    for at, stem in enumerate(stems):
        if stem in features.words:
            yield at, stem, spoken[at].word
        for part in features.joined.get(stem, ()):
            yield at, part, spoken[at].word
    for at, (one, next_one) in enumerate(pairwise(spoken)):
        joined = one.word + next_one.word
        if fold(joined) in features.words:
            yield at, fold(joined), joined


def _taken_back(sentence: str, spoken: Sequence[Spoken]) -> tuple[set[int], set[int]]:
    """Places of words that are denied, and of words that are only compared with."""
    denied: set[int] = set()
    contrasted: set[int] = set()
    for at, (one, next_one) in enumerate(pairwise(spoken)):
        pair = (one.word, next_one.word)
        if pair in DENIALS:
            is_complaint = at + 2 < len(spoken) and spoken[at + 2].word == "to" and next_one.word in ("need", "want")
            (contrasted if is_complaint else denied).update(_clause(sentence, spoken, at + 1))
        elif pair in CONTRASTS:
            contrasted.update(_clause(sentence, spoken, at + 1))
        elif one.word in CONTRASTING_WORDS:
            contrasted.update(_clause(sentence, spoken, at))
    return denied, contrasted


def _clause(sentence: str, spoken: Sequence[Spoken], cue: int) -> Iterator[int]:
    """Places after the cue, at most eight, up to a mark or a word that starts another clause."""
    for at in range(cue + 1, min(cue + 1 + _DENIED_WORDS, len(spoken))):
        between = sentence[spoken[at - 1].end : spoken[at].start]
        if spoken[at].word in CLAUSE_STARTS or not _CLAUSE_MARKS.isdisjoint(between):
            return
        yield at


def _is_shouted(spoken: Spoken) -> bool:
    return len(spoken.written) > 1 and spoken.written.isupper()


def _is_named(sentence: str, spoken: Spoken) -> bool:
    if spoken.start == 0:
        return False
    return spoken.written[:1].isupper() or sentence[spoken.start - 1] in "\"“«`['‘"  # noqa: RUF001 - quotes
