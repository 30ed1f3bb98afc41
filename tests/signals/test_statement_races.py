"""Jobs that find the same statements at once, and people who review, merge and delete meanwhile."""

import asyncio
from typing import Any

from tests.signals.conftest import Json
from tests.signals.test_creating import create
from tests.signals.test_insight_merges import ARRAYS
from tests.signals.test_processing import process
from tests.signals.test_statements import SLOW, accounts, insights, quoted, say
from tests.world import World

LINKED = """
SELECT count(*)
  FROM (SELECT record_id, signal_id FROM linked_signals WHERE workspace_id = $1 AND kind = 'insight') AS kept
  FULL JOIN (SELECT insight_id AS record_id, signal_id FROM insight_signals WHERE workspace_id = $1) AS links
 USING (record_id, signal_id) WHERE kept IS NULL OR links IS NULL"""
COUNT = "SELECT coalesce(sum(count), 0) FROM record_counts WHERE workspace_id = $1 AND kind = 'insight'"


async def look_at_the_books(world: World) -> None:
    """Arrays and rows repeat the links, counts are right, and quotes are of the signals that an insight rests on."""
    found = await insights(world)
    async with world.database.autocommit() as tx:
        values = [await tx.connection.fetchval(each, world.workspace_id) for each in (ARRAYS, LINKED, COUNT)]
    assert values == [0, 0, len(found)]
    alive = {one["id"] for one in (await world.client.get("/signals", params={"limit": 100})).json()}
    for one in found:
        places = [(each["signalId"], each.get("start")) for each in one["extracts"] or ()]
        assert len(places) == len(set(places))
        assert {signal for signal, _ in places} <= alive
        if one["reviewState"] != "merged":
            assert {signal for signal, _ in places} == set(one["signalIds"])
    words = [one["title"] for one in found if one["reviewState"] == "unreviewed"]
    assert len(words) == len(set(words))


SENTENCES = (SLOW, "Search is broken.", "The page crashes when we sort.", "It is too slow.")


async def test_jobs_that_find_the_same_at_once_make_one_insight(world: World) -> None:
    ids = await accounts(world, *(f"a{n}" for n in range(12)))
    order = [SENTENCES[n % 4 :] + SENTENCES[: n % 4] for n in range(12)]
    made = [await create(world, text="\n".join(text), accountIds=[id]) for text, id in zip(order, ids, strict=True)]
    await asyncio.gather(*(process(world, one) for one in made * 2))
    found = await insights(world)
    assert sorted(one["title"] for one in found) == sorted(SENTENCES)
    assert [(one["quoteCount"], one["accountCount"]) for one in found] == [(12, 12)] * 4
    await look_at_the_books(world)


async def test_reviews_merges_and_deletions_meanwhile_leave_the_books_right(world: World) -> None:
    ids = await accounts(world, *(f"a{n}" for n in range(4)))
    text = "\n".join(SENTENCES)
    made = [await create(world, text=text, accountIds=[ids[n % 4]]) for n in range(12)]
    for one in made[:4]:
        await process(world, one)
    slow, broken, crash, heavy = (one["id"] for one in await insights(world))

    async def again(signal: Json, n: int) -> None:
        body = {"text": "\n".join(SENTENCES[n % 4 :]), "accountIds": [ids[(n + 1) % 4]]}
        answers = [await world.client.patch(f"/signals/{signal['id']}", json=body)]
        answers += [await world.client.post(f"/signals/{signal['id']}/process")]
        assert {answer.status_code for answer in answers} <= {200, 202, 404}
        await process(world, signal)

    async def change(id: str, **fields: Any) -> None:
        answer = await world.client.patch(f"/insights/{id}", json=fields)
        assert answer.status_code in (200, 404, 409), answer.text

    async def delete(path: str) -> None:
        assert (await world.client.delete(path)).status_code in (200, 404)

    await asyncio.gather(
        *(process(world, one) for one in made[4:]),
        *(again(one, n) for n, one in enumerate(made[:8])),
        *(delete(f"/signals/{one['id']}") for one in made[2:10:2]),
        change(slow, reviewState="accepted"),
        change(broken, mergedIntoId=slow),
        change(crash, reviewState="rejected"),
        delete(f"/insights/{heavy}"),
    )
    await look_at_the_books(world)
    for one in (await world.client.get("/signals", params={"limit": 100})).json():
        assert one["status"] == "processed"
        await world.client.delete(f"/signals/{one['id']}")
    await look_at_the_books(world)
    assert {one["id"] for one in await insights(world)} <= {slow, broken}


async def test_a_statement_said_again_during_the_deletion_of_its_only_signal(world: World) -> None:
    first, second = await say(world, SLOW), await create(world, text=SLOW)
    for n in range(8):
        gone, read = await asyncio.gather(world.client.delete(f"/signals/{first['id']}"), process(world, second))
        assert (gone.status_code, read["status"]) == (200, "processed")
        [found] = await insights(world)
        assert quoted(found) == [second["id"]], n
        first, second = read, await create(world, text=SLOW)
