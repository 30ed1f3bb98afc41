"""What a request costs against how much there is, as a drawing: SVG, written without any further package."""

from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10
from typing import Any

WIDTH, HEIGHT = 860, 480
LEFT, RIGHT, TOP, BOTTOM = 80, 220, 40, 60
COLOURS = ("#0a7", "#c33", "#36c", "#a60", "#72b", "#088", "#946", "#555", "#d70", "#39c", "#690", "#c6a")


class Scale:
    """Values on a logarithmic axis, between two ends of the drawing."""

    def __init__(self, values: Sequence[float], begin: float, end: float) -> None:
        self.lowest, self.highest = floor(log10(min(values))), ceil(log10(max(values)))
        self.highest = max(self.highest, self.lowest + 1)
        self._begin, self._end = begin, end

    def at(self, value: float) -> float:
        part = (log10(value) - self.lowest) / (self.highest - self.lowest)
        return round(self._begin + part * (self._end - self._begin), 1)

    @property
    def marks(self) -> list[int | float]:
        return [10**power for power in range(self.lowest, self.highest + 1)]


def draw(rows: Sequence[dict[str, Any]], connections: int) -> str:
    """An SVG with a line for each operation: milliseconds of one request (median), by the number of ideas."""
    chosen = [row for row in rows if row["connections"] == connections]
    across = Scale([row["size"] for row in chosen], LEFT, WIDTH - RIGHT)
    upwards = Scale([row["p50Ms"] for row in chosen], HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        _words(LEFT, 24, f"Median time of a request, {connections} connections", size=15),
        *(_across(across, mark) for mark in across.marks),
        *(_upwards(upwards, mark) for mark in upwards.marks),
        _words(LEFT, HEIGHT - 14, "ideas in the workspace"),
    ]
    names = list(dict.fromkeys(row["name"] for row in chosen))
    for place, name in enumerate(names):
        points = [(across.at(row["size"]), upwards.at(row["p50Ms"])) for row in chosen if row["name"] == name]
        parts += _line(sorted(points), COLOURS[place % len(COLOURS)])
        parts.append(_words(WIDTH - RIGHT + 24, TOP + 20 * place, name, COLOURS[place % len(COLOURS)]))
    return "\n".join([*parts, "</svg>", ""])


def _across(scale: Scale, mark: float) -> str:
    x = scale.at(mark)
    line = f'<line x1="{x}" y1="{TOP}" x2="{x}" y2="{HEIGHT - BOTTOM}" stroke="#ddd"/>'
    return line + _words(x - 20, HEIGHT - BOTTOM + 20, f"{mark:,}")


def _upwards(scale: Scale, mark: float) -> str:
    y = scale.at(mark)
    line = f'<line x1="{LEFT}" y1="{y}" x2="{WIDTH - RIGHT}" y2="{y}" stroke="#ddd"/>'
    return line + _words(10, y + 4, f"{mark:g} ms")


def _line(points: Sequence[tuple[float, float]], colour: str) -> list[str]:
    path = " ".join(f"{x},{y}" for x, y in points)
    dots = [f'<circle cx="{x}" cy="{y}" r="4" fill="{colour}"/>' for x, y in points]
    return [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>', *dots]


def _words(x: float, y: float, text: str, colour: str = "#333", size: int = 12) -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{colour}">{escape(text)}</text>'
