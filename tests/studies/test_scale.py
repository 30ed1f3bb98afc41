"""The cost of a page of study feedback depends on the page, not on the filter or the length of the feed."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import pytest
import pytest_asyncio

from sightline.platform.db import Database, Window
from sightline.platform.http.query_strings import QueryReader
from sightline.platform.lists.totals import Totals
from sightline.studies import queries
from sightline.studies.records import FeedbackFilters
from tests.explain import Explained, Json, settle
from tests.world import World

pytestmark = pytest.mark.own_database  # its plans come from the statistics of these records alone
MANY = 24_000
PAGE = 20
SUBJECT = UUID(int=3)

# Nine tenths are of one metric; what is rare came last, so that nothing finds it by walking from the front.
FILL = """
INSERT INTO study_feedback (workspace_id, id, study_id, rating, metric, subject_type, subject_id, comment, submitted_at,
                            source, account_id, created_at, updated_at)
SELECT $1, md5(n::text)::uuid, ($3::uuid[])[1 + n % 5], n % 11,
       CASE WHEN n > $2 - 100 THEN 'rare' WHEN n % 10 = 1 THEN 'effort' ELSE 'satisfaction' END,
       CASE WHEN n % 4 = 0 OR n > $2 - 100 THEN 'idea' ELSE 'feature' END,
       CASE WHEN n % 50 = 0 OR n > $2 - 100 THEN $5::uuid ELSE md5('s' || n % 300)::uuid END, repeat('word ', 20),
       '2025-01-01'::timestamptz + n * interval '1 minute', 'study_completion', CASE WHEN n % 3 = 0 THEN $4::uuid END,
       now(), '2025-06-01'::timestamptz + n * interval '1 minute'
  FROM generate_series(1, $2::bigint) AS n"""


@pytest_asyncio.fixture(scope="module")
async def busy(database: Database, served: str) -> AsyncIterator[World]:
    async with World(database, served) as world:
        await world.add(
            teams=[{"key": "core", "name": "Core"}],
            accounts=[{"key": "globex", "name": "Globex"}],
            initiatives=[{"key": "data", "name": "Data", "teams": ["core"]}],
            ideas=[{"key": "exports", "name": "Exports", "description": "."}],
            studies=[
                {"key": f"s{n}", "name": f"S{n}", "initiatives": ["data"] * (n < 2), "ideas": ["exports"] * (n == 1)}
                for n in range(5)
            ],
        )
        studies = [UUID(id) for id in (await world.ids("studies")).values()]
        account = UUID((await world.ids("accounts"))["globex"])
        async with database.autocommit() as tx:
            await tx.connection.execute(FILL, world.workspace_id, MANY, studies, account, SUBJECT)
            await tx.connection.execute(
                "INSERT INTO record_counts (workspace_id, kind, slot, count) VALUES ($1, 'study_feedback', 0, $2)",
                world.workspace_id,
                MANY,
            )
            await settle(tx, "study_feedback")
        yield world


def plain_filters(ids: dict[str, str]) -> dict[str, Json]:
    return {
        "nothing": {},
        "metric": {"metric": "satisfaction"},
        "rare metric": {"metric": "rare"},
        "subject type": {"subjectType": "idea"},
        "subject": {"subjectId": str(SUBJECT)},
        "window": {"submittedFrom": "2025-01-05", "submittedTo": "2025-01-06"},
        "late window": {"submittedFrom": "2025-01-17"},
        "initiative": {"initiativeId": ids["data"]},
        "idea": {"ideaId": ids["exports"]},
        "account": {"accountId": ids["globex"]},
        "metric and window": {"metric": "effort", "submittedFrom": "2025-01-10"},
        "metric and initiative": {"metric": "satisfaction", "initiativeId": ids["data"]},
        "metric and account": {"metric": "satisfaction", "accountId": ids["globex"]},
        "subject and type": {"subjectType": "idea", "subjectId": str(SUBJECT)},
        "changes": {"updatedSince": "2025-06-02"},
        "late changes of a metric": {"updatedSince": "2025-06-17T12:00", "metric": "effort"},
        "changes of an initiative": {"updatedSince": "2025-06-02", "initiativeId": ids["data"]},
        "initiative and window": {"initiativeId": ids["data"], "submittedTo": "2025-01-02"},
    }


NAMES = list(plain_filters({"data": "", "exports": "", "globex": ""}))


async def explained(busy: World, name: str, window: Window, totals: Totals) -> tuple[Explained, Any]:
    tables = ("accounts", "initiatives", "ideas")
    ids = {key: id for table in tables for key, id in (await busy.ids(table)).items()}
    filters, _ = QueryReader(FeedbackFilters).read(list(plain_filters(ids)[name].items()))
    async with busy.database.autocommit() as tx:
        plan = Explained(tx)
        page = await queries.page_of_feedback(plan, totals, busy.workspace_id, filters, window)  # type: ignore[arg-type]  # all that is used of one
    return plan, page


@pytest.mark.parametrize("name", NAMES)
async def test_a_page_reads_rows_in_proportion_to_itself(busy: World, name: str) -> None:
    totals = Totals()
    counting, first = await explained(busy, name, Window(PAGE), totals)
    assert counting.read_whole - {"studies", "study_initiatives", "study_ideas"} == set()
    assert (first.after is None) == (first.total <= PAGE)
    for window in (Window(PAGE), Window(PAGE, PAGE, first.after)) if first.after else (Window(PAGE),):
        plan, page = await explained(busy, name, window, totals)
        assert plan.rows_read <= 30 * PAGE
        assert page.total == first.total


@pytest.mark.parametrize("name", ["nothing", "metric", "initiative"])
async def test_a_page_near_the_end_is_read_from_there(busy: World, name: str) -> None:
    totals = Totals()
    _, first = await explained(busy, name, Window(1), totals)
    plan, page = await explained(busy, name, Window(PAGE, first.total - 2 * PAGE), totals)
    assert plan.rows_read <= 30 * PAGE
    assert len(page.items) == PAGE
    walked, at, after = [one.id for one in first.items], 1, first.after
    while after is not None:
        _, more = await explained(busy, name, Window(500, at, after), totals)
        walked += [one.id for one in more.items]
        at, after = len(walked), more.after
    assert [one.id for one in page.items] == walked[-2 * PAGE : -PAGE]
