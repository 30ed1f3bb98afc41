"""The drawing of cost against size."""

from typing import Any
from xml.etree import ElementTree

import pytest

from sightline.bench.plot import Scale, draw

NAMES = ("get_idea", "list <ideas>")
ROWS: list[dict[str, Any]] = [
    {"name": name, "size": size, "connections": connections, "p50Ms": cost}
    for name, cost in zip(NAMES, (0.4, 12.0), strict=True)
    for size in (1_000_000, 10_000)
    for connections in (1, 32)
]


def test_every_operation_has_a_line_over_all_sizes() -> None:
    drawing = ElementTree.fromstring(draw(ROWS, 32))  # noqa: S314 - our own words
    lines = [element for element in drawing if element.tag.endswith("polyline")]
    assert [len(line.attrib["points"].split()) for line in lines] == [2, 2]
    assert set(NAMES) <= {element.text for element in drawing}


def test_a_line_goes_from_the_smallest_size_to_the_largest_at_its_height() -> None:
    drawing = ElementTree.fromstring(draw(ROWS, 32))  # noqa: S314 - our own words
    flat = next(element for element in drawing if element.tag.endswith("polyline")).attrib["points"].split()
    (left, left_height), (right, right_height) = (map(float, point.split(",")) for point in flat)
    assert left < right
    assert left_height == right_height


@pytest.mark.parametrize("values", [[5], [1, 1], [10_000, 1_000_000], [0.03, 700]])
def test_a_scale_holds_all_of_its_values(values: list[float]) -> None:
    scale = Scale(values, 0, 100)
    assert all(0 <= scale.at(value) <= 100 for value in values)
    assert scale.marks[0] <= min(values) <= max(values) <= scale.marks[-1]
