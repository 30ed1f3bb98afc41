"""Public numbers of records of a file: in its order, and none for a file that is refused."""

import asyncio
from typing import Any

import pytest

from sightline.platform.db import Database
from tests.waiting import until_blocked
from tests.workspace_file.files import apply, by_key, exported, refusal, small
from tests.world import World

LISTS: dict[str, dict[str, Any]] = {
    "ideas": {"name": "An idea", "description": "x"},
    "initiatives": {"name": "An initiative"},
    "signals": {"name": "A call"},
    "studies": {"name": "A study"},
}


def each(*keys: str) -> Any:
    """Lists of every kind that has numbers."""
    return {name: records(name, *keys) for name in LISTS}


def records(list: str, *keys: str) -> list[dict[str, Any]]:
    return [{"key": key, **LISTS[list]} for key in keys]


@pytest.mark.parametrize("given", [{}, {"number": 70}])
async def test_a_refused_file_takes_no_numbers(database: Database, given: dict[str, int]) -> None:
    slug = (await apply(database, small(**each("a")))).slug
    wrong: Any = {name: [records(name, "b")[0] | given, *records(name, "c", "d")] for name in LISTS}
    file = small(slug, **wrong, feedback=[{"key": "f", "study": "nobody"}])
    assert await refusal(database, file)
    await apply(database, small(slug, **each("e")))
    found = await exported(database, slug)
    for name in LISTS:
        assert {key: one["number"] for key, one in by_key(found[name]).items()} == {"a": 1, "e": 2}, name


async def test_records_added_to_a_workspace_are_numbered_in_the_order_of_the_file(database: Database) -> None:
    slug = (await apply(database, small(**each("a")))).slug
    await apply(database, small(slug, **each("d", "b", "c")))
    found = await exported(database, slug)
    for name in LISTS:
        assert {key: one["number"] for key, one in by_key(found[name]).items()} == {"a": 1, "d": 2, "b": 3, "c": 4}


async def test_the_trail_and_the_lists_show_the_numbers(world: World) -> None:
    await world.add(accounts=[{"key": "globex", "name": "Globex"}])
    await world.add(signals=[{**one, "accounts": ["globex"]} for one in records("signals", "a", "b", "c")])
    account = (await world.ids("accounts"))["globex"]
    answer = await world.client.get("/signals", params={"accountId": account})
    assert [one["publicId"] for one in answer.json()] == ["SIGNAL-3", "SIGNAL-2", "SIGNAL-1"]
    trail = "SELECT public_id FROM changes WHERE workspace_id = $1 AND kind = 'signal' ORDER BY public_id"
    async with world.database.autocommit() as tx:
        shown = [row["public_id"] for row in await tx.connection.fetch(trail, world.workspace_id)]
    assert shown == ["SIGNAL-1", "SIGNAL-2", "SIGNAL-3"]


async def test_a_request_beside_the_file_gets_a_number_of_its_own(world: World) -> None:
    await world.add(ideas=records("ideas", "a", "b"))
    made = await world.client.post("/ideas", json={"description": "Something else."})
    assert made.json()["publicId"] == "IDEA-3"
    await world.add(ideas=[records("ideas", "c")[0] | {"number": 9}, *records("ideas", "d")])
    made = await world.client.post("/ideas", json={"description": "And another thing."})
    assert made.json()["publicId"] == "IDEA-11"


async def test_a_request_does_not_wait_for_a_file_that_gives_numbers(world: World) -> None:
    await world.add(ideas=records("ideas", "a"), studies=records("studies", "s"))
    async with world.database.transaction() as tx:
        await tx.connection.execute("SELECT FROM studies WHERE workspace_id = $1 FOR UPDATE", world.workspace_id)
        numbered = [one | {"number": 2 + n} for n, one in enumerate(records("ideas", "b", "c", "d"))]
        applying = asyncio.create_task(world.add(ideas=numbered, studies=[{"key": "s", "name": "Another name"}]))
        await until_blocked(world.database)
        made = await world.client.post("/ideas", json={"description": "Something else."})
        assert made.json()["publicId"] == "IDEA-5"
        assert not applying.done()
    await applying


async def test_numbers_of_a_refused_file_are_not_given_back_once_another_is_taken(world: World) -> None:
    await world.add(ideas=records("ideas", "a"), studies=records("studies", "s"))
    file = small(world.slug, ideas=[records("ideas", "b")[0] | {"number": 7}], studies=[{"key": "s", "name": "New"}])
    file["feedback"] = [{"key": "f", "study": "nobody"}]
    async with world.database.transaction() as tx:
        await tx.connection.execute("SELECT FROM studies WHERE workspace_id = $1 FOR UPDATE", world.workspace_id)
        refused = asyncio.create_task(refusal(world.database, file))
        await until_blocked(world.database)
        made = await world.client.post("/ideas", json={"description": "Something else."})
        assert made.json()["publicId"] == "IDEA-8"
    assert await refused
    made = await world.client.post("/ideas", json={"description": "And another thing."})
    assert made.json()["publicId"] == "IDEA-9"
