"""A page of ideas costs what it shows: the first ones are read in order, later ones by ids from an index."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
import pytest_asyncio
from asyncpg.connection import LoggedQuery

from sightline.ideas import queries
from sightline.ideas.records import IdeaFilters
from sightline.platform.db import Database, Window
from sightline.platform.http.query_strings import QueryReader
from tests.explain import Explained, settle
from tests.waiting import next_turn
from tests.world import World

pytestmark = pytest.mark.own_database  # its plans come from the statistics of these records alone
MANY = 6_000
PAGE = 20
FILL = """
INSERT INTO ideas (workspace_id, id, number, name, description, status, source_key, external_id, created_at, updated_at)
SELECT $1, md5(n::text)::uuid, n, 'Idea ' || n, 'Description', CASE WHEN n % 3 = 0 THEN 'Planned' ELSE 'New' END,
       'source' || n % 4, 'x' || n, '2025-01-01'::timestamptz + n * interval '1 minute',
       '2025-06-01'::timestamptz + (n * 7919 % $2) * interval '1 s'
  FROM generate_series(1, $2::bigint) AS n"""
COUNTED = "INSERT INTO record_counts (workspace_id, kind, slot, count) VALUES ($1, 'idea', 0, $2)"


@pytest_asyncio.fixture(scope="module")
async def busy(database: Database, served: str) -> AsyncIterator[World]:
    """A workspace with very many ideas, whose statistics are fresh."""
    async with World(database, served) as world:
        async with database.autocommit() as tx:
            await tx.connection.execute(FILL, world.workspace_id, MANY)
            await tx.connection.execute(COUNTED, world.workspace_id, MANY)
            await settle(tx, "ideas")
        yield world


async def as_they_are(_tx: Any, rows: Sequence[Any]) -> list[Any]:
    return list(rows)


async def explained(busy: World, query: dict[str, str], window: Window) -> tuple[Explained, Any]:
    filters, _ = QueryReader(IdeaFilters).read(list(query.items()))
    async with busy.database.autocommit() as tx:
        plan = Explained(tx)
        page = await queries.page_of_ideas(plan, busy.workspace_id, filters, window, as_they_are)  # type: ignore[arg-type]  # all that is used of one
    return plan, page


@pytest.mark.parametrize("query", [{}, {"updatedSince": "2000-01-01"}], ids=["newest", "changes"])
async def test_a_first_page_looks_each_row_up_once(busy: World, query: dict[str, str]) -> None:
    plan, page = await explained(busy, query, Window(PAGE))
    assert len(page.items) == PAGE
    looked_up = [node for node in plan.nodes if node["Node Type"] == "Index Scan" and node["Actual Loops"] > 1]
    assert looked_up == []
    assert "Seq Scan" not in {node["Node Type"] for node in plan.nodes if node.get("Relation Name") == "ideas"}


async def test_what_an_offset_skips_is_read_from_the_index_alone(busy: World) -> None:
    plan, page = await explained(busy, {}, Window(PAGE, 4_000))
    assert [row["public_id"] for row in page.items] == [f"IDEA-{MANY - 4_000 - n}" for n in range(PAGE)]
    from_rows = [node for node in plan.nodes if node["Node Type"] == "Index Scan" and "Relation Name" in node]
    assert sum(node["Actual Rows"] * node["Actual Loops"] for node in from_rows) <= 3 * PAGE


_KEPT = "SELECT generic_plans FROM pg_prepared_statements WHERE statement = $1"


@pytest.mark.parametrize("is_first", [True, False], ids=["first", "after"])
@pytest.mark.parametrize("query", [{}, {"updatedSince": "2000-01-01"}], ids=["newest", "changes"])
async def test_the_plan_of_a_page_without_filters_is_kept(busy: World, query: dict[str, str], is_first: bool) -> None:
    """PostgreSQL plans the first five pages again, as of every statement."""
    filters, _ = QueryReader(IdeaFilters).read(list(query.items()))
    page = (await explained(busy, query, Window(PAGE)))[1]
    window, said = Window(PAGE, 0, None if is_first else page.after), list[LoggedQuery]()
    async with busy.database.autocommit() as tx:
        with tx.connection.query_logger(said.append):
            for _ in range(8):
                await queries.page_of_ideas(tx, busy.workspace_id, filters, window, as_they_are)
            await next_turn()  # the last one is logged in the next turn of the loop
        assert await tx.connection.fetchval(_KEPT, said[-1].query) >= 3
