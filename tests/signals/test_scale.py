"""The cost of a page of signals depends on the page: every filter is read from the front of an index."""

import re
from collections.abc import AsyncIterator, Sequence
from typing import Any
from uuid import UUID

import pytest
import pytest_asyncio

from sightline.platform.db import Database, Window
from sightline.platform.http.query_strings import QueryReader
from sightline.platform.lists.totals import Totals
from sightline.signals import queries
from sightline.signals.records import SignalFilters
from tests.explain import Explained, settle
from tests.signals.conftest import Json, listed
from tests.world import World

pytestmark = pytest.mark.slow

MANY = 24_000
PAGE = 20

# One tenth of all comes from zoom, one in two hundred failed, and what is rare is the oldest.
FILL = """
INSERT INTO signals (workspace_id, id, number, name, status, context, processor_type, provider_type, evidence_kind,
                     analysis_profile, source_label, source_type, external_id, integration_id, created_at, updated_at)
SELECT $1, md5(n::text)::uuid, n, 'Signal ' || n, CASE WHEN n % 200 = 0 OR n < 60 THEN 'failed' ELSE 'processed' END,
       'support', 'text', CASE WHEN n < 100 THEN 'rare' WHEN n % 10 = 1 THEN 'zoom' ELSE 'zendesk' END,
       CASE WHEN n % 2 = 0 THEN 'support' ELSE 'conversation' END, 'customer_evidence', 'Label',
       CASE WHEN n % 1000 = 5 THEN 'call' ELSE 'zendesk' END, 'x' || n,
       CASE WHEN n % 20 = 0 OR n < 100 THEN $3::uuid END,
       '2025-01-01'::timestamptz + n * interval '1 minute', '2025-06-01'::timestamptz + (n * 7919 % $2) * interval '1 s'
  FROM generate_series(1, $2::bigint) AS n"""
LINKS = (
    "INSERT INTO signal_accounts (workspace_id, signal_id, account_id) SELECT workspace_id, id, $2 FROM signals "
    "WHERE workspace_id = $1 AND (number % 4 = 0 OR number < 100) AND number BETWEEN $3 AND $3 + 1999 ORDER BY id",
    "INSERT INTO signal_initiatives (workspace_id, signal_id, initiative_id, accepted) "
    "SELECT workspace_id, id, $2, true FROM signals "
    "WHERE workspace_id = $1 AND number % 3 = 0 AND number BETWEEN $3 AND $3 + 1999 ORDER BY id",
)
OTHER_INSIGHTS = """
WITH added AS (
    INSERT INTO insights (workspace_id, id, title, category, created_at, updated_at)
    SELECT $1, gen_random_uuid(), 'Insight', 'problem', now(), now() FROM generate_series(1, 4000)
    RETURNING workspace_id, id)
INSERT INTO insight_accounts (workspace_id, insight_id, account_id) SELECT workspace_id, id, $2 FROM added"""
LINKS_OF_INSIGHTS = """
INSERT INTO insight_signals (workspace_id, insight_id, signal_id)
SELECT s.workspace_id, i.id, s.id FROM signals AS s JOIN insights AS i USING (workspace_id)
 WHERE workspace_id = $1 AND s.number % 40 IN (substr(i.key, 2)::integer, 7) ORDER BY s.id, i.id"""
COUNTED = "INSERT INTO record_counts (workspace_id, kind, slot, count) VALUES ($1, 'signal', 0, $2)"


@pytest_asyncio.fixture(scope="module")
async def busy(database: Database, served: str) -> AsyncIterator[World]:
    """A workspace with very many signals, whose statistics are fresh."""
    async with World(database, served) as world:
        await world.add(
            teams=[{"key": "core", "name": "Core"}],
            accounts=[{"key": key, "name": key.title()} for key in ("globex", "hooli", "initech")],
            insights=[{"key": f"i{n}", "title": f"Insight {n}", "accounts": ["hooli"]} for n in range(6)],
            integrations=[{"key": "desk", "kind": "desk", "name": "Desk"}],
            initiatives=[{"key": "exports", "name": "Exports", "teams": ["core"]}],
        )
        async with database.autocommit() as tx:
            integration = await tx.connection.fetchval(
                "SELECT id FROM integrations WHERE workspace_id = $1", world.workspace_id
            )
            account = UUID((await world.ids("accounts"))["globex"])
            initiative = await tx.connection.fetchval(
                "SELECT id FROM initiatives WHERE workspace_id = $1", world.workspace_id
            )
            await tx.connection.execute(FILL, world.workspace_id, MANY, integration)
            for statement, record in zip(LINKS, (account, initiative), strict=True):
                for first in range(1, MANY, 2000):
                    await tx.connection.execute(statement, world.workspace_id, record, first)
            await tx.connection.execute(LINKS_OF_INSIGHTS, world.workspace_id)
            initech = UUID((await world.ids("accounts"))["initech"])
            await tx.connection.execute(OTHER_INSIGHTS, world.workspace_id, initech)
            await tx.connection.execute(COUNTED, world.workspace_id, MANY)
            await settle(tx, "signals")
            await settle(tx, "linked_signals")
            await settle(tx, "insight_accounts")
        yield world


def plain_filters(world_ids: Json) -> dict[str, Json]:
    account, speaker, integration = world_ids["globex"], world_ids["hooli"], world_ids["desk"]
    return {
        "nothing": {},
        "status": {"status": "processed"},
        "rare status": {"status": "failed"},
        "provider": {"sourceType": "zoom"},
        "rare provider": {"sourceType": "rare"},
        "facet": {"sourceType": "zendesk:support"},
        "source type": {"sourceType": "call"},
        "several sources": {"sourceType": "zoom,call,rare"},
        "integration": {"integrationId": integration},
        "external id": {"externalId": "x77"},
        "account": {"accountId": account},
        "account of insights": {"accountId": speaker},
        "initiative": {"initiativeId": "INITIATIVE-1"},
        "changes": {"updatedSince": "2000-01-01"},
        "late changes": {"updatedSince": "2025-06-01T06:30:00Z"},
        "status and source": {"status": "failed", "sourceType": "rare"},
        "status and integration": {"status": "failed", "integrationId": integration},
        "account and status": {"accountId": account, "status": "processed"},
        "changes of a source": {"updatedSince": "2000-01-01", "sourceType": "rare"},
        "changes of a status": {"updatedSince": "2000-01-01", "status": "failed"},
        "changes of an integration": {"updatedSince": "2000-01-01", "integrationId": integration},
        "changes of an account": {"updatedSince": "2000-01-01", "accountId": account},
        "changes of an account of insights": {"updatedSince": "2000-01-01", "accountId": speaker},
        "changes of an initiative": {"updatedSince": "2000-01-01", "initiativeId": "INITIATIVE-1"},
    }


NAMES = list(plain_filters({"globex": "", "hooli": "", "desk": ""}))


async def asked(busy: World, name: str) -> Json:
    ids = {**await busy.ids("accounts"), **await busy.ids("integrations")}
    return plain_filters(ids)[name]


async def as_they_are(_tx: Any, rows: Sequence[Any]) -> list[Any]:
    return list(rows)


async def explained(busy: World, query: Json, window: Window, totals: Totals) -> tuple[Explained, Any]:
    filters, _ = QueryReader(SignalFilters).read(list(query.items()))
    async with busy.database.autocommit() as tx:
        plan = Explained(tx)
        page = await queries.page_of_signals(plan, totals, busy.workspace_id, filters, window, as_they_are)  # type: ignore[arg-type]  # all that is used of one
    return plan, page


@pytest.mark.parametrize("name", NAMES)
async def test_a_page_reads_rows_in_proportion_to_itself(busy: World, name: str) -> None:
    query, totals = await asked(busy, name), Totals()
    counting, first = await explained(busy, query, Window(PAGE), totals)
    assert counting.read_whole == set()
    windows = [Window(PAGE)] if first.after is None else [Window(PAGE), Window(PAGE, PAGE, first.after)]
    for window in windows:
        plan, _ = await explained(busy, query, window, totals)
        assert plan.read_whole == set()
        assert plan.rows_read <= 30 * PAGE


@pytest.mark.parametrize("name", NAMES)
async def test_the_big_column_is_not_looked_at(busy: World, name: str) -> None:
    plan, _ = await explained(busy, await asked(busy, name), Window(PAGE), Totals())
    assert "signal_raw" not in {node.get("Relation Name") for node in plan.nodes}


@pytest.mark.parametrize("name", NAMES)
async def test_a_total_is_counted_from_indexes_and_once(busy: World, name: str) -> None:
    query, totals = await asked(busy, name), Totals()
    counting, page = await explained(busy, query, Window(1), totals)
    counts = [node for node in counting.nodes if node["Node Type"] in ("Index Scan", "Bitmap Heap Scan")]
    # What links bring is looked up by its id where other filters hold too, at most as much as there are links.
    most = MANY // 4 + 100 if name == "account and status" else 12
    assert sum(node["Actual Rows"] * node["Actual Loops"] for node in counts) <= most
    again, same = await explained(busy, query, Window(1), totals)
    assert again.rows_read <= 30
    assert same.total == page.total


async def test_a_page_near_the_end_is_read_from_there(busy: World) -> None:
    for query in ({}, {"updatedSince": "2000-01-01"}, {"status": "processed"}):
        totals = Totals()
        _, first = await explained(busy, query, Window(1), totals)
        plan, page = await explained(busy, query, Window(PAGE, first.total - 2 * PAGE), totals)
        assert plan.rows_read <= 30 * PAGE
        assert len(page.items) == PAGE


@pytest.mark.parametrize(
    "name", ["nothing", "several sources", "account of insights", "changes", "changes of an account"]
)
async def test_pages_by_offset_and_by_link_are_the_same_however_deep(busy: World, name: str) -> None:
    query = await asked(busy, name)
    answer = await busy.client.get("/signals", params={**query, "limit": 100})
    total, at = int(answer.headers["x-total-count"]), 0
    places = {0, total // 2 - 50, total - 100, total - 50, total - 1, total, total + 7} | {5_000, 5_100} & set(
        range(total)
    )
    walked = [one["id"] for one in answer.json()]
    while link := answer.headers.get("link"):
        answer = await busy.client.get(re.sub(r"^<([^>]*)>.*", r"\1", link))
        walked += [one["id"] for one in answer.json()]
        at += 1
        assert at <= total // 100
    assert len(set(walked)) == len(walked) == total
    for place in sorted(places):
        found = [one["id"] for one in await listed(busy.client, **query, limit=100, offset=place)]
        assert found == walked[place : place + 100], place
