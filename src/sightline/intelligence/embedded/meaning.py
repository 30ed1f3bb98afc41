"""How near two short texts are in meaning, by words that mean much the same: `synonyms.yaml` has groups of them."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache, lru_cache
from itertools import combinations
from math import sqrt
from typing import Final, NamedTuple, TypeVar
from unicodedata import category

from msgspec import Struct

from sightline.intelligence.embedded.kept import keep_by_text
from sightline.intelligence.embedded.vocabulary import GENERIC_WORDS, GERMAN_WORDS, STOP_WORDS, read_data, words_in
from sightline.intelligence.embedded.words import fold, root_of, words_of

_FEWEST_SHARED: Final = 2  # words: texts about different things often share one
_LEAST_OF_FEWEST: Final = 0.51  # of both texts, when only two words are shared
_LEAST: Final = 0.33
_COMMON_WEIGHT: Final = 0.5
_MOST_WORDS: Final = 40  # of a text
_MOST_OF_GROUP: Final = 3  # of them
_MOST_SEARCHED: Final = 6  # words of a text
_FEWEST_LETTERS: Final = 4  # of the parts of a compound, and of beginnings that are searched
_BEGINNING: Final = 3  # letters that every beginning has
_FILLERS: Final = words_in("fillers") | GERMAN_WORDS


Id = TypeVar("Id")


class Bounds(NamedTuple):
    """How many texts are offered at most, and how near they have to be, as a share of the nearest."""

    most: int
    share_of_nearest: float


OF_REQUESTS: Final = Bounds(5, 0.8)
OF_INSIGHTS: Final = Bounds(3, 0.0)


class Group(Struct, frozen=True):
    """Words that mean much the same, separated by commas, and sentences that have different ones of them."""

    said: tuple[str, str]
    words: str
    common: bool = False


class Term(NamedTuple):
    """A word or phrase of a text. `meanings` has its groups and its own root; `weight` is 0.5 for common words."""

    text: str
    meanings: frozenset[int | str]
    weight: float


class Lexicon(NamedTuple):
    """The groups of words and phrases, by their folded words, and of beginnings of words."""

    phrases: dict[tuple[str, ...], frozenset[int]]
    beginnings: dict[str, list[tuple[str, int]]]  # with their groups, by their first three letters
    searched: list[list[str]]  # by group: its words, the longest of each phrase
    common: frozenset[int]
    longest: dict[str, int]  # words of the longest phrase of several that begins with the folded word

    def groups_of(self, word: str) -> frozenset[int]:
        """Returns the numbers of the groups that have the word, or a beginning of it."""
        near = self.beginnings.get(word[:_BEGINNING], ())
        beginnings = [group for beginning, group in near if word.startswith(beginning)]
        return self.phrases.get((fold(word),), frozenset()).union(beginnings)

    def parts_of(self, word: str) -> list[frozenset[int]]:
        """Returns the groups of the parts of a compound: of both, or of the second alone."""
        cuts = range(_FEWEST_LETTERS, len(word) - _FEWEST_LETTERS + 1)
        known = [(cut, found) for cut in cuts if (found := self.groups_of(word[cut:]))]
        for cut, found in known:
            if first := self.groups_of(word[:cut]) or self.groups_of(word[:cut].rstrip("s")):
                return [found, first]
        return [found for _, found in known[:1]]

    def phrase_at(self, folded: Sequence[str], at: int) -> tuple[int, frozenset[int]] | None:
        """Returns how many words the longest phrase at this place has, and its groups."""
        for size in range(min(self.longest.get(folded[at], 1), len(folded) - at), 1, -1):
            if found := self.phrases.get(tuple(folded[at : at + size])):
                return size, found
        return None


@cache
def groups() -> list[Group]:
    return read_data("synonyms.yaml", list[Group])


def read_lexicon(groups: Sequence[Group]) -> Lexicon:
    """Numbers the groups from 0, in order."""
    phrases, beginnings = defaultdict(set), defaultdict(list)
    searched: list[list[str]] = []
    for number, group in enumerate(groups):
        entries = [(entry, words_of(entry.removesuffix("*"))) for entry in group.words.split(",")]
        for entry, words in entries:
            if entry.endswith("*"):
                beginnings[words[0][:_BEGINNING]].append((words[0], number))
            else:
                phrases[tuple(map(fold, words))].add(number)
        searched.append(list(dict.fromkeys(max(words, key=len) for _, words in entries)))
    longest = {phrase[0]: len(phrase) for phrase in sorted(phrases, key=len) if len(phrase) > 1}
    common = frozenset(number for number, group in enumerate(groups) if group.common)
    numbers = {words: frozenset(found) for words, found in phrases.items()}
    return Lexicon(numbers, dict(beginnings), searched, common, longest)


@cache
def lexicon() -> Lexicon:
    return read_lexicon(groups())


@keep_by_text(20_000)
def meaning_of(text: str) -> tuple[Term, ...]:
    """Returns the words and phrases that say something, each once, of the first 40 words.

    Those after the third of a group mean only themselves, so that few pairs of two texts are compared.
    """
    seen = Counter[int]()
    terms = {term.text: term for term in _terms(words_of(text)[:_MOST_WORDS])}
    for term in terms.values():
        groups = {one for one in term.meanings if isinstance(one, int)}
        if groups:
            few = frozenset(one for one in groups if seen[one] < _MOST_OF_GROUP)
            seen.update(few)
            terms[term.text] = term._replace(meanings=term.meanings - (groups - few))
    return tuple(terms.values())


def _terms(words: list[str]) -> Iterator[Term]:
    folded, at = [fold(word) for word in words], 0
    while at < len(words):
        size = 1
        if folded[at] in lexicon().longest and (found := lexicon().phrase_at(folded, at)):
            size, groups = found
            yield _term(" ".join(words[at : at + size]), groups)
        else:
            yield from _terms_of_word(words[at])
        at += size


@lru_cache(maxsize=20_000)
def _terms_of_word(word: str) -> list[Term]:
    if word in STOP_WORDS or word in _FILLERS:
        return []
    own = frozenset([root_of(word) or fold(word)])
    found = lexicon().groups_of(word)
    parts = [] if found else lexicon().parts_of(word)
    if not parts and not found and word in GENERIC_WORDS:
        return []
    return [_term(word, part | own) for part in parts or [found]]


def _term(text: str, meanings: frozenset[int | str] | frozenset[int]) -> Term:
    is_common = text in GENERIC_WORDS or meanings & lexicon().common
    return Term(text, frozenset(meanings), _COMMON_WEIGHT if is_common else 1.0)


def closest(text: str, others: Iterable[tuple[Id, str]], bounds: Bounds) -> list[Id]:
    """Returns the ids of texts that say much the same as the text, the nearest first."""
    terms = meaning_of(text)
    known = _by_meaning(terms)
    near = ((id, other) for id, each in others if _shares_words(other := meaning_of(each), known.keys()))
    found = [(value, id) for id, other in near if (value := _likeness(terms, known, other))]
    least = bounds.share_of_nearest * max((value for value, _ in found), default=0)
    nearest = sorted((pair for pair in found if pair[0] >= least), key=lambda pair: -pair[0])
    return [id for _, id in nearest[: bounds.most]]


def _by_meaning(terms: tuple[Term, ...]) -> Mapping[int | str, list[Term]]:
    found: dict[int | str, list[Term]] = {}
    for term in terms:
        for meaning in term.meanings:
            found.setdefault(meaning, []).append(term)
    return found


def _shares_words(terms: tuple[Term, ...], known: Set[int | str]) -> bool:
    """Whether enough words have a known meaning. Few texts do; comparing all takes far longer."""
    return sum(not known.isdisjoint(term.meanings) for term in terms) >= _FEWEST_SHARED


def likeness(one: tuple[Term, ...], other: tuple[Term, ...]) -> float:
    """Returns how much of both texts means the same, from 0 to 1; 0 if that is too little to say that they are alike.

    A word counts once, for the word of the other text with which it has the most in common.
    """
    return _likeness(one, _by_meaning(one), other)


def _likeness(one: tuple[Term, ...], known: Mapping[int | str, list[Term]], other: tuple[Term, ...]) -> float:
    """`known`: the terms of `one` by meaning, so that only those with something in common are compared."""
    pairs = [
        (len(first.meanings & second.meanings) / len(first.meanings | second.meanings), first, second)
        for second in other
        for first in {first.text: first for meaning in second.meanings for first in known.get(meaning, ())}.values()
    ]
    shared: dict[str, float] = {}
    taken: set[str] = set()
    for _, first, second in sorted(pairs, key=lambda pair: (-pair[0], pair[1].text, pair[2].text)):
        if first.text not in shared and second.text not in taken:
            shared[first.text] = min(first.weight, second.weight)
            taken.add(second.text)
    if len(shared) < _FEWEST_SHARED:
        return 0.0
    share = sum(shared.values()) / sqrt(_weight(one) * _weight(other))
    return share if share >= (_LEAST if len(shared) > _FEWEST_SHARED else _LEAST_OF_FEWEST) else 0.0


def _weight(terms: tuple[Term, ...]) -> float:
    return sum(term.weight for term in terms)


def search_for(terms: tuple[Term, ...], is_known: Callable[[str], bool] = lambda word: True) -> str:
    """Returns a search for texts with two of the terms, or synonyms of them; empty if that finds nothing.

    The text is one for `to_tsquery('simple', ...)`. `is_known` is whether any text has a word that begins so.
    """
    telling = sorted(terms, key=lambda term: (-term.weight, -len(term.text), term.text))[:_MOST_SEARCHED]
    searches = [" | ".join(found) for term in telling if (found := list(_searched(term, is_known)))]
    return " | ".join(f"({one}) & ({other})" for one, other in combinations(searches, 2))


def _searched(term: Term, is_known: Callable[[str], bool]) -> Iterator[str]:
    synonyms = (word for group in term.meanings if isinstance(group, int) for word in lexicon().searched[group])
    for word in dict.fromkeys([*words_of(term.text), *synonyms]):
        if _is_plain(word) and word not in STOP_WORDS and is_known(word):
            yield f"{word}:*" if len(word) >= _FEWEST_LETTERS else word


def _is_plain(word: str) -> bool:
    """Whether a search reads no sign of the word as its own. Marks, such as the vowels of Hindi, are parts of words."""
    return all(one.isalnum() or category(one).startswith("M") for one in word)
