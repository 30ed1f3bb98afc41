"""Results that are kept by text, within a bound of characters: a few thousand long texts would fill the memory."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

MOST_CHARACTERS: Final = 1_000_000  # of the texts by which one function is kept; a sentence has about 100


def keep_by_text(most: int) -> Callable[[Function], Function]:
    """Keeps at most `most` results of a function of texts, of at most 1,000,000 characters and one more text in all.

    Beyond 1,000,000 characters it forgets all.
    """

    def keep(function: Function) -> Function:
        left = MOST_CHARACTERS

        @lru_cache(maxsize=most)
        def kept(*texts: str) -> Any:  # runs only for what is not kept, so what is kept costs no more than without
            nonlocal left
            if left < 0:
                kept.cache_clear()
                left = MOST_CHARACTERS
            left -= sum(map(len, texts))
            return function(*texts)

        return cast("Function", kept)

    return keep
