"""Logistic regression by Newton's method, with weights and a penalty. The same input gives the same output."""

from collections.abc import Sequence
from math import exp
from typing import NamedTuple

ROUNDS = 15
PENALTY = 1.0


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
