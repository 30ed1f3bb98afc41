"""GET /insights and /insights/:id: every field, filter and order."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from secrets import token_hex
from threading import Event
from typing import Any
from uuid import UUID

import httpx2
import pytest
import pytest_asyncio

from sightline.platform.db import Database, Position
from sightline.platform.lists.paging import write_cursor
from sightline.signals.insights.similar import _SIMILAR
from tests.waiting import next_moment
from tests.world import World

Json = dict[str, Any]
DAY = "T00:00:00.000Z"
SLOW: Json = {
    "key": "slow",
    "title": "Exports of large tables time out",
    "description": "Analysts wait for minutes.",
    "category": "problem",
    "reviewState": "accepted",
    "origin": "engine",
    "externalId": "i-1",
    "extracts": [{"text": "It never ends.", "signal": "call"}, {"text": "Hm."}],
    "signals": ["mail", "call"],
    "accounts": ["globex"],
    "createdAt": "2026-01-02T03:04:05.678Z",
    "updatedAt": "2026-02-04",
}
OTHERS: list[Json] = [
    {
        "key": "request",
        "title": "Exports to a sheet",
        "category": "request",
        "signals": ["call"],
        "createdAt": "2026-01-03",
        "updatedAt": "2026-02-02",
    },
    {
        "key": "dear",
        "title": "Too expensive",
        "category": "my own word",
        "accounts": ["globex", "hooli"],
        "reviewState": "edited",
        "createdAt": "2026-01-03",
        "updatedAt": "2026-02-04",
    },
    {
        "key": "same",
        "title": "Exports hang",
        "category": "problem",
        "reviewState": "merged",
        "mergedInto": "slow",
        "createdAt": "2026-01-01",
        "updatedAt": "2026-02-03",
    },
]


@pytest_asyncio.fixture(scope="module")
async def reviewed(database: Database, served: str) -> AsyncIterator[World]:
    """Four insights of two signals and two accounts; nothing changes them."""
    async with World(database, served) as world:
        await world.add_earlier(
            accounts=[{"key": "globex", "name": "Globex"}, {"key": "hooli", "name": "Hooli"}],
            signals=[{"key": "call", "name": "A call", "number": 7}, {"key": "mail", "name": "A mail", "number": 8}],
            insights=[SLOW, *OTHERS],
        )
        yield world


async def keys(world: World, **query: Any) -> list[str]:
    """The keys of what a filter finds, in its order; the total agrees."""
    answer = await world.client.get("/insights", params=query)
    assert answer.status_code == 200, answer.text
    by_id = {id: key for key, id in (await world.ids("insights")).items()}
    assert answer.headers["x-total-count"] == str(len(answer.json()))
    return [by_id[insight["id"]] for insight in answer.json()]


async def test_an_insight_shows_its_words_its_quotes_and_what_it_is_linked_with(reviewed: World) -> None:
    insight, signals = (await reviewed.ids("insights"))["slow"], await reviewed.ids("signals")
    answer = await reviewed.client.get(f"/insights/{insight}")
    assert answer.json() == {
        "id": insight,
        "title": "Exports of large tables time out",
        "description": "Analysts wait for minutes.",
        "category": "problem",
        "extracts": [{"text": "It never ends.", "signalId": signals["call"]}, {"text": "Hm.", "signalId": None}],
        "reviewState": "accepted",
        "mergedIntoId": None,
        "origin": "engine",
        "externalId": "i-1",
        "signalIds": [signals["mail"], signals["call"]],
        "accountIds": [(await reviewed.ids("accounts"))["globex"]],
        "quoteCount": 2,
        "accountCount": 1,
        "similarInsightIds": [],
        "createdAt": "2026-01-02T03:04:05.678Z",
        "updatedAt": f"2026-02-04{DAY}",
    }
    assert answer.json() in (await reviewed.client.get("/insights")).json()


async def test_a_merged_insight_names_the_one_that_stands_for_it(reviewed: World) -> None:
    ids = await reviewed.ids("insights")
    shown = (await reviewed.client.get(f"/insights/{ids['same']}")).json()
    assert [shown[name] for name in ("reviewState", "mergedIntoId", "extracts")] == ["merged", ids["slow"], None]


async def test_insights_are_listed_newest_first(reviewed: World) -> None:
    ids = await reviewed.ids("insights")
    order = [*sorted(["request", "dear"], key=ids.__getitem__, reverse=True), "slow", "same"]
    assert await keys(reviewed) == order
    pages = [await reviewed.client.get("/insights", params={"limit": 1, "offset": n}) for n in range(4)]
    assert [page.json()[0]["id"] for page in pages] == [ids[key] for key in order]
    assert [page.headers["x-has-more"] for page in pages] == ["true", "true", "true", "false"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"category": "problem"}, "slow same"),
        ({"category": "my own word"}, "dear"),
        ({"category": "Problem"}, ""),
        ({"reviewState": "unreviewed"}, "request"),
        ({"reviewState": "merged"}, "same"),
        ({"reviewState": "accepted,edited,"}, "slow dear"),
        ({"signalId": "SIGNAL-7"}, "slow request"),
        ({"signalId": "signal-8"}, "slow"),
        ({"signalId": "SIGNAL-9"}, ""),
        ({"signalId": "IDEA-7"}, ""),
        ({"signalId": "6f1c0f7e-8a0c-4c53-9a35-1f7f4f2d7c11"}, ""),
        ({"accountId": "6f1c0f7e-8a0c-4c53-9a35-1f7f4f2d7c11"}, ""),
        ({"q": "exports"}, "slow request same"),
        ({"q": "minutes EXPORTS"}, "slow"),
        ({"q": "export"}, ""),
        ({"q": "exports", "category": "problem", "signalId": "SIGNAL-7"}, "slow"),
        ({"updatedSince": "2026-02-04", "category": "problem"}, "slow"),
    ],
    ids=str,
)
async def test_insights_are_filtered(reviewed: World, query: dict[str, str], found: str) -> None:
    assert set(await keys(reviewed, **query)) == set(found.split())


async def test_insights_of_an_idea(world: World) -> None:
    await world.add(
        insights=[{"key": "slow", "title": "Slow"}, {"key": "dear", "title": "Dear"}],
        ideas=[{"key": "bar", "name": "Bar", "description": "A bar.", "insights": ["slow"]}],
    )
    for reference in ("IDEA-1", "idea-1", (await world.ids("ideas"))["bar"]):
        assert await keys(world, ideaId=reference) == ["slow"]
    for reference in ("IDEA-2", "SIGNAL-1", "6f1c0f7e-8a0c-4c53-9a35-1f7f4f2d7c11"):
        assert await keys(world, ideaId=reference) == []


async def test_a_signal_and_an_account_are_named_by_id(reviewed: World) -> None:
    signal, account = (await reviewed.ids("signals"))["call"], (await reviewed.ids("accounts"))["globex"]
    assert set(await keys(reviewed, signalId=signal)) == {"slow", "request"}
    assert set(await keys(reviewed, accountId=account.upper())) == {"slow", "dear"}
    assert await keys(reviewed, signalId=signal, accountId=account) == ["slow"]


@pytest.mark.parametrize(
    "query",
    [
        {"signalId": "x"},
        {"ideaId": "x"},
        {"limit": "101"},
        {"accountId": "SIGNAL-7"},
        {"reviewState": "nonsense"},
        {"updatedSince": "yesterday"},
    ],
    ids=str,
)
async def test_a_filter_that_cannot_be_read_is_named(reviewed: World, query: dict[str, str]) -> None:
    answer = await reviewed.client.get("/insights", params=query)
    assert (answer.status_code, answer.json()["field"]) == (400, next(iter(query)))


async def test_changes_are_listed_oldest_change_first(reviewed: World) -> None:
    ids = await reviewed.ids("insights")
    last = sorted(["slow", "dear"], key=ids.__getitem__)
    assert await keys(reviewed, updatedSince="2026-02-02") == ["request", "same", *last]
    assert await keys(reviewed, updatedSince=f"2026-02-04{DAY}") == last


async def test_no_change_is_listed_before_an_earlier_one_that_is_still_open(world: World) -> None:
    async with world.database.transaction():
        await next_moment()
        await world.add(insights=[{"key": "new", "title": "New"}])
        assert (await keys(world), await keys(world, updatedSince="2026-01-01")) == (["new"], [])
    assert await keys(world, updatedSince="2026-01-01") == ["new"]


async def test_insights_are_read_with_their_own_scope_in_their_own_workspace(reviewed: World) -> None:
    path = f"/insights/{(await reviewed.ids('insights'))['slow']}"
    for scopes, status in ((("insights:read",), 200), (("signals:read", "insights:write"), 403)):
        client = await reviewed.client_with(*scopes)
        assert {(await client.get(each)).status_code for each in (path, "/insights")} == {status}
    async with reviewed.stranger() as stranger:
        assert (await stranger.client.get(path)).status_code == 404
        signal = (await reviewed.ids("signals"))["call"]
        for query in ({}, {"category": "problem"}, {"signalId": signal}, {"signalId": "SIGNAL-7"}, {"q": "exports"}):
            assert (await stranger.client.get("/insights", params=query)).json() == []


async def most_said(world: World) -> dict[str, str]:
    """Insights of three, one, three and no accounts, none of which are equally new."""
    said = {"c": ["x", "y", "z"], "b": ["x"], "a": ["z", "y", "x"], "d": []}
    await world.add(
        accounts=[{"key": key, "name": key} for key in "xyz"],
        insights=[{"key": key, "title": key, "category": key, "accounts": of} for key, of in said.items()],
    )
    return await world.ids("insights")


async def test_what_most_accounts_say_comes_first(world: World) -> None:
    ids = await most_said(world)
    order = [*sorted("ac", key=ids.__getitem__, reverse=True), "b", "d"]
    assert await keys(world, order="accounts") == order
    assert await keys(world, order="accounts", accountId=(await world.ids("accounts"))["x"]) == order[:3]
    found, address = [], "/insights?order=accounts&limit=1"
    while address:
        page = await world.client.get(address)
        found += [(one["id"], one["accountCount"]) for one in page.json()]
        address = page.links.get("next", {}).get("url", "")
        assert page.headers["x-has-more"] == ("true" if address else "false")
    assert found == [(ids[key], count) for key, count in zip(order, (3, 3, 1, 0), strict=True)]


async def test_a_page_by_accounts_goes_on_after_a_large_insight(world: World) -> None:
    """An insight that exceeds the page's share of each record is sent as a piece of its own."""
    large = {"key": "large", "title": "large", "description": token_hex(600_000), "accounts": ["x", "y"]}
    small = {"key": "small", "title": "small", "accounts": ["x"]}
    other = {"key": "other", "title": "other"}
    await world.add(accounts=[{"key": key, "name": key} for key in "xy"], insights=[large, small, other])
    page = await world.client.get("/insights?order=accounts&limit=2")
    assert [insight["title"] for insight in page.json()] == ["large", "small"]
    assert page.headers["x-has-more"] == "true"
    assert "offset=2" in page.headers["link"]


async def test_the_order_by_accounts_is_no_order_of_changes(world: World) -> None:
    await most_said(world)
    first = await world.client.get("/insights", params={"limit": 1})
    after = httpx2.URL(first.links["next"]["url"]).params["after"]
    forged = write_cursor(Position("insights.accounts", datetime.now(UTC), UUID(int=1)))
    for query, field in (
        ({"updatedSince": "2026-01-01"}, "order"),
        ({"after": after}, "after"),
        ({"after": forged}, "after"),
    ):
        answer = await world.client.get("/insights", params={"order": "accounts", **query})
        assert (answer.status_code, answer.json()["field"]) == (400, field)
    assert (await world.client.get("/insights", params={"order": "newest"})).json()["field"] == "order"


async def test_similar_insights_are_offered_and_stay_apart(world: World) -> None:
    titles = {
        "slow": "The export of large tables takes ten minutes",
        "near": "Export of large tables takes ten whole minutes!",
        "less": "The export of large tables takes ages",
        "other": "Search finds no large tables",
        "no": "The export of large tables takes ten minutes.",
        "gone": "Exports of large tables take ten minutes",
    }
    await world.add(insights=[{"key": key, "title": title, "category": "problem"} for key, title in titles.items()])
    ids = await world.ids("insights")
    await world.client.patch(f"/insights/{ids['no']}", json={"reviewState": "rejected"})
    await world.client.patch(f"/insights/{ids['gone']}", json={"mergedIntoId": ids["other"]})
    by_id = {id: key for key, id in ids.items()}
    listed = (await world.client.get("/insights")).json()
    found = {by_id[one["id"]]: [by_id[id] for id in one["similarInsightIds"]] for one in listed}
    alike = {"slow": ["near", "less"], "near": ["slow", "less"], "less": ["slow", "near"]}
    assert found == {**alike, "other": [], "no": [], "gone": []}
    for one in listed:
        assert (await world.client.get(f"/insights/{one['id']}")).json() == one


async def test_insights_in_other_words_are_similar_if_they_are_of_one_category(world: World) -> None:
    titles = {
        "gone": ("problem", "Changes in the seat editor are lost after saving"),
        "lost": ("problem", "Im Saalplan gehen Änderungen verloren, sobald man speichert"),
        "wish": ("request", "Changes in the seat editor should not be lost after saving"),
    }
    await world.add(insights=[{"key": key, "title": title, "category": of} for key, (of, title) in titles.items()])
    by_id = {id: key for key, id in (await world.ids("insights")).items()}
    listed = (await world.client.get("/insights")).json()
    found = {by_id[one["id"]]: [by_id[id] for id in one["similarInsightIds"]] for one in listed}
    assert found == {"gone": ["lost"], "lost": ["gone"], "wish": []}


async def test_of_older_insights_those_that_share_a_rare_word_are_similar(world: World) -> None:
    moments = {"rare": "2020-01-01", "plain": "2020-01-01", "rare again": "2026-01-01", "plain again": "2026-01-01"}
    titles = {key: f"Invoice exports {'of Zanzibar ' * key.startswith('rare')}fail" for key in moments}
    many = [{"key": f"i{n}", "title": f"Invoice {n}: exports fail", "createdAt": "2025-01-01"} for n in range(501)]
    few = [{"key": key, "title": titles[key], "createdAt": moment} for key, moment in moments.items()]
    await world.add(insights=[*many, *few])
    by_id = {id: key for key, id in (await world.ids("insights")).items()}
    listed = (await world.client.get("/insights?limit=2")).json()
    found = {by_id[one["id"]]: {by_id[id] for id in one["similarInsightIds"]} for one in listed}
    assert "rare" in found["rare again"]
    assert "plain" not in found["plain again"]


async def test_at_most_three_similar_insights_are_offered(world: World) -> None:
    await world.add(insights=[{"key": f"i{n}", "title": f"Exports of tables hang {n}"} for n in range(30)])
    for one in (await world.client.get("/insights", params={"limit": 100})).json():
        assert len(set(one["similarInsightIds"]) - {one["id"]}) == 3


@pytest.mark.parametrize(
    "title", ["?", "the", "\U0001f642", '"or" -not & | ! ( <->', "エクスポートが遅い", "-" * 999, "a " * 500]
)
async def test_any_title_can_be_compared(world: World, title: str) -> None:
    await world.add(insights=[{"key": key, "title": title} for key in ("one", "two")])
    assert len((await world.client.get("/insights")).json()) == 2


async def test_words_of_an_insight_are_found_whatever_sign_stands_between_them(world: World) -> None:
    signs = {"key": "signs", "title": "CSV/Excel", "category": "problem", "description": "_x" * 40_000}
    await world.add(insights=[signs])
    for q in ("excel", "CSV/Excel", "x"):
        assert await keys(world, q=q) == ["signs"]


async def test_who_waits_for_similar_insights_holds_no_connection(world: World) -> None:
    await world.add(insights=[{"key": f"i{n}", "title": f"Exports of tables hang {n}"} for n in range(3)])
    compared = Event()
    before = asyncio.create_task(_SIMILAR.run(compared.wait, 30))
    readers = [asyncio.create_task(world.client.get("/insights")) for _ in range(20)]
    try:
        assert (await world.client.get("/ideas")).status_code == 200
    finally:
        compared.set()
    assert await before
    assert {answer.status_code for answer in await asyncio.gather(*readers)} == {200}
