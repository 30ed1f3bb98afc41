"""The fitted decision: how likely it is that a text speaks of a feature, from the signals of one sentence.

The numbers are in `matching.json`, written by `tools/fit_matching.py`.
"""

from collections.abc import Sequence
from importlib.resources import files
from math import exp
from typing import Final, Literal, NamedTuple

import msgspec

Ground = Literal["name", "word", "part", "description"]

# The signals of each ground, in the order of a tuple of values. `matching.json` says what they mean.
SIGNALS: Final[dict[Ground, tuple[str, ...]]] = {
    "name": (
        *("rarity", "apart", "reversed", "other_forms", "related_words", "written_as_name", "common_words"),
        *("description", "outdone", "contained"),
    ),
    "word": (
        *("rarity", "verb", "other_forms", "past", "related_words", "written_as_name"),
        *("description", "outdone", "contained"),
    ),
    "part": (
        *("share", "rarest", "length", "other_forms", "related_words", "written_as_name"),
        *("description", "margin", "outdone"),
    ),
    "description": ("description", "words", "margin"),
}


class Signal(NamedTuple):
    """A coefficient, and what its signal is."""

    weight: float
    why: str


class GroundModel(msgspec.Struct):
    """The logistic regression of one ground."""

    constant: float
    signals: dict[str, Signal]


class Model(msgspec.Struct):
    """`clear` and `uncertain` are the lowest probabilities of a match and of a suggestion."""

    about: str
    clear: float
    uncertain: float
    grounds: dict[Ground, GroundModel]


MODEL: Final = msgspec.json.decode((files(__package__) / "matching.json").read_bytes(), type=Model)
SUREST: Final = 0.99
CLEAR: Final = MODEL.clear
UNCERTAIN: Final = MODEL.uncertain
_COEFFICIENTS: Final[dict[Ground, tuple[float, tuple[float, ...]]]] = {}


def probability(ground: Ground, values: Sequence[float]) -> float:
    """Returns the calibrated probability, rounded to two digits, never 1."""
    constant, weights = _COEFFICIENTS[ground]
    total = constant + sum(weight * value for weight, value in zip(weights, values, strict=True))
    return min(round(1 / (1 + exp(-max(-30.0, min(30.0, total)))), 2), SUREST)


def use(model: Model) -> None:
    """Decides by the numbers of another model from now on, in this process. For fitting."""
    for ground, one in model.grounds.items():
        _COEFFICIENTS[ground] = (one.constant, tuple(one.signals[name].weight for name in SIGNALS[ground]))


use(MODEL)
