"""Clues in a text that answer a point without one of its words: people, a rate, a limit."""

from collections.abc import Iterable
from functools import lru_cache
from itertools import chain, pairwise
from typing import Final, NamedTuple

from sightline.intelligence.embedded.points import POINTS, Clue
from sightline.intelligence.embedded.sentences import Sentence
from sightline.intelligence.embedded.vocabulary import GENERIC_WORDS, STOP_WORDS, word_set

# People are named by what they do: pickers, operators, dentists, trainees, librarians, accountants.
_ENDINGS: Final = ("ers", "ors", "ists", "ees", "ians", "eurs", "smen", "women", "ants")
_SHORTEST_PERSON: Final = 6
_NO_PEOPLE: Final = word_set("""
    adapters answers attachers banners barriers behaviors blockers boilers borders browsers buffers chapters
    charters clusters colors committees computers connectors constants consumers containers converters cookers
    copiers corners corridors counters covers decorators degrees dividers drawers elephants errors factors
    favors filters fingers floors flowers folders footers freezers guarantees gutters headers indicators
    instants iterators lasers layers letters levers loaders meters mirrors monitors motors numbers offers orders
    others papers parameters parsers plants pointers posters powers printers processors projectors quarters
    refrigerators registers reminders renders restaurants rollers routers rulers scanners selectors sensors
    separators servers shutters sliders spinners stickers sweaters switchers timers toasters towers trackers
    trailers transfers transformers triggers validators variants vectors wallpapers waters wrappers
""")
_NAMED_PEOPLE: Final = word_set("""
    accountants admin admins agents analyst analysts apprentices architects assistants auditor beginners
    candidates carpenters chefs chief chiefs children clerk clerks cooks crew crews doctor drivers editors
    engineers executives experts freelancers guest guests guides hosts interns kids mechanic mechanics merchant
    merchants newcomers nurse nurses owner owners partner partners patient patients physicians pilots planner
    planners readers recruiter reps residents scientists shopper shoppers staffers student students travellers
    tutors veterinarians vets viewers visitors volunteer volunteers workers
""")
# These may be anybody.
_ANYBODY: Final = word_set("""
    clients colleagues companies customer customers employees everybody everyone members organisations organizations
    people somebody someone staff team teams tenants user users workspaces nobody
""")
# Only people do these: what comes before them is who is affected.
_DEEDS: Final = word_set("""
    ask asked asks complain complained complains forget forgets guess hate hates learn prefer quit retype retypes
    struggle struggles wait waits want wants waste wastes worry
""")

_PERIODS: Final = word_set("""
    minute minutes hour hours day days week weeks month months quarter quarters year years time times users customers
    people accounts requests tickets teams percent orders calls shift shifts
""")
_WEEKDAYS: Final = word_set("monday tuesday wednesday thursday friday saturday sunday morning evening night")
_NUMBERS: Final = word_set("""
    two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty hundred thousand
    dozen
""")
_EACH: Final = word_set("every per each")
_BOUNDS: Final = word_set("below under within beneath than least most above to from")
_SECOND: Final = (_DEEDS | _PERIODS | _WEEKDAYS | _NUMBERS).union(
    second for point in POINTS for _, second in point.said_by_pairs
)


class Words(NamedTuple):
    """The distinct words of a text, and those pairs of following words that can be part of a clue."""

    words: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    has_percent: bool


def read_words(sentences: Iterable[Sentence]) -> Words:
    """Returns the words and pairs of sentences."""
    pairs = chain.from_iterable(pairwise(words) for _, words in sentences)
    return Words(
        frozenset(chain.from_iterable(words for _, words in sentences)),
        frozenset((first, second) for first, second in pairs if second in _SECOND or second.isdecimal()),
        any("%" in text for text, _ in sentences),
    )


def has_clue(clue: Clue, text: Words) -> bool:
    """Whether a text has a clue."""
    if clue is Clue.PEOPLE:
        return _has_people(text)
    return _has_rate(text) if clue is Clue.RATE else _has_limit(text)


def _has_people(text: Words) -> bool:
    """Whether people are named by what they do: "pickers", "the mechanics wait"."""
    if any(map(is_person, text.words)):
        return True
    if _DEEDS.isdisjoint(text.words):
        return False
    return any(deed in _DEEDS and _is_plural(doer) for doer, deed in text.pairs)


@lru_cache(maxsize=20_000)
def is_person(word: str) -> bool:
    """Whether a word names people by what they do, mostly in the plural."""
    if word in _NAMED_PEOPLE:
        return True
    if len(word) < _SHORTEST_PERSON or not word.endswith(_ENDINGS):
        return False
    return word not in _NO_PEOPLE and _is_telling(word)


def _is_plural(word: str) -> bool:
    return len(word) > 3 and word.endswith("s") and _is_telling(word)


def _is_telling(word: str) -> bool:
    return word not in _ANYBODY and word not in STOP_WORDS and word not in GENERIC_WORDS


def _has_rate(text: Words) -> bool:
    """Whether something is counted: 30 tickets, 5 %, every week, on a Monday."""
    if text.has_percent and any(map(str.isdecimal, text.words)):
        return True
    if _PERIODS.isdisjoint(text.words) and _WEEKDAYS.isdisjoint(text.words):
        return False
    return any(_is_rate(first, second) for first, second in text.pairs)


def _is_rate(first: str, second: str) -> bool:
    if second in _PERIODS:
        return first in _EACH or _is_number(first)
    return second in _WEEKDAYS and (first in _EACH or first == "on")


def _has_limit(text: Words) -> bool:
    """Whether a figure is to be reached: below 10 %, within 2 minutes, from 40 to 10."""
    if _BOUNDS.isdisjoint(text.words):
        return False
    return any(first in _BOUNDS and _is_number(second) for first, second in text.pairs)


def _is_number(word: str) -> bool:
    return word in _NUMBERS or word.isdecimal()
