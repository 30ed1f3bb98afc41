"""Copies of one text, whole or shortened: reprints, wire copies, the same page under several addresses."""

from functools import lru_cache
from typing import Final

_RUN: Final = 8  # words
_SHORT: Final = 300  # characters
_MOST_WORDS: Final = 6_000
_LEAST_COMMON: Final = 0.5  # of the runs of words of the shorter text


def is_copy(text: str, other: str) -> bool:
    """Whether half of the shorter text stands word by word in the other. Short texts have to be equal."""
    if min(len(text), len(other)) < _SHORT:
        return text == other
    runs, others = sorted((_runs(text), _runs(other)), key=len)
    return len(runs & others) >= _LEAST_COMMON * len(runs) > 0


@lru_cache(maxsize=64)
def _runs(text: str) -> frozenset[int]:
    words = text.lower().split()[:_MOST_WORDS]
    return frozenset(hash(tuple(words[at : at + _RUN])) for at in range(max(1, len(words) - _RUN + 1)))
