"""The rows of research, with little of everything. No time is ever asserted."""

import pytest

from benchmarks.research import SOURCES, pages, sections
from benchmarks.rounds import describe


@pytest.mark.slow
async def test_sections_are_searched_beside_their_ideal() -> None:
    case = await sections(2, delay=0.01)
    searched = await case.ours(4, 0)
    row = describe([searched], {"waiting": [await case.limit["waiting"](4, 0)]}) | case.details
    assert (row["sections"], row["findings"]) == (2, 2 * SOURCES)
    assert row["size"] == searched.requests >= 2 * SOURCES
    assert row["ratio"] == pytest.approx(row["idealSeconds"] / row["seconds"], abs=0.05)
    assert row["requestsPerSecond"] > 0
    assert 0 < row["p50Ms"] <= row["p99Ms"]


@pytest.mark.slow
async def test_pages_are_read_and_memory_is_compared() -> None:
    case = await pages(20)
    assert (await case.ours(4, 0)).requests == case.details["size"] == 20
    assert [len(each) for each in case.details["residentMegabytes"]] == [2, 2]
