"""Every list with `updatedSince`, and `/deletions`: a client that follows `Link` to its end misses no record."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from secrets import token_hex
from typing import Any

import httpx2
import msgspec
import pytest
import pytest_asyncio

from sightline.platform.clock import Clock
from sightline.platform.db import Database
from sightline.platform.db.horizon import find_horizon
from tests.generated.made import OPERATIONS
from tests.waiting import next_moment, until
from tests.world import World

Json = dict[str, Any]

# By address: the list of a workspace file, and the field that names a record.
LISTS = {
    "/ideas": ("ideas", "name"),
    "/initiatives": ("initiatives", "name"),
    "/signals": ("signals", "name"),
    "/insights": ("insights", "title"),
    "/accounts": ("accounts", "name"),
    "/opportunities": ("opportunities", "name"),
    "/studies/feedback": ("feedback", "comment"),
}
NEEDED: dict[str, Json] = {
    "/ideas": {"description": "One of them."},
    "/studies/feedback": {
        "study": "interviews",
        "rating": 3,
        "metric": "value",
        "subject": {"type": "idea", "id": "r0"},
        "submittedAt": "2026-01-02",
    },
}
EVERY_LIST = pytest.mark.parametrize("path", LISTS)
COUNT = 7
SINCE = "updatedSince=2000-01-01&limit=2"


def records(path: str, numbers: Iterable[int] = range(COUNT)) -> list[Json]:
    _, field = LISTS[path]
    return [{"key": f"r{n}", field: f"R{n}", **NEEDED.get(path, {})} for n in numbers]


def written(number: int) -> Json:
    """When the record with this number is written; two at a time."""
    return {"updatedAt": f"2026-01-01T00:00:00.00{number // 2}Z"}


@pytest_asyncio.fixture
async def full(database: Database, served: str) -> AsyncIterator[World]:
    """A workspace with seven records of each list; two of each have the same moment, and are ordered by their ids."""
    async with World(database, served) as world:
        await world.add(studies=[{"key": "interviews", "name": "Interviews"}])
        lists: Any = {
            name: [record | written(n) for n, record in enumerate(records(path))] for path, (name, _) in LISTS.items()
        }
        await world.add_earlier(**lists)
        yield world


async def follow(client: httpx2.AsyncClient, address: str) -> AsyncIterator[httpx2.Response]:
    """The pages from an address on, by `Link`."""
    following: str | None = address
    while following:
        answer = await client.get(following)
        assert answer.status_code == 200, answer.text
        yield answer
        following = answer.links.get("next", {}).get("url")


async def rename(world: World, path: str, key: str) -> None:
    name, field = LISTS[path]
    needed = NEEDED.get(path, {}) if path == "/studies/feedback" else {}
    lists: Any = {name: [{"key": key, field: "Renamed", **needed}]}
    await world.add(**lists)


@EVERY_LIST
async def test_a_record_that_changes_between_two_pages_makes_no_other_one_missing(full: World, path: str) -> None:
    name, field = LISTS[path]
    shown: list[str] = []
    async for answer in follow(full.client, f"{path}?{SINCE}"):
        if not shown:
            await rename(full, path, "r0")
            await rename(full, path, "r1")
        shown += [one[field] for one in answer.json()]
    others = {f"R{n}" for n in range(2, COUNT)}
    assert others <= set(shown)
    assert shown.count("Renamed") == 2, f"the two of {name} that changed come again"


@asynccontextmanager
async def on_another_machine(database_url: str, seconds: int) -> AsyncIterator[Database]:
    """The database as a process uses it on a machine whose clock is ahead by these seconds."""
    clock = Clock(machine=lambda: datetime.now(UTC) + timedelta(seconds=seconds))
    database = await Database.connect(database_url, size=2, clock=clock)
    try:
        yield database
    finally:
        await database.close()


@pytest.mark.parametrize("seconds", [-5, 5])
@EVERY_LIST
async def test_a_machine_whose_clock_is_wrong_makes_no_record_missing(
    full: World, database_url: str, path: str, seconds: int
) -> None:
    _, field = LISTS[path]
    here, since = full.database, "2000-01-01"

    async def changes() -> list[str]:
        """The next round: the names of the records that changed."""
        nonlocal since
        shown = [one async for page in follow(full.client, f"{path}?updatedSince={since}") for one in page.json()]
        since = max([since, *(one["updatedAt"] for one in shown)])
        return [one[field] for one in shown]

    async with on_another_machine(database_url, seconds) as there:
        await changes()
        for machine, key in ((there, "r1"), (here, "r2"), (there, "r3")):
            full.database = machine
            await rename(full, path, key)
            await next_moment()

            async def has_come() -> bool:
                return "Renamed" in await changes()

            await until(has_come, 3)  # others' transactions may be open for a moment, but not for five seconds
            since = (datetime.fromisoformat(since) + timedelta(milliseconds=1)).isoformat()


@pytest.mark.parametrize("seconds", [-5, 5])
async def test_on_a_machine_whose_clock_is_wrong_changes_end_before_the_oldest_open_transaction(
    database: Database, database_url: str, seconds: int
) -> None:
    machine = on_another_machine(database_url, seconds)
    async with machine as there, database.transaction() as writing, there.autocommit() as tx:
        horizon = await find_horizon(tx)
    assert timedelta(0) < writing.now - horizon < timedelta(seconds=2)


async def test_a_machine_whose_clock_is_set_back_a_little_writes_nothing_into_the_past(database_url: str) -> None:
    back = timedelta(0)
    clock = Clock(machine=lambda: datetime.now(UTC) - back)
    database = await Database.connect(database_url, size=1, clock=clock)
    try:
        async with database.autocommit() as tx:
            await clock.compare(partial(tx.connection.fetchval, "SELECT clock_timestamp()"))
        for _ in range(10):
            await next_moment()
        back = timedelta(milliseconds=15)
        async with database.autocommit() as tx:
            before = await tx.connection.fetchval("SELECT date_trunc('milliseconds', clock_timestamp())")
        async with database.transaction() as tx:
            assert tx.now >= before
            back = timedelta(seconds=8)
            assert tx.later().now >= tx.now
    finally:
        await database.close()


@EVERY_LIST
@pytest.mark.parametrize("query", ["limit=2", SINCE])
async def test_link_shows_each_record_once_in_the_order_of_the_list(full: World, path: str, query: str) -> None:
    everything = (await full.client.get(f"{path}?{query}&limit=100".replace("limit=2&", ""))).json()
    pages = [answer async for answer in follow(full.client, f"{path}?{query}")]
    assert [one for page in pages for one in page.json()] == everything
    assert len(everything) == COUNT
    assert [page.headers["x-has-more"] for page in pages] == ["true"] * 3 + ["false"]
    assert {page.headers["x-total-count"] for page in pages} == {str(COUNT)}


@EVERY_LIST
async def test_a_position_of_another_list_or_order_is_refused(full: World, path: str) -> None:
    for other in (*LISTS, "/deletions"):
        for query in ("limit=1", "limit=1&updatedSince=2000-01-01") if other != "/deletions" else ("limit=1",):
            link = (await full.client.get(f"{other}?{query}")).links.get("next")
            if link is None or (other, query) == (path, "limit=1"):
                continue
            after = httpx2.URL(link["url"]).params["after"]
            answer = await full.client.get(path, params={"after": after})
            assert (answer.status_code, answer.json()["field"]) == (400, "after")


async def test_deletions_that_follow_between_two_pages_make_none_missing(full: World) -> None:
    await full.add(ideas=[], accounts=[], prune=["ideas", "accounts"])
    everything = {one["id"] for one in (await full.client.get("/deletions?limit=100")).json()}
    shown: list[str] = []
    async for answer in follow(full.client, "/deletions?limit=3"):
        if not shown:  # an idea that is there again is no deletion: by offset, those after it would shift
            await full.client.get("/ideas")
            await full.add(signals=[], prune=["signals"])
        shown += [one["id"] for one in answer.json()]
    assert len(everything) == 2 * COUNT
    assert everything <= set(shown)
    assert len(shown) == len(set(shown)) == 3 * COUNT


async def test_a_record_created_again_makes_no_other_deletion_missing(full: World) -> None:
    team = {"key": "core", "name": "Core"}
    await full.add(teams=[team])
    new_initiative = {"clientRequestId": "7f3a1c1e-54e4-4c62-9a43-3f1f0b5f7a10", "name": "Again"}
    body = {**new_initiative, "teamIds": [(await full.ids("teams"))["core"]]}
    await full.client.post("/initiatives", json=body)
    await full.add(initiatives=records("/initiatives"), prune=["initiatives"])
    await full.add(ideas=[], prune=["ideas"])
    ideas = {one["id"] for one in (await full.client.get("/deletions?limit=100&kind=idea")).json()}
    shown: set[str] = set()
    async for answer in follow(full.client, "/deletions?limit=2"):
        if not shown:
            assert (await full.client.post("/initiatives", json=body)).status_code == 201
        shown |= {one["id"] for one in answer.json()}
    assert len(ideas) == COUNT
    assert ideas <= shown


async def test_a_record_that_changes_between_two_pieces_of_a_page_comes_again(full: World) -> None:
    """Shown with its new `updatedAt`, it would make the client start again behind changes that it has not seen."""
    text = token_hex(400_000)
    await full.add(insights=[{"key": f"large{n}", "title": f"Large {n}", "description": text} for n in range(4)])
    ids = await full.ids("insights")
    latest = (await full.client.get("/insights?updatedSince=2000-01-01&limit=100")).json()[-1]["updatedAt"]
    async with full.client.stream("GET", f"/insights?updatedSince={latest}") as answer:
        assert "content-length" not in answer.headers
        body, has_changed = bytearray(), False
        async for piece in answer.aiter_bytes():
            body += piece
            if not has_changed:
                has_changed = True
                for n in range(4):
                    await full.client.patch(f"/insights/{ids[f'large{n}']}", json={"title": f"Changed {n}"})
    shown = msgspec.json.decode(body)
    assert {one["updatedAt"] for one in shown} == {latest}
    again = (await full.client.get(f"/insights?updatedSince={latest}")).json()
    assert {one["title"] for one in again if one["updatedAt"] > latest} == {f"Changed {n}" for n in range(4)}


def test_every_list_with_updated_since_takes_after() -> None:
    taking = {
        operation.path
        for operation in OPERATIONS
        if operation.query_type and "updated_since" in operation.query_type.__struct_fields__
    }
    assert taking >= set(LISTS)
    assert {one.path for one in OPERATIONS if one.paging and one.paging.cursor} >= {*taking, "/deletions"}
