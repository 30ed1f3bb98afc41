"""Logistic regression by Newton's method, with a penalty. The same input gives the same output."""

from collections.abc import Sequence
from math import exp
from operator import mul
from statistics import pvariance
from typing import NamedTuple

ROUNDS = 15
PENALTY = 1.0
LEAST_SHARE = 1e-4  # of the most likely one; others are not worth their time


class Row(NamedTuple):
    """The values of the signals, whether it is right, and how much it counts."""

    values: tuple[float, ...]
    is_right: bool
    weight: float


def fit(rows: Sequence[Row], penalty: float = PENALTY) -> list[float]:
    """Returns the constant and the coefficients. The constant is not penalised."""
    found = [0.0] * (len(rows[0].values) + 1)
    for _ in range(ROUNDS):
        step = solve(*_equations(rows, found, penalty))
        found = [one + more for one, more in zip(found, step, strict=True)]
        if max(map(abs, step)) < 1e-6:
            break
    return found


def _equations(rows: Sequence[Row], found: Sequence[float], penalty: float) -> tuple[list[list[float]], list[float]]:
    """Returns the second and the first derivatives."""
    size = len(found)
    slopes = [0.0] + [-penalty * one for one in found[1:]]
    curves = [[0.0] * size for _ in range(size)]
    for row in rows:
        x = (1.0, *row.values)
        total = sum(one * value for one, value in zip(found, x, strict=True))
        p = 1 / (1 + exp(-max(-30.0, min(30.0, total))))
        error, spread = row.weight * (row.is_right - p), row.weight * p * (1 - p) + 1e-9
        for i, value in enumerate(x):
            if value:
                slopes[i] += error * value
                for j in range(i + 1):
                    curves[i][j] += spread * value * x[j]
    for i in range(size):
        curves[i][i] += penalty if i else 1e-6
        for j in range(i):
            curves[j][i] = curves[i][j]
    return curves, slopes


class Choice(NamedTuple):
    """The values of what there is to choose from, and for each whether it is right."""

    values: tuple[tuple[float, ...], ...]
    right: tuple[bool, ...]


def fit_choices(choices: Sequence[Choice], penalty: float) -> list[float]:
    """Returns coefficients that give right ones the highest sums; each choice counts alike.

    The probability of one is its share of the sum of exp(sum of coefficient times value). The penalty is for values
    with a variance of one.
    """
    size = len(choices[0].values[0])
    penalties = [
        penalty * pvariance(column) for column in zip(*(row for one in choices for row in one.values), strict=True)
    ]
    found = [0.0] * size
    for _ in range(ROUNDS):
        slopes = [-one * value for one, value in zip(penalties, found, strict=True)]
        curves = [[penalties[i] * (i == j) for j in range(size)] for i in range(size)]
        for choice in choices:
            _add(choice, found, slopes, curves)
        step = solve(curves, slopes)
        found = [one + more for one, more in zip(found, step, strict=True)]
        if max(map(abs, step)) < 1e-4:
            break
    return found


def _add(choice: Choice, found: Sequence[float], slopes: list[float], curves: list[list[float]]) -> None:
    """Adds the first and the second derivatives of a choice."""
    sums = [sum(map(mul, found, row)) for row in choice.values]
    odds = [exp(one - max(sums)) for one in sums]
    mean = _mean(choice.values, odds)
    mean_of_right = _mean(choice.values, list(map(mul, odds, choice.right)))
    for i, (one, of_right) in enumerate(zip(mean, mean_of_right, strict=True)):
        slopes[i] += of_right - one
    for row, share in zip(choice.values, odds, strict=True):
        away = [value - one for value, one in zip(row, mean, strict=True)]
        if share > LEAST_SHARE:
            for i, one in enumerate(away):
                scaled = share / sum(odds) * one
                curves[i] = [curve + scaled * other for curve, other in zip(curves[i], away, strict=True)]


def _mean(rows: Sequence[tuple[float, ...]], weights: Sequence[float]) -> list[float]:
    total = sum(weights)
    return [sum(map(mul, column, weights)) / total for column in zip(*rows, strict=True)]


def solve(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """Solves linear equations by elimination."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for i in range(size):
        pivot = max(range(i, size), key=lambda at: abs(rows[at][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for below in rows[i + 1 :]:
            factor = below[i] / rows[i][i]
            for j in range(i, size + 1):
                below[j] -= factor * rows[i][j]
    found = [0.0] * size
    for i in reversed(range(size)):
        found[i] = (rows[i][size] - sum(rows[i][j] * found[j] for j in range(i + 1, size))) / rows[i][i]
    return found
