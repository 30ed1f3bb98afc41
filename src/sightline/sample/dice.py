"""Random numbers from a seed: the same in every process and with every version of Python."""

import random
from collections.abc import Sequence
from math import gcd, prod
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Uses only `random()`, the one method whose sequence Python guarantees."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - made-up records, nothing secret

    def below(self, end: int) -> int:
        """Returns a whole number from 0 to `end` - 1."""
        return int(self._random.random() * end)

    def chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def early(self, items: Sequence[T]) -> T:
        """Returns one of the items, the first ones more often."""
        return items[int(self._random.random() ** 2 * len(items))]

    def pick(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def some(self, items: Sequence[T], at_most: int) -> list[T]:
        """Returns up to `at_most` different items; none from an empty list."""
        count = min(at_most, len(items))
        start = self.below(len(items)) if items else 0
        return [items[(start + step) % len(items)] for step in range(count)]


class Deck:
    """Deals every combination of positions in lists of these lengths, none twice until all were dealt."""

    def __init__(self, dice: Dice, *lengths: int) -> None:
        self._lengths = lengths
        self._size = prod(lengths)
        self._place = dice.below(self._size)
        self._step = _stride(self._size, dice)

    def deal(self) -> tuple[int, ...]:
        rest = self._place
        self._place = (rest + self._step) % self._size
        places: list[int] = []
        for length in reversed(self._lengths):
            rest, place = divmod(rest, length)
            places.append(place)
        return tuple(reversed(places))


def _stride(size: int, dice: Dice) -> int:
    """Returns a step near the golden ratio, so that neighbours differ, and coprime to the size."""
    step = max(1, int(size * 0.6180339887) + dice.below(size // 50 + 1))
    while gcd(step, size) != 1:
        step += 1
    return step
