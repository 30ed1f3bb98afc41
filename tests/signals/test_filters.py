"""GET /signals: every filter alone and with every other one finds what plain words say. Specification: Signals."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest
import pytest_asyncio

from tests.signals.conftest import Json, listed, walked
from tests.world import World

Holds = Callable[[Json], bool]
OF_INSIGHTS = {"hooli": set(range(0, 60, 10)), "globex": {0, 6, 7}}


def number(found: Json) -> int:
    return int(found["source"]["external_data"]["n"])


@pytest_asyncio.fixture(scope="module")
async def ids(acme: World) -> Json:
    tables = ("accounts", "integrations", "initiatives", "studies")
    return {key: id for table in tables for key, id in (await acme.ids(table)).items()}


def of_account(found: Json, ids: Json, *names: str) -> bool:
    direct = any(ids[name] in found["accountIds"] for name in names)
    return direct or any(number(found) in OF_INSIGHTS.get(name, ()) for name in names)


def of_source(found: Json, *values: str) -> bool:
    return bool({found["providerType"], found["sourceFacet"], found["source"]["type"]} & set(values))


def filters(ids: Json) -> dict[str, list[tuple[Any, Holds]]]:
    """For every filter its values, and what holds for a signal that it finds."""
    return {
        "externalId": [("x7", lambda one: one["externalId"] == "x7"), ("nothing", lambda _: False)],
        "integrationId": [(ids["desk"].upper(), lambda one: number(one) % 5 == 0)],
        "sourceType": [
            ("zoom", lambda one: of_source(one, "zoom")),
            ("zendesk:support", lambda one: of_source(one, "zendesk:support")),
            ("call", lambda one: of_source(one, "call")),
            ("zoom:conversation, ,api,call,api", lambda one: of_source(one, "zoom:conversation", "api", "call")),
            (",".join(f"no{n}" for n in range(60)) + ",zoom", lambda one: of_source(one, "zoom")),
        ],
        "initiativeId": [
            (ids["exports"], lambda one: number(one) % 8 == 0),
            ("initiative-1", lambda one: number(one) % 8 == 0),
        ],
        "studyId": [(ids["interviews"], lambda one: number(one) % 9 == 0), ("STUDY-1", lambda o: number(o) % 9 == 0)],
        "status": [
            ("failed", lambda one: one["status"] == "failed"),
            ("pending,processed,pending", lambda one: one["status"] in ("pending", "processed")),
            ("pending,processing,processed,failed", lambda _: True),
        ],
        "accountId": [
            (ids["globex"], lambda one: of_account(one, ids, "globex")),
            (f"{ids['hooli']},{ids['initech']}", lambda one: of_account(one, ids, "hooli", "initech")),
        ],
        "updatedSince": [("2026-02-07T10:00:00Z", lambda one: one["updatedAt"] >= "2026-02-07T10:00:00.000Z")],
    }


def in_order(found: list[Json], query: Json) -> list[Json]:
    if "updatedSince" in query:
        return sorted(found, key=lambda one: (one["updatedAt"], one["id"]))
    return sorted(found, key=lambda one: (one["createdAt"], int(one["publicId"].split("-")[1])), reverse=True)


@pytest.mark.parametrize("together", [0, 1, 2, 3])
async def test_each_filter_finds_what_it_says_alone_and_with_others(acme: World, ids: Json, together: int) -> None:
    everything = await listed(acme.client, limit=100)
    assert len(everything) == 60
    for names in combinations(filters(ids), together):
        for turn in range(5 if together < 2 else 2):
            chosen = {name: filters(ids)[name][turn % len(filters(ids)[name])] for name in names}
            query = {name: value for name, (value, _) in chosen.items()}
            expected = [one for one in everything if all(holds(one) for _, holds in chosen.values())]
            assert await listed(acme.client, **query, limit=100) == in_order(expected, query), query


@pytest.mark.parametrize("limit", [1, 7, 100])
async def test_a_walk_by_link_shows_each_signal_once_in_order(acme: World, ids: Json, limit: int) -> None:
    for name, values in {"": [("", lambda _: True)], **filters(ids)}.items():
        for value, _ in values:
            query = {name: value} if name else {}
            whole = await listed(acme.client, **query, limit=100)
            assert await walked(acme.client, {**query, "limit": limit}) == whole


@pytest.mark.parametrize("limit", [3, 20])
async def test_a_walk_by_offset_shows_the_same(acme: World, ids: Json, limit: int) -> None:
    for name, values in filters(ids).items():
        for value, _ in values:
            whole = await listed(acme.client, **{name: value}, limit=100)
            pages = [await listed(acme.client, **{name: value}, limit=limit, offset=at) for at in range(0, 60, limit)]
            assert [one for page in pages for one in page] == whole


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("integrationId", "desk"),
        ("integrationId", ""),
        ("initiativeId", "exports"),
        ("initiativeId", "INITIATIVE-"),
        ("studyId", "1"),
        ("status", "done"),
        ("status", "pending,Failed"),
        ("accountId", "globex"),
        ("updatedSince", "yesterday"),
        ("updatedSince", ""),
        ("include", "rawData"),
        ("include", "raw,all"),
        ("limit", "0"),
        ("offset", "-1"),
        ("after", ""),
        ("after", "MTIz"),
        ("externalId", "\0"),
        ("sourceType", "zoom,\0"),
    ],
)
async def test_a_wrong_value_is_refused_by_its_name(acme: World, name: str, value: str) -> None:
    answer = await acme.client.get("/signals", params={name: value})
    assert (answer.status_code, answer.json()["code"], answer.json()["field"]) == (400, "VALIDATION_FAILED", name)


@pytest.mark.parametrize(
    "query",
    [
        {"initiativeId": "STUDY-1"},
        {"initiativeId": "INITIATIVE-99"},
        {"studyId": "3d0ca315-aff9-4fc2-be61-3b76b9a2d798"},
        {"accountId": "3d0ca315-aff9-4fc2-be61-3b76b9a2d798"},
        {"integrationId": "3d0ca315-aff9-4fc2-be61-3b76b9a2d798"},
        {"sourceType": "unheard"},
        {"externalId": ""},
    ],
)
async def test_a_well_formed_value_that_names_nothing_finds_nothing(acme: World, query: Json) -> None:
    answer = await acme.client.get("/signals", params=query)
    assert (answer.status_code, answer.json(), answer.headers["x-total-count"]) == (200, [], "0")


async def test_records_of_another_workspace_find_nothing(acme: World, ids: Json) -> None:
    async with acme.stranger() as stranger:
        for query in ({}, {"accountId": ids["globex"]}, {"initiativeId": "INITIATIVE-1"}, {"studyId": "STUDY-1"}):
            assert await listed(stranger.client, **query) == []


async def test_a_position_in_one_order_is_refused_in_another(acme: World) -> None:
    first = await acme.client.get("/signals", params={"limit": 1})
    after = first.headers["link"].partition("after=")[2].partition(">")[0]
    answer = await acme.client.get("/signals", params={"updatedSince": "2000-01-01", "after": after})
    assert (answer.status_code, answer.json()["field"]) == (400, "after")
