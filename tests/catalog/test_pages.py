"""Pages by offset: the rows in order and, from a larger offset on, their ids first show the same list."""

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from sightline.catalog.teams.queries import page_of_teams
from sightline.platform.clock import Clock
from sightline.platform.db import Position, Statement, Window
from sightline.platform.lists.read import IDS_FIRST_FROM
from sightline.signals.opportunities.queries import page_of_opportunities
from sightline.signals.opportunities.records import OpportunityFilters
from tests.world import World

RECORD = Path(__file__).parents[2] / "docs/decisions/0021-feeds.md"

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


class Asked:
    """A transaction that keeps the texts of statements and finds nothing."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def rows(self, statement: Statement, **values: Any) -> list[dict[str, int]]:
        self.texts.append(" ".join(statement.text.split()))
        return [{"total": 0}] if "FROM (SELECT" not in statement.text else []


async def test_the_decision_record_has_the_statements_as_postgresql_gets_them() -> None:
    asked: Any = Asked()
    workspace_id, position = UUID(int=1), Position("opportunities.newest", Clock().now(), UUID(int=2))
    await page_of_teams(asked, workspace_id, Window(20))
    await page_of_opportunities(asked, workspace_id, OpportunityFilters(), Window(20, after=position))
    written = " ".join(RECORD.read_text().split()).replace("( ", "(")
    for text in (asked.texts[0], asked.texts[2]):
        assert text.replace("( ", "(") in written, f"Write into {RECORD.name}: {text}"
