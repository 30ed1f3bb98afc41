"""Ideas with very many options: written, reviewed and shown as others are, in portions where they are listed."""

import asyncio
from collections.abc import AsyncIterator
from threading import Event

import pytest
import pytest_asyncio

from sightline.platform.beside import run_beside
from sightline.platform.db import Database
from tests.ideas.acme import Acme, Json
from tests.ideas.test_classification_review import group, read, review
from tests.ideas.workroom import furnished
from tests.waiting import until
from tests.world import World

OPTIONS = 1_000
GROUPS: list[Json] = [
    {
        "key": f"g{n}",
        "label": f"Group {n}",
        "kind": "list",
        "selectionMode": "multi",
        "options": [{"key": f"g{n}-{o}", "label": f"Label {o}"} for o in range(OPTIONS)],
    }
    for n in range(10)
]
ALL = [{"groupKey": f"g{n}", "optionValues": [f"Label {o}" for o in range(OPTIONS)]} for n in range(10)]


@pytest_asyncio.fixture(scope="module")
async def acme(database: Database, served: str) -> AsyncIterator[Acme]:
    async with furnished(database, served) as acme:
        await acme.world.add(taxonomy={"groups": GROUPS})
        yield acme


def keys(idea: Json) -> list[list[str]]:
    return [value["optionKeys"] for value in idea["classifications"]]


async def test_every_option_is_stored_and_shown_in_the_order_of_the_taxonomy(acme: Acme) -> None:
    expected = [[option["key"] for option in group["options"]] for group in GROUPS]
    backwards = [{**each, "optionValues": each["optionValues"][::-1]} for each in ALL]
    created = await acme.create(classifications=backwards)
    assert keys(created) == expected
    shown = await read(acme, created)
    assert [each["value"]["optionKeys"] for each in shown["groups"]] == expected
    assert [[option["key"] for option in each["options"]] for each in shown["groups"]] == expected


async def test_a_page_shows_what_each_idea_alone_shows(acme: Acme) -> None:
    large = await acme.create(classifications=ALL)
    small = await acme.create(classifications=ALL[:1])
    plain = await acme.create()
    listed = await acme.list(include="classifications", limit=3)
    assert listed == [await acme.read(idea, include="classifications") for idea in (plain, small, large)]


async def test_a_review_may_choose_every_option(acme: Acme) -> None:
    created = await acme.create()
    ids = [option["id"] for option in group(await read(acme, created), "g3")["options"]]
    shown = await review(acme, created, "g3", action="set_option", optionIds=ids)
    assert shown["value"]["optionIds"] == ids


async def test_a_new_text_renews_suggestions_of_a_large_taxonomy(acme: Acme) -> None:
    created = await acme.create(description="Nothing to see.")
    await acme.client.patch(f"/ideas/{created['id']}", json={"description": "We lack the label 77 here."})
    shown = await read(acme, created)
    assert group(shown, "g0")["value"]["optionKeys"] == ["g0-77"]


async def numbers_taken(database: Database, *worlds: World) -> int:
    """How many ideas of these workspaces have a number, stored or not."""
    async with database.autocommit() as tx:
        taken = "SELECT sum(last)::int FROM public_numbers WHERE kind = 'idea' AND workspace_id = ANY($1)"
        return int(await tx.connection.fetchval(taken, [world.workspace_id for world in worlds]) or 0)


@pytest.mark.parametrize(("groups", "repeated"), [(GROUPS, 1), (GROUPS[:1], 50)])
async def test_creations_that_wait_for_suggestions_hold_no_connection(
    database: Database, served: str, groups: list[Json], repeated: int
) -> None:
    is_free, body = Event(), {"description": "We lack the label 77 here. " * repeated}
    async with World(database, served) as one, World(database, served) as two, World(database, served) as other:
        for large in (one, two):
            await large.add(taxonomy={"groups": groups})
        busy = asyncio.create_task(run_beside(is_free.wait))
        waiting = asyncio.gather(*(large.client.post("/ideas", json=body) for large in (one, two) for _ in range(8)))

        async def are_all_waiting() -> bool:
            return await numbers_taken(database, one, two) == 16

        try:
            await until(are_all_waiting, 20)
            assert (await other.client.post("/ideas", json=body)).status_code == 201
            assert not waiting.done()
        finally:
            is_free.set()
            await busy
        assert {answer.status_code for answer in await waiting} == {201}
