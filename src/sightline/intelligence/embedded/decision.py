"""The fitted decision: how likely it is that a text speaks of a feature, from the signals of a sentence or of the text.

The numbers are in `matching.json`, written by `tools/fit_matching.py`.
"""

from collections.abc import Sequence
from functools import cached_property
from math import exp
from operator import mul
from typing import Final, Literal, NamedTuple

import msgspec

from sightline.intelligence.embedded.vocabulary import read_data

Ground = Literal["name", "word", "text"]


class Signal(NamedTuple):
    """A coefficient, and what its signal is."""

    weight: float
    why: str


class GroundModel(msgspec.Struct, dict=True):
    """The logistic regression of one ground."""

    constant: float
    signals: dict[str, Signal]

    @cached_property
    def weights(self) -> tuple[float, ...]:
        return tuple(signal.weight for signal in self.signals.values())


class Model(msgspec.Struct):
    """The numbers of a file; `clear` and `uncertain` are the lowest probabilities of a match and of a suggestion.

    Each ground has its signals in the order of a tuple of values.
    """

    about: str
    clear: float
    uncertain: float
    grounds: dict[Ground, GroundModel]

    def probability(self, ground: Ground, values: Sequence[float]) -> float:
        """Returns the calibrated probability, rounded to two digits, at most .99."""
        model = self.grounds[ground]
        total = model.constant + sum(map(mul, model.weights, values))
        if total >= _FAR:
            return SUREST
        found = round(1 / (1 + exp(-total if total > -_FAR else _FAR)), 2)
        return found if found < SUREST else SUREST

    def below_clear(self, probability: float) -> float:
        """Returns the probability, at most just below the one of a match."""
        return min(probability, round(self.clear - 0.01, 2))


SUREST: Final = 0.99
_FAR: Final = 30.0  # the logit of a probability that is 0 or 1 in two digits
DECISION: Final = read_data("matching.json", Model)
