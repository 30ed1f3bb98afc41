"""The options of a taxonomy that a text names, each with the sentence that names it."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

from sightline.intelligence.embedded.kept import keep_by_text
from sightline.intelligence.embedded.sentences import Sentence, read_sentences
from sightline.intelligence.embedded.vocabulary import GENERIC_WORDS, STOP_WORDS, pairs_in, words_in
from sightline.intelligence.embedded.words import fold, singular, words_of
from sightline.intelligence.engine import ListGroup, SuggestedOption

MOST_OPTIONS: Final = 5  # of one group
_MOST_BETWEEN: Final = 2  # other words among those of a label
_PARTS = re.compile(r"[,;/&+|]|\band\b|\bor\b")


class _Forms(NamedTuple):
    """The words of each sentence in one form of comparing, and the sentences that have each."""

    of_sentences: Sequence[Sequence[str]]
    places: Mapping[str, Sequence[int]]


class _Text:
    """The sentences of a text. Words are compared in the singular, or folded: many taxonomies need only one of both."""

    def __init__(self, text: str) -> None:
        self.sentences = read_sentences(text)

    @cached_property
    def singulars(self) -> _Forms:
        return _read(self.sentences, _singular)

    @cached_property
    def folded(self) -> _Forms:
        return _read(self.sentences, fold)


def suggest_options(text: str, groups: Sequence[ListGroup]) -> list[SuggestedOption]:
    """Returns the options whose labels the text names, at most five of a group, in the order of the taxonomy.

    A label is named by a sentence with all its telling words close together; a part before or after "and" is enough.
    A group that takes one option gets none if several are named. What is denied or compared with does not count.
    """
    read = _Text(text)
    found: list[SuggestedOption] = []
    for group in groups:
        named: list[SuggestedOption] = []
        for option in group.options:
            if mention := _find_mention(option.label, read):
                phrase, sentence = mention
                named.append(SuggestedOption(group.id, option.id, f"The sentence names “{phrase}”.", sentence))
        if len(named) == 1 or not group.takes_one:
            found += named[:MOST_OPTIONS]
    return found


def _read(sentences: Sequence[Sentence], form: Callable[[str], str]) -> _Forms:
    words = [tuple(map(form, sentence.words)) for sentence in sentences]
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, each in enumerate(words):
        for word in set(each):
            places[word].append(place)
    return _Forms(words, places)


_singular = keep_by_text(most=20_000)(singular)


def _find_mention(label: str, text: _Text) -> tuple[str, str] | None:
    """Returns a phrase of the label with a sentence that names it; None without one."""
    for phrase, words in _phrases_of(label):
        forms = text.singulars if len(words) == 1 else text.folded
        for place in min((forms.places.get(word, ()) for word in words), key=len):
            if _names(text.sentences[place].words, forms.of_sentences[place], words):
                return phrase, text.sentences[place].text
    return None


@keep_by_text(most=40_000)
def _phrases_of(label: str) -> list[tuple[str, tuple[str, ...]]]:
    """Returns the phrases that name an option, with the words as they are compared: the whole label, then its parts.

    A single word is compared only in singular or plural, several in any form. Phrases that only judge are left out.
    """
    found, judging = [], GENERIC_WORDS | words_in("judging")
    for phrase in dict.fromkeys([label, *_PARTS.split(label)]):
        words = [word for word in words_of(phrase) if word not in STOP_WORDS]
        if any(not word.isdecimal() for word in words if word not in judging):
            forms = (_singular(words[0]),) if len(words) == 1 else tuple(map(fold, words))
            found.append((phrase.strip(), forms))
    return found


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
    if not words_in("contrasting_words").isdisjoint(before) or not {"no", "not", "never"}.isdisjoint(before[-2:]):
        return True
    return any(pair in pairs_in("denials") or pair in pairs_in("contrasts") for pair in pairwise(before))
