"""Ideas with very many options: written, reviewed and shown as others are, in portions where they are listed."""

from collections.abc import AsyncIterator

import pytest_asyncio

from sightline.platform.db import Database
from tests.ideas.acme import Acme, Json
from tests.ideas.test_classification_review import group, read, review
from tests.ideas.workroom import furnished

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
