"""The options of a taxonomy that a text names, each with the sentence that names it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from sightline.intelligence.embedded.kept import keep_by_text
from sightline.intelligence.embedded.sentences import Sentence, read_sentences
from sightline.intelligence.embedded.vocabulary import (
    CONTRASTING_WORDS,
    CONTRASTS,
    DENIALS,
    GENERIC_WORDS,
    STOP_WORDS,
    words_in,
)
from sightline.intelligence.embedded.words import fold, singular, words_of
from sightline.intelligence.engine import ListGroup, SuggestedOption

MOST_OPTIONS: Final = 5  # of one group
_MOST_BETWEEN: Final = 2  # other words among those of a label
_PARTS = re.compile(r"[,;/&+|]|\band\b|\bor\b")
_JUDGING: Final = words_in("judging")


class _Phrase(NamedTuple):
    """A label, or a part of one that stands before or after "and". `words`: as they are compared."""

    said: str
    words: tuple[str, ...]


class _Text(NamedTuple):
    """The sentences of a text, their words in the two forms of comparing, and which sentences have each form."""

    sentences: Sequence[Sentence]
    singulars: Sequence[Sequence[str]]
    folded: Sequence[Sequence[str]]
    of_singulars: Mapping[str, Sequence[int]]
    of_folded: Mapping[str, Sequence[int]]


def suggest_options(text: str, groups: Sequence[ListGroup]) -> list[SuggestedOption]:
    """Returns the options whose labels the text names, at most five of a group, in the order of the taxonomy.

    A label is named by a sentence with all its telling words close together; a part before or after "and" is enough.
    A group that takes one option gets none if several are named. What is denied or compared with does not count.
    """
    read = _read(text)
    found: list[SuggestedOption] = []
    for group in groups:
        named = [
            SuggestedOption(group.id, option.id, f"The sentence names “{phrase}”.", sentence.text)
            for option in group.options
            if (mention := _find_mention(option.label, read))
            for phrase, sentence in [mention]
        ]
        if len(named) == 1 or not group.takes_one:
            found += named[:MOST_OPTIONS]
    return found


def _read(text: str) -> _Text:
    sentences = read_sentences(text)
    singulars = [tuple(map(_singular, sentence.words)) for sentence in sentences]
    folded = [tuple(map(fold, sentence.words)) for sentence in sentences]
    return _Text(sentences, singulars, folded, _places(singulars), _places(folded))


def _places(forms: Sequence[Sequence[str]]) -> Mapping[str, Sequence[int]]:
    """Returns the sentences that have each form."""
    found: dict[str, list[int]] = {}
    for place, words in enumerate(forms):
        for word in set(words):
            found.setdefault(word, []).append(place)
    return found


_singular = keep_by_text(most=20_000)(singular)


def _find_mention(label: str, text: _Text) -> tuple[str, Sentence] | None:
    for phrase in _phrases_of(label):
        is_one = len(phrase.words) == 1
        forms, places = (text.singulars, text.of_singulars) if is_one else (text.folded, text.of_folded)
        for place in min((places.get(word, ()) for word in phrase.words), key=len):
            if _names(text.sentences[place].words, forms[place], phrase.words):
                return phrase.said, text.sentences[place]
    return None


@keep_by_text(most=40_000)
def _phrases_of(label: str) -> tuple[_Phrase, ...]:
    """Returns the phrases that name an option: the whole label, then its parts. None if it only judges."""
    return tuple(_read_phrases([label, *_PARTS.split(label)] if _PARTS.search(label) else [label]))


def _read_phrases(parts: Sequence[str]) -> Iterator[_Phrase]:
    for part in parts:
        words = [word for word in words_of(part) if word not in STOP_WORDS and word not in {"and", "or"}]
        if any(word not in GENERIC_WORDS and word not in _JUDGING and not word.isdecimal() for word in words):
            yield _Phrase(part.strip(), _compared(words))


def _compared(words: Sequence[str]) -> tuple[str, ...]:
    """Returns the words as they are compared: a single one only in singular or plural, several in any form."""
    return (_singular(words[0]),) if len(words) == 1 else tuple(map(fold, words))


def _names(words: Sequence[str], forms: Sequence[str], phrase: Sequence[str]) -> bool:
    """Whether a sentence has all words of a phrase close together, and does not deny them. `forms` are of `words`."""
    wanted = set(phrase)
    if not wanted.issubset(forms):
        return False
    width = len(phrase) + _MOST_BETWEEN
    starts = (at for at, each in enumerate(forms) if each in wanted and wanted.issubset(forms[at : at + width]))
    return any(not _is_denied(words[:at]) for at in starts)


def _is_denied(before: Sequence[str]) -> bool:
    """Whether the words before a mention deny it or only compare with it."""
    if not CONTRASTING_WORDS.isdisjoint(before) or not {"no", "not", "never"}.isdisjoint(before[-2:]):
        return True
    return any(pair in DENIALS or pair in CONTRASTS for pair in pairwise(before))
