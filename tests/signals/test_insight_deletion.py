"""DELETE /insights/:id: an insight goes with its links, and /deletions reports it."""

import asyncio
from typing import Any

import pytest_asyncio

from tests.waiting import until_blocked
from tests.world import World

Json = dict[str, Any]


@pytest_asyncio.fixture
async def slow(world: World) -> Json:
    """An insight of a signal, an account and an idea, into which another one was merged."""
    await world.add(
        accounts=[{"key": "globex", "name": "Globex"}],
        signals=[{"key": "call", "name": "Call"}],
        insights=[
            {"key": "slow", "title": "Slow", "accounts": ["globex"], "signals": ["call"]},
            {"key": "same", "title": "Slow too"},
        ],
        ideas=[{"key": "bar", "name": "Bar", "description": "A bar.", "insights": ["slow"]}],
    )
    ids = await world.ids("insights")
    merged = await world.client.patch(f"/insights/{ids['same']}", json={"mergedIntoId": ids["slow"]})
    assert merged.status_code == 200
    answer = await world.client.get(f"/insights/{ids['slow']}")
    found: Json = answer.json()
    return found | {"tag": answer.headers["etag"]}


async def test_an_insight_is_deleted_with_its_links(world: World, slow: Json) -> None:
    path = f"/insights/{slow['id']}"
    answer = await world.client.delete(path)
    assert (answer.status_code, answer.json()) == (200, {"success": True, "insightId": slow["id"]})
    assert (await world.client.get(path)).status_code == 404
    assert (await world.client.delete(path)).status_code == 404
    assert (await world.client.get("/ideas/IDEA-1")).json()["insightIds"] == []
    assert (await world.client.get("/signals/SIGNAL-1")).json()["insightIds"] == []
    [deleted] = (await world.client.get("/deletions?kind=insight")).json()
    assert (deleted["kind"], deleted["id"], deleted["publicId"]) == ("insight", slow["id"], None)
    left = await world.client.get("/insights")
    assert [(one["title"], one["mergedIntoId"]) for one in left.json()] == [("Slow too", None)]
    assert left.headers["x-total-count"] == "1"


async def test_what_was_merged_into_a_deleted_insight_can_be_changed_again(world: World, slow: Json) -> None:
    await world.client.delete(f"/insights/{slow['id']}")
    [left] = (await world.client.get("/insights")).json()
    answer = await world.client.patch(f"/insights/{left['id']}", json={"reviewState": "accepted"})
    assert (answer.status_code, answer.json().get("reviewState")) == (200, "accepted")


async def test_a_scope_a_role_and_the_version_are_needed(world: World, slow: Json) -> None:
    path = f"/insights/{slow['id']}"
    for client, code in (
        (await world.client_with("insights:read", "signals:delete"), "INSUFFICIENT_SCOPE"),
        (await world.client_with("insights:write", member=None), "CREATOR_NOT_ALLOWED"),
    ):
        answer = await client.delete(path)
        assert (answer.status_code, answer.json()["code"]) == (403, code)
    stale = await world.client.delete(path, headers={"If-Match": '"0.0"'})
    assert stale.status_code == 412
    async with world.stranger() as stranger:
        assert (await stranger.client.delete(path)).status_code == 404
    assert (await world.client.delete(path, headers={"If-Match": slow["tag"]})).status_code == 200


async def test_of_many_deletions_at_once_one_succeeds(world: World, slow: Json) -> None:
    answers = await asyncio.gather(*(world.client.delete(f"/insights/{slow['id']}") for _ in range(6)))
    assert sorted(answer.status_code for answer in answers) == [200, *[404] * 5]
    assert (await world.client.get("/insights")).headers["x-total-count"] == "1"


async def test_a_signal_that_is_deleted_beside_a_file_takes_its_quotes_along(world: World) -> None:
    signal = (await world.client.post("/signals", json={"text": "Secret words of Bo."})).json()["id"]
    quote = {"text": "Secret words of Bo.", "signal": signal}
    file: Json = {
        "insights": [{"key": "i", "title": "Slow", "extracts": [quote]}],
        "ideas": [{"key": "d", "description": "x", "evidence": [{"key": "e", "title": "Slow", "extracts": [quote]}]}],
    }
    async with world.database.transaction() as tx:
        await tx.connection.execute("LOCK TABLE changes IN EXCLUSIVE MODE")  # the trail comes last
        applying = asyncio.create_task(world.add(**file, studies=[{"key": "s", "name": "S"}]))
        await until_blocked(world.database)
        deleting = asyncio.create_task(world.client.delete(f"/signals/{signal}"))
        await asyncio.wait({deleting}, timeout=0.5)
    await asyncio.wait({applying})
    assert (await deleting).status_code == 200
    kept = (await world.client.get("/insights")).text
    for idea in (await world.client.get("/ideas")).json():
        kept += (await world.client.get(f"/ideas/{idea['id']}/evidence")).text
    assert "Secret words" not in kept
