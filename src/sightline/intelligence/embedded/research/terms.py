"""The terms of a question: words with weights, and what a text has in common with them.

`same.yaml` and `synonyms.yaml` have other words for the same, which count for less than the word itself.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, zip_longest
from typing import Final, NamedTuple

from msgspec import Struct

from sightline.intelligence.embedded.kept import keep_by_text
from sightline.intelligence.embedded.meaning import Group, Lexicon, groups, read_lexicon
from sightline.intelligence.embedded.signs import end_with_sign, start_with_sign
from sightline.intelligence.embedded.vocabulary import GENERIC_WORDS, GERMAN_WORDS, STOP_WORDS, read_data, words_in
from sightline.intelligence.embedded.words import fold, root_of, words_of
from sightline.sources.languages import code_of, language_of_question, stop_words

COMMON: Final = 0.25
_GENERIC: Final = 0.5
_AMBIGUOUS: Final = 0.75
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_SAME, _SYNONYM = 0.8, 0.5  # of the word itself
_MOST_OTHERS: Final = 16
_LEAST_ENGLISH: Final = 0.4  # of the words are stop words

Key = str | int  # a stem, or a group of words for the same


class QuestionTerm(NamedTuple):
    """A word, what it weighs, and the keys of texts that have it, with the share of the weight that each is worth."""

    stem: str
    weight: float
    keys: Mapping[Key, float]


Terms = tuple[QuestionTerm, ...]


class Lens(Struct, frozen=True):
    """What a section of a plan is about, for questions that have one of `cues`."""

    name: str
    objective: str
    cues: str


class Asks(Struct, frozen=True):
    """Which figures a question asks for, and whether a sentence without any of them is no answer."""

    question: str
    figures: tuple[str, ...]
    example: dict[str, str]
    only: bool = False


class QuestionWording(Struct, frozen=True):
    """The file `wording.yaml`."""

    irregular: str
    figures: dict[str, str]
    asks: list[Asks]
    tones: dict[str, tuple[float, str]]
    lenses: list[Lens]
    answers: dict[str, str]
    nothing: dict[str, str]
    plan: dict[str, str]
    uses: dict[str, str]
    patterns: dict[str, str]
    indirect: dict[str, str]


@cache
def wording() -> QuestionWording:
    return read_data("research/wording.yaml", QuestionWording)


@cache
def pattern(name: str) -> re.Pattern[str]:
    """Returns a pattern of the file, with a name in the place of `{name}`."""
    patterns = wording().patterns
    return re.compile(patterns[name].replace("{name}", patterns["name"]))


def asked_for(question: str) -> tuple[Asks | None, str]:
    """Returns which figures a question in lower case asks for, and the question without the words that ask for them."""
    for one in wording().asks:
        if found := re.search(one.question, question):
            return one, question[: found.start()] + question[found.end() :]
    return None, question


@cache
def same_words() -> list[Group]:
    return read_data("research/same.yaml", list[Group])


@cache
def _lexicon() -> Lexicon:
    return read_lexicon([*same_words(), *groups()])


def _keys(words: list[str]) -> Iterator[dict[Key, float]]:
    """Yields the keys of each word: its stem, and its groups and those of the phrases that have it."""
    forms, lexicon = [fold(word) for word in words], _lexicon()
    phrases: dict[int, frozenset[int]] = {}
    for at in range(len(words)):
        if found := lexicon.phrase_at(forms, at):
            phrases.update({place: found[1] for place in range(at, at + found[0])})
    for at, word in enumerate(words):
        yield {**_keys_of(word), **_worth(phrases.get(at, frozenset()))}


@lru_cache(maxsize=20_000)
def _keys_of(word: str) -> dict[Key, float]:
    groups = [_lexicon().groups_of(word)]
    return {stem(word): 1.0} | _worth(chain.from_iterable(groups if groups[0] else _lexicon().parts_of(word)))


def is_listed(word: str) -> bool:
    """Whether the lists have other words for this one, not only for a part of it."""
    return bool(_lexicon().groups_of(word))


def _worth(groups: Iterable[int]) -> dict[Key, float]:
    return {group: _SAME if group < len(same_words()) else _SYNONYM for group in groups}


def weigh(text: str, languages: Iterable[str] = ()) -> Terms:
    """Returns the terms of a text, each once, in order, without stop words of English and of the languages."""
    stops, words = _stops(tuple(languages)), words_of(text)
    terms = {
        (own := stem(word)): QuestionTerm(own, _weight(word), keys)
        for word, keys in zip(words, _keys(words), strict=True)
        if word not in stops and len(word) > 1
    }
    return tuple(terms.values())


def share(terms: Terms, words: Container[Key]) -> float:
    """Returns the share of the terms' weight that is among the words of `folded`, 0 to 1."""
    total = sum(one.weight for one in terms)
    return sum(one.weight * presence(one, words) for one in terms) / total if total else 0.0


def presence(term: QuestionTerm, words: Container[Key]) -> float:
    """Returns 1 for the word itself, less for another one that means the same, 0 for none."""
    return max((worth for key, worth in term.keys.items() if key in words), default=0.0)


def key_of(term: QuestionTerm, words: Container[Key]) -> Key | None:
    """Returns the closest key of the term that is among the words; one word may be the key of several terms."""
    return max((key for key in term.keys if key in words), key=term.keys.__getitem__, default=None)


@keep_by_text(2_000)
def folded(text: str) -> frozenset[Key]:
    """Returns the keys of all words of a text."""
    return frozenset(chain.from_iterable(_keys(words_of(text))))


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Returns what related words share: notify and notifications are `notif`, threw and thrown are `throw`."""
    word = _irregular().get(word, word)
    return root_of(word) or fold(word)


@cache
def _irregular() -> dict[str, str]:
    forms = [verb.split() for verb in wording().irregular.split(",")]
    return {form: verb[0] for verb in forms for form in verb[1:]}


def foreign_language(question: str) -> str | None:
    """Returns the name of a question's language, None for English. The lists of other languages are loaded for them."""
    words = words_of(question)
    english, german = (sum(word in small for word in words) for small in (STOP_WORDS, GERMAN_WORDS))
    is_english = english > german and english >= _LEAST_ENGLISH * len(words)  # "was" and "in" are words of both
    return None if is_english else language_of_question(question)


def telling(text: str, languages: Iterable[str] = ()) -> list[str]:
    """The words of a text that say what it is about, as they are written, in order and once; numbers with signs."""
    stops = _stops(tuple(languages))
    words = (word for part, is_measure in _parts(text) for word in ([part] if is_measure else words_of(part)))
    found = {stem(word): word for word in reversed(list(words)) if word not in stops and _weight(word) > _GENERIC}
    return list(reversed(found.values()))


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """Yields measures, such as "-30 °C", and the text between them."""
    at = 0
    for number in _NUMBER.finditer(text):
        start, end = start_with_sign(text, number.start()), end_with_sign(text, number.end())
        if start >= at and (start, end) != number.span():
            yield text[at:start], False
            yield text[start:end], True
            at = end
    yield text[at:], False


def other_words(text: str, languages: Sequence[str]) -> Iterator[str]:
    """Yields up to 16 other words for what a text is about: English ones, and those of the other languages.

    A list has its English words in the first half.
    """
    terms = [term for term in weigh(text, languages) if term.weight > COMMON]
    groups = [key for term in terms for key in term.keys if isinstance(key, int) and key < len(same_words())]
    lists = [_lexicon().searched[group] for group in groups]
    codes = {code_of(label) for label in languages}
    english = [words[: len(words) // 2] for words in lists] if "en" in codes else []
    others = [words[: len(words) // 2 : -1] for words in lists] if codes != {"en"} else []
    for chosen in filter(None, (english, others)):
        words = dict.fromkeys(word for turn in zip_longest(*chosen) for word in turn if word and word not in STOP_WORDS)
        yield " ".join([*words][:_MOST_OTHERS])


@lru_cache(maxsize=16)
def _stops(labels: tuple[str, ...]) -> frozenset[str]:
    codes = {code for label in labels if (code := code_of(label)) and code != "en"}
    return STOP_WORDS.union(words_in("never_terms"), *(stop_words(code) for code in codes))


def _weight(word: str) -> float:
    word = word.removesuffix("'s")
    if word in words_in("little_said"):
        return COMMON
    return _GENERIC if word in GENERIC_WORDS else _AMBIGUOUS if word in words_in("ambiguous_words") else 1.0
