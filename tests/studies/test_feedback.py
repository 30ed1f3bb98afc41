"""GET /studies/feedback: every rating once, in order, under every filter. Specification: Study feedback."""

import asyncio
from collections.abc import AsyncIterator, Callable
from itertools import combinations
from typing import Any

import httpx2
import pytest
import pytest_asyncio

from sightline.platform.db import Database
from tests.world import World

Json = dict[str, Any]
Holds = Callable[[Json], bool]
PATH = "/studies/feedback"
CHANGES = [f"2026-06-{28 - n % 27:02}T10:00:00.{n % 3:03}Z" for n in range(200)]


def rating(n: int) -> Json:
    """The n-th of ratings that differ in everything one can filter by; some moments are equal."""
    subjects = ({"type": "idea", "id": "exports"}, {"type": "feature", "id": "csv"}, {"type": "idea", "id": "search"})
    return {
        "key": f"r{n}",
        "study": ("calls", "survey", "pulse")[n % 3],
        "rating": n % 11 if n % 4 else 7.5,
        "metric": ("satisfaction", "effort")[n % 2],
        "subject": subjects[n % 3 if n % 5 else 2],
        "comment": None if n % 4 == 0 else f"Comment {n}",
        "submittedAt": f"2026-03-{1 + n % 14:02}T12:00:00.{n % 3:03}Z",
        "source": ("study_completion", "live_interview")[n % 2],
        "account": (None, "globex", "initech")[n % 3],
        "updatedAt": CHANGES[n],
    }


@pytest_asyncio.fixture(scope="module")
async def acme(database: Database, served: str) -> AsyncIterator[World]:
    """45 ratings in three studies; `calls` counts for an initiative and an idea, `survey` for the idea alone."""
    async with World(database, served) as world:
        await world.add_earlier(
            teams=[{"key": "core", "name": "Core"}],
            accounts=[{"key": "globex", "name": "Globex"}, {"key": "initech", "name": "Initech"}],
            products=[{"key": "app", "name": "App", "features": [{"key": "csv", "name": "CSV"}]}],
            ideas=[
                {"key": "exports", "name": "Exports", "description": "."},
                {"key": "search", "name": "Search", "description": "."},
            ],
            initiatives=[{"key": "data", "name": "Data", "teams": ["core"]}],
            studies=[
                {"key": "calls", "name": "Calls", "initiatives": ["data"], "ideas": ["exports"], "appPath": "/s/1"},
                {"key": "survey", "name": "Survey", "type": "survey", "ideas": ["exports"]},
                {"key": "pulse", "name": "Pulse", "status": "completed", "phase": "delivery"},
            ],
            feedback=[rating(n) for n in range(45)],
        )
        yield world


@pytest_asyncio.fixture(scope="module")
async def ids(acme: World) -> dict[str, str]:
    tables = ("accounts", "features", "ideas", "initiatives", "studies", "study_feedback")
    return {key: id for table in tables for key, id in (await acme.ids(table)).items()}


async def listed(client: httpx2.AsyncClient, **query: Any) -> list[Json]:
    answer = await client.get(PATH, params=query)
    assert answer.status_code == 200, answer.text
    found: list[Json] = answer.json()
    return found


def filters(ids: dict[str, str]) -> dict[str, list[tuple[str, Holds]]]:
    return {
        "metric": [("effort", lambda one: one["metric"] == "effort"), ("none", lambda _: False)],
        "subjectType": [("feature", lambda one: one["subject"]["type"] == "feature")],
        "subjectId": [(ids["exports"].upper(), lambda one: one["subject"]["id"] == ids["exports"])],
        "submittedFrom": [("2026-03-05T12:00:00.001Z", lambda one: one["submittedAt"] >= "2026-03-05T12:00:00.001Z")],
        "submittedTo": [("2026-03-09T12:00:00.001Z", lambda one: one["submittedAt"] < "2026-03-09T12:00:00.001Z")],
        "initiativeId": [(ids["data"], lambda one: one["study"]["name"] == "Calls")],
        "ideaId": [
            (ids["exports"], lambda one: one["study"]["name"] in ("Calls", "Survey")),
            (ids["search"], lambda _: False),
        ],
        "accountId": [(ids["globex"], lambda one: one["accountId"] == ids["globex"])],
        "updatedSince": [(CHANGES[20], lambda one: one["updatedAt"] >= CHANGES[20])],
    }


async def test_a_rating_shows_every_field(acme: World, ids: dict[str, str]) -> None:
    [one] = [one for one in await listed(acme.client, limit=100) if one["id"] == ids["r4"]]
    assert one == {
        "id": ids["r4"],
        "rating": 7.5,
        "metric": "satisfaction",
        "subject": {"type": "feature", "id": ids["csv"]},
        "comment": "",
        "submittedAt": "2026-03-05T12:00:00.001Z",
        "source": "study_completion",
        "accountId": ids["globex"],
        "study": {
            "id": ids["survey"],
            "publicId": "STUDY-2",
            "name": "Survey",
            "status": "active",
            "type": "survey",
            "phase": "discovery",
            "appPath": f"/studies/{ids['survey']}",
        },
        "initiativeIds": [],
        "ideaIds": [ids["exports"]],
        "updatedAt": one["updatedAt"],
    }


async def test_a_rating_that_arrives_late_is_found_by_its_change(world: World) -> None:
    one = {"study": "calls", "account": None, "subject": SUBJECT}
    await world.add(studies=[{"key": "calls", "name": "Calls"}], feedback=[rating(n) | one for n in range(9)])
    latest = max(each["updatedAt"] for each in await listed(world.client, updatedSince="2000-01-01"))
    old = {"submittedAt": "2021-01-01T00:00:00Z", "createdAt": "2021-01-01", "updatedAt": "2021-01-01"}
    await world.add(feedback=[rating(9) | one | old])
    await world.add(feedback=[{"key": "r0", "rating": 1}])
    since = [each for each in await listed(world.client, updatedSince=latest) if each["updatedAt"] > latest]
    ids = await world.ids("study_feedback")
    assert [each["id"] for each in since] == [ids["r9"], ids["r0"]]
    assert since[0]["submittedAt"] == "2021-01-01T00:00:00.000Z"
    assert since[0]["updatedAt"] > latest


async def test_a_changed_study_moves_no_rating(world: World) -> None:
    one = {"study": "calls", "account": None, "subject": SUBJECT}
    await world.add(studies=[{"key": "calls", "name": "Calls"}], feedback=[rating(1) | one])
    [before] = await listed(world.client)
    await world.add(studies=[{"key": "calls", "name": "Other calls"}])
    assert (await listed(world.client))[0]["updatedAt"] == before["updatedAt"]


async def test_a_change_is_listed_only_when_no_earlier_one_is_open(world: World) -> None:
    world.is_patient = False
    one = {"study": "calls", "account": None, "subject": SUBJECT}
    await world.add(studies=[{"key": "calls", "name": "Calls"}])
    async with world.database.transaction() as tx:
        await tx.connection.execute("SELECT pg_current_xact_id()")
        await world.add(feedback=[rating(1) | one])
        assert await listed(world.client, updatedSince="2000-01-01") == []
    world.is_patient = True
    assert len(await listed(world.client, updatedSince="2000-01-01")) == 1


async def test_a_whole_rating_is_a_whole_number(acme: World, ids: dict[str, str]) -> None:
    answer = await acme.client.get(PATH, params={"subjectId": ids["exports"], "limit": 100})
    assert '"rating":3,' in answer.text
    assert ".0," not in answer.text


@pytest.mark.parametrize("together", [0, 1, 2, 3])
async def test_each_filter_finds_what_it_says_alone_and_with_others(
    acme: World, ids: dict[str, str], together: int
) -> None:
    everything = await listed(acme.client, limit=100)
    assert len(everything) == 45
    assert everything == sorted(everything, key=lambda one: (one["submittedAt"], one["id"]))
    for names in combinations(filters(ids), together):
        for turn in range(2):
            chosen = {name: filters(ids)[name][turn % len(filters(ids)[name])] for name in names}
            query = {name: value for name, (value, _) in chosen.items()}
            expected = [one for one in everything if all(holds(one) for _, holds in chosen.values())]
            if "updatedSince" in query:
                expected.sort(key=lambda one: (one["updatedAt"], one["id"]))
            assert await listed(acme.client, **query, limit=100) == expected, query


@pytest.mark.parametrize("limit", [1, 7, 100])
async def test_a_walk_by_link_and_one_by_offset_show_each_rating_once(
    acme: World, ids: dict[str, str], limit: int
) -> None:
    for query in ({}, *({name: value} for name, values in filters(ids).items() for value, _ in values)):
        whole = await listed(acme.client, **query, limit=100)
        answer = await acme.client.get(PATH, params={**query, "limit": limit})
        walked = answer.json()
        while link := answer.headers.get("link"):
            answer = await acme.client.get(link.removeprefix("<").partition(">")[0])
            assert answer.headers["x-total-count"] == str(len(whole))
            walked += answer.json()
            assert len(walked) <= len(whole)
        assert answer.headers["x-has-more"] == "false"
        assert walked == whole
        pages = [await listed(acme.client, **query, limit=limit, offset=at) for at in range(0, 45, limit)]
        assert [one for page in pages for one in page] == whole


async def test_the_first_page_has_twenty(acme: World) -> None:
    answer = await acme.client.get(PATH)
    assert (len(answer.json()), answer.headers["x-limit"], answer.headers["x-total-count"]) == (20, "20", "45")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("subjectId", "IDEA-1"),
        ("initiativeId", "INITIATIVE-1"),
        ("ideaId", ""),
        ("accountId", "globex"),
        ("updatedSince", "lately"),
        ("submittedFrom", "today"),
        ("submittedTo", "2026-13-01"),
        ("metric", "\0"),
        ("limit", "101"),
        ("limit", "0"),
        ("offset", "1.5"),
        ("after", "nowhere"),
    ],
)
async def test_a_wrong_value_is_refused_by_its_name(acme: World, name: str, value: str) -> None:
    answer = await acme.client.get(PATH, params={name: value})
    assert (answer.status_code, answer.json()["code"], answer.json()["field"]) == (400, "VALIDATION_FAILED", name)


async def test_a_position_in_another_feed_is_refused(acme: World) -> None:
    await acme.add(signals=[{"key": "a", "name": "A"}, {"key": "b", "name": "B"}])
    other = await acme.client.get("/signals", params={"limit": 1})
    after = other.headers["link"].partition("after=")[2].partition(">")[0]
    answer = await acme.client.get(PATH, params={"after": after})
    assert (answer.status_code, answer.json()["field"]) == (400, "after")


async def test_ratings_of_far_times_are_listed_once_each(database: Database, served: str) -> None:
    """Numbers of seconds with fractions are not exact there."""
    times = [f"{year}-12-31T23:59:59.{part}Z" for year in ("0999", "1969", "9999") for part in ("001", "998", "999")]
    async with World(database, served) as world:
        given = [{**rating(n), "submittedAt": time} for n, time in enumerate(times * 2)]
        for one in given:
            one |= {"study": "calls", "subject": {"type": "study", "id": "calls"}, "account": None}
            del one["updatedAt"]
        await world.add(studies=[{"key": "calls", "name": "Calls"}], feedback=given)
        walked, address = list[str](), f"{PATH}?limit=1"
        while address and len(walked) <= len(given):
            answer = await world.client.get(address)
            walked += [one["submittedAt"] for one in answer.json()]
            address = answer.links.get("next", {}).get("url", "")
    assert walked == sorted(times * 2)


async def test_another_workspace_sees_nothing(acme: World, ids: dict[str, str]) -> None:
    async with acme.stranger() as stranger:
        for query in ({}, {"initiativeId": ids["data"]}, {"accountId": ids["globex"]}, {"subjectId": ids["exports"]}):
            assert await listed(stranger.client, **query) == []


async def test_a_key_for_signals_may_not_read_studies(acme: World) -> None:
    answer = await (await acme.client_with("signals:read")).get(PATH)
    assert (answer.status_code, answer.json()["requiredScopes"]) == (403, ["studies:read"])


async def test_the_context_is_the_studys_as_it_is_now_and_the_subject_stays(world: World) -> None:
    await world.add(
        ideas=[
            {"key": "exports", "name": "Exports", "description": "."},
            {"key": "search", "name": "Search", "description": "."},
        ],
        studies=[{"key": "calls", "name": "Calls"}],
        feedback=[{**rating(0), "study": "calls", "subject": {"type": "idea", "id": "exports"}, "account": None}],
    )
    ideas = await world.ids("ideas")
    assert await listed(world.client, ideaId=ideas["search"]) == []
    await world.add(studies=[{"key": "calls", "name": "Calls again", "ideas": ["search"]}])
    [one] = await listed(world.client, ideaId=ideas["search"])
    assert one["ideaIds"] == [ideas["search"]]
    assert one["study"]["name"] == "Calls again"
    assert one["subject"] == {"type": "idea", "id": ideas["exports"]}
    await world.add(studies=[{"key": "calls", "ideas": []}])
    answer = await world.client.get(PATH, params={"ideaId": ideas["search"]})
    assert (answer.json(), answer.headers["x-total-count"]) == ([], "0")


async def test_a_walk_with_a_fixed_end_is_stable_while_others_insert(world: World) -> None:
    """Later ratings come all the time; those before the end are walked once each, by offset and by Link."""
    old = [{**rating(n), "study": "calls", "account": None, "subject": SUBJECT} for n in range(30)]
    await world.add(studies=[{"key": "calls", "name": "Calls"}], feedback=old)
    query: Json = {"submittedTo": "2026-04-01", "limit": 4}
    expected = [one["id"] for one in await listed(world.client, submittedTo="2026-04-01", limit=100)]
    is_over = asyncio.Event()

    async def insert() -> None:
        n = 100
        while not is_over.is_set():
            late = {**rating(n), "submittedAt": "2026-05-01T00:00:00Z"}
            await world.add(feedback=[{**late, "study": "calls", "account": None, "subject": SUBJECT}])
            n += 1

    inserting = asyncio.create_task(insert())
    by_offset: list[str] = []
    for _ in range(3):
        offset, has_more, by_offset = 0, True, []
        while has_more:
            answer = await world.client.get(PATH, params={**query, "offset": offset})
            assert answer.headers["x-total-count"] == "30"
            by_offset += [one["id"] for one in answer.json()]
            has_more = answer.headers["x-has-more"] == "true"
            offset += int(answer.headers["x-limit"])
        assert by_offset == expected
    answer = await world.client.get(PATH, params=query)
    by_link = [one["id"] for one in answer.json()]
    while link := answer.headers.get("link"):
        answer = await world.client.get(link.removeprefix("<").partition(">")[0])
        by_link += [one["id"] for one in answer.json()]
    assert by_link == expected
    is_over.set()
    await inserting


SUBJECT = {"type": "survey_page", "id": "5f0c4d1e-7c4e-4a33-9b5d-0a2f3c4d5e6f"}


async def test_a_file_cannot_change_what_a_rating_is_about(world: World) -> None:
    one = {**rating(1), "study": "calls", "account": None, "subject": SUBJECT}
    await world.add(studies=[{"key": "calls", "name": "Calls"}], feedback=[one])
    other = {"type": "survey_page", "id": "6f0c4d1e-7c4e-4a33-9b5d-0a2f3c4d5e6f"}
    with pytest.raises(Exception, match="never changes"):
        await world.add(feedback=[{**one, "subject": other}])
    [shown] = await listed(world.client)
    assert shown["subject"] == SUBJECT
