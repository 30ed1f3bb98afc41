"""Pages by offset: the rows in order and, from a larger offset on, their ids first show the same list."""

from typing import Any

import pytest

from sightline.platform.db.pages import IDS_FIRST_FROM
from tests.world import World

COUNT = IDS_FIRST_FROM + 25


def days(n: int) -> str:
    return f"2025-{1 + n // 28:02}-{1 + n % 28:02}T00:00:00Z"


@pytest.mark.parametrize(
    ("path", "query", "list", "title"),
    [
        ("/accounts", {}, "accounts", "name"),
        ("/accounts", {"updatedSince": "2000-01-01"}, "accounts", "name"),
        ("/insights", {}, "insights", "title"),
        ("/insights", {"updatedSince": "2000-01-01"}, "insights", "title"),
    ],
)
async def test_a_walk_shows_each_record_once_and_in_order(
    world: World, path: str, query: dict[str, Any], list: str, title: str
) -> None:
    """Changes are the other way round than creation, so the oldest change is the newest record."""
    records = [
        {"key": f"k{n}", title: f"N{n}", "createdAt": days(n), "updatedAt": days(COUNT - n)} for n in range(COUNT)
    ]
    lists: dict[str, Any] = {list: records}
    await world.add_earlier(**lists)
    for offset in range(0, COUNT + 25, 25):
        answer = await world.client.get(path, params={**query, "limit": 25, "offset": offset})
        expected = [f"N{n}" for n in reversed(range(COUNT))][offset : offset + 25]
        assert [one[title] for one in answer.json()] == expected, offset
        assert answer.headers["x-total-count"] == str(COUNT)
