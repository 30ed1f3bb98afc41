"""The word lists of `words.yaml`, and how a data file of the engine is read."""

from functools import cache
from importlib.resources import files
from itertools import product
from typing import Final, TypeVar

import msgspec
from msgspec import Struct

T = TypeVar("T")


class WordList(Struct, frozen=True):
    """Words with an example that has some, or phrases with an example of each; `without` is a text with none."""

    without: str
    example: str = ""
    words: str = ""
    phrases: dict[str, str] = {}


def read_data(name: str, type: type[T]) -> T:
    """Returns what a YAML or JSON file of this folder has."""
    return msgspec.yaml.decode(files(__package__).joinpath(name).read_bytes(), type=type)


@cache
def word_lists() -> dict[str, WordList]:
    return read_data("words.yaml", dict[str, WordList])


@cache
def words_in(name: str) -> frozenset[str]:
    """Returns the words of a list."""
    return frozenset(word_lists()[name].words.split())


@cache
def pairs_in(name: str) -> frozenset[tuple[str, ...]]:
    """Returns the phrases of a list; `a|b c` are two."""
    return frozenset(
        pair for phrase in word_lists()[name].phrases for pair in product(*(slot.split("|") for slot in phrase.split()))
    )


STOP_WORDS: Final = words_in("stop_words")
GERMAN_WORDS: Final = words_in("german_words")
GENERIC_WORDS: Final = words_in("generic_words")
