"""The words of a feature map in a sentence: where, and in which form."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import add
from typing import Final

from sightline.intelligence.embedded.feature_map import EmbeddedFeatureMap
from sightline.intelligence.embedded.sentences import Sentence
from sightline.intelligence.embedded.vocabulary import pairs_in, words_in
from sightline.intelligence.embedded.words import fold, places_of, root_of

MOST_PLACES: Final = 6
_DENIED_WORDS: Final = 8
_BEFORE_VERBS: Final = words_in("before_verbs")
# Only these negate a mention.
_CUES: Final = words_in("contrasting_words") | {word for word, _ in pairs_in("denials") | pairs_in("contrasts")}
_CLAUSE_MARKS: Final = frozenset(",;:()[]–—.!?")  # noqa: RUF001 - dashes part clauses


@dataclass(slots=True)
class Mention:
    """A known word in a sentence: its spelling, and its first six positions.

    `is_loose` when only a related word stands there: notify for notification.
    `is_contrast` when it is only compared with, and `is_verb` when it follows "to", a pronoun or an auxiliary, wherever
    it stands. `is_shouted` when it is all capitals in a sentence with small letters.
    """

    word: str
    places: list[int] = field(default_factory=list)
    is_loose: bool = True
    is_contrast: bool = True
    is_verb: bool = True
    is_shouted: bool = False


def read_mentions(sentence: Sentence, features: EmbeddedFeatureMap) -> dict[str, Mention]:
    """Returns the known words of a sentence of at most 300 characters, folded, each with its mention."""
    known = list(_known(sentence.words, features))
    if not known:
        return {}
    places = places_of(sentence.text)
    denied, contrasted = _taken_back(sentence, places)
    has_small_letters = any(map(str.islower, sentence.text))
    found: dict[str, Mention] = {}
    for at, stem, word, is_loose in known:
        if at in denied:
            continue
        if (mention := found.get(stem)) is None:
            mention = found[stem] = Mention(word)
        if mention.is_loose and not is_loose:
            mention.is_loose, mention.word = False, word
        if len(mention.places) < MOST_PLACES:
            mention.places.append(at)
        mention.is_contrast &= at in contrasted
        mention.is_verb &= at > 0 and sentence.words[at - 1] in _BEFORE_VERBS
        mention.is_shouted |= has_small_letters and len(places[at][0]) > 1 and places[at][0].isupper()
    return found


def _known(words: Sequence[str], features: EmbeddedFeatureMap) -> Iterator[tuple[int, str, str, bool]]:
    """Yields position, folded form, form, and whether the word is only related, of each known word.

    darkmode counts as two words, web hooks as one.
    """
    known, named, joined_words, roots = features.words, features.named, features.joined, features.roots
    for at, (word, stem) in enumerate(zip(words, map(fold, words), strict=True)):
        if stem in known:
            yield at, stem, word, False
        if stem in joined_words:
            for part in joined_words[stem]:
                yield at, part, word, False
        if stem not in named and (root := root_of(word)) in roots:
            for related in roots[root]:
                yield at, related, word, True
    beginnings = features.beginnings
    for at, joined in enumerate(map(add, words, words[1:])):
        # Folding changes the first three letters of short words at most; few longer pairs begin as a word of the map.
        if len(joined) > 6 and joined[:3] not in beginnings and joined.isascii() and "'" not in joined:
            continue
        if (stem := fold(joined)) in known:
            yield at, stem, joined, False


def _taken_back(sentence: Sentence, places: Sequence[re.Match[str]]) -> tuple[set[int], set[int]]:
    """Returns the positions of denied words, and of words that are only compared with."""
    denied: set[int] = set()
    contrasted: set[int] = set()
    words = sentence.words
    if _CUES.isdisjoint(words):
        return denied, contrasted
    for at, pair in enumerate(pairwise(words)):
        if pair in pairs_in("denials"):
            is_complaint = words[at + 2 : at + 3] == ("to",) and pair[1] in ("need", "want")
            (contrasted if is_complaint else denied).update(_clause(sentence, places, at + 1))
        elif pair in pairs_in("contrasts"):
            contrasted.update(_clause(sentence, places, at + 1))
        elif pair[0] in words_in("contrasting_words"):
            contrasted.update(_clause(sentence, places, at))
    return denied, contrasted


def _clause(sentence: Sentence, places: Sequence[re.Match[str]], cue: int) -> Iterator[int]:
    """Returns at most eight positions after the cue, up to a mark or a word that starts another clause."""
    for at in range(cue + 1, min(cue + 1 + _DENIED_WORDS, len(places))):
        between = sentence.text[places[at - 1].end() : places[at].start()]
        if sentence.words[at] in words_in("clause_starts") or not _CLAUSE_MARKS.isdisjoint(between):
            return
        yield at
