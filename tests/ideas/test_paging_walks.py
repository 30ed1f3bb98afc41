"""Walks over the list in pages of any size, references in any spelling, searches for any words."""

import asyncio
import random
from typing import Any

import pytest_asyncio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.ideas.acme import Acme, Json
from tests.world import World

WORDS = ("amber", "birch", "cedar", "dune", "ember")
WALK = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
filters = st.fixed_dictionaries(
    {},
    optional={
        "sourceKey": st.sampled_from(["desk", "mail"]),
        "q": st.lists(st.sampled_from(WORDS), min_size=1, max_size=2).map(" ".join),
        "include": st.just("classifications"),
        "updatedSince": st.sampled_from(["2000-01-01", "2021-02-01T00:00:00.000Z"]),
    },
)


def imported(n: int, dice: random.Random) -> Json:
    """Many ideas share their moments, so that only the last tie-break orders them."""
    day = f"2021-0{dice.randint(1, 3)}-01T00:00:00.000Z"
    return {
        "key": f"idea-{n}",
        "name": " ".join(dice.sample(WORDS, 2)),
        "description": " ".join(dice.sample(WORDS, 2)),
        "createdAt": day,
        "updatedAt": day,
        **({"sourceKey": dice.choice(["desk", "mail"])} if dice.random() < 0.7 else {}),
    }


@pytest_asyncio.fixture(scope="module")
async def forest(database: Any, served: str) -> Any:
    """A workspace of 43 ideas that no test changes."""
    async with World(database, served) as world:
        dice = random.Random(43)
        await world.add_earlier(ideas=[imported(n, dice) for n in range(43)])
        forest = Acme(world)
        yield forest, await forest.list(limit=100)


def fits(idea: Json, query: dict[str, str]) -> bool:
    words = set(idea["name"].split()) | set(idea["description"].split())
    return (
        idea["sourceKey"] == query.get("sourceKey", idea["sourceKey"])
        and set(query.get("q", "").split()) <= words
        and idea["updatedAt"] >= query.get("updatedSince", "")
    )


async def walk(forest: Acme, query: dict[str, str], limit: int) -> list[Json]:
    """What a client gets that goes on until X-Has-More is false, advancing offset by X-Limit."""
    walked: list[Json] = []
    offset = 0
    while True:
        answer = await forest.client.get("/ideas", params={**query, "limit": limit, "offset": offset})
        assert answer.status_code == 200, answer.text
        walked += answer.json()
        offset += int(answer.headers["x-limit"])
        if answer.headers["x-has-more"] == "false":
            assert int(answer.headers["x-total-count"]) == len(walked)
            return walked
        assert len(answer.json()) == min(limit, 100)


@WALK
@given(query=filters, limit=st.integers(4, 101))
async def test_following_the_pages_lists_every_idea_once_in_order(
    forest: Any, query: dict[str, str], limit: int
) -> None:
    acme, everything = forest
    walked = await walk(acme, query, limit)
    expected = [idea for idea in everything if fits(idea, query)]
    if "updatedSince" in query:
        expected.sort(key=lambda idea: (idea["updatedAt"], idea["id"]))
    assert [idea["id"] for idea in walked] == [idea["id"] for idea in expected]


async def test_pages_of_one_list_every_idea_too(forest: Any) -> None:
    acme, everything = forest
    assert [idea["id"] for idea in await walk(acme, {}, 1)] == [idea["id"] for idea in everything]


async def test_the_order_is_newest_first_then_highest_number(forest: Any) -> None:
    _, everything = forest
    keys = [(idea["createdAt"], int(idea["publicId"].removeprefix("IDEA-"))) for idea in everything]
    assert keys == sorted(keys, reverse=True)
    assert len({moment for moment, _ in keys}) == 3


@WALK
@given(st.data())
async def test_a_reference_is_read_in_any_letter_case(forest: Any, data: st.DataObject) -> None:
    acme, everything = forest
    idea = data.draw(st.sampled_from(everything))
    ref = data.draw(st.sampled_from([idea["id"], idea["publicId"]]))
    upper = data.draw(st.lists(st.booleans(), min_size=len(ref), max_size=len(ref)))
    spelled = "".join(c.upper() if up else c.lower() for c, up in zip(ref, upper, strict=True))
    answer = await acme.client.get(f"/ideas/{spelled}")
    assert (answer.status_code, answer.json()) == (200, idea)


@WALK
@given(st.text(min_size=1, max_size=40))
async def test_no_reference_and_no_search_fails(forest: Any, text: str) -> None:
    acme, _ = forest
    client = acme.client
    answers = await asyncio.gather(
        client.get("/ideas", params={"q": text}),
        client.get("/ideas", params={"sourceKey": text, "externalId": text}),
        client.get("/ideas", params={"updatedSince": text}),
    )
    assert all(answer.status_code in (200, 400) for answer in answers)
