"""The rows of research, with little of everything. No time is ever asserted."""

import pytest

from benchmarks.research import SOURCES, measure_pages, measure_sections
from tests.bench.test_runs import PROMISED


async def test_sections_are_searched_beside_their_ideal() -> None:
    row = await measure_sections(2, delay=0.01)
    assert row.keys() >= PROMISED
    assert (row["sections"], row["findings"]) == (2, 2 * SOURCES)
    assert row["ratio"] == pytest.approx(row["idealSeconds"] / row["seconds"], abs=0.05)
    assert row["requestsPerSecond"] > 0
    assert 0 < row["p50Ms"] <= row["p99Ms"]


async def test_pages_are_read_and_memory_is_compared() -> None:
    row = await measure_pages(20)
    assert row.keys() >= PROMISED
    assert row["size"] == 20
    assert [len(each) for each in row["residentMegabytes"]] == [2, 2]
