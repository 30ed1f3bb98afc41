"""PATCH /insights/:id: accepting or rejecting an insight, and changing its wording."""

import asyncio
from typing import Any
from uuid import UUID

import httpx2
import pytest
import pytest_asyncio

from tests.world import World

Json = dict[str, Any]
OLD = "2026-01-02T00:00:00.000Z"
ROLES = {"viewer": 403, "editor": 200, "admin": 200}


@pytest_asyncio.fixture
async def slow(world: World) -> Json:
    """An unreviewed insight."""
    await world.add(insights=[{"key": "slow", "title": "Slow", "category": "problem", "createdAt": OLD}])
    answer = await world.client.get(f"/insights/{(await world.ids('insights'))['slow']}")
    found: Json = answer.json()
    return found | {"tag": answer.headers["etag"]}


async def patch(world: World, insight: Json, **fields: Any) -> httpx2.Response:
    return await world.client.patch(f"/insights/{insight['id']}", json=fields)


async def trail(world: World, insight: Json) -> list[tuple[str, str, Json]]:
    """What was done to it after it was made: action, who, detail."""
    async with world.database.autocommit() as tx:
        rows = await tx.connection.fetch(
            "SELECT action, actor_kind, detail::text FROM changes"
            " WHERE workspace_id = $1 AND record_id = $2 AND action <> 'created' ORDER BY at, id",
            world.workspace_id,
            UUID(insight["id"]),
        )
    return [(row[0], row[1], httpx2.Response(200, text=row[2]).json()) for row in rows]


async def test_an_insight_is_accepted(world: World, slow: Json) -> None:
    answer = await patch(world, slow, reviewState="accepted")
    assert answer.status_code == 200
    assert answer.json() == {**answer.json(), "title": "Slow", "reviewState": "accepted", "createdAt": OLD}
    assert answer.json()["updatedAt"] > slow["updatedAt"]
    assert answer.headers["etag"] != slow["tag"]
    assert (await world.client.get(f"/insights/{slow['id']}")).json() == answer.json()
    assert await trail(world, slow) == [("updated", "key", {"fields": ["review_state"]})]


async def test_another_wording_makes_it_edited(world: World, slow: Json) -> None:
    answer = await patch(world, slow, title="  Too slow ", description="", category="my own")
    shown = [answer.json()[name] for name in ("title", "description", "category", "reviewState")]
    assert shown == ["Too slow", "", "my own", "edited"]
    assert (await trail(world, slow))[0][2] == {"fields": ["title", "category", "review_state"]}


@pytest.mark.parametrize("state", ["accepted", "rejected", "unreviewed"])
async def test_a_state_that_is_sent_along_holds(world: World, slow: Json, state: str) -> None:
    answer = await patch(world, slow, title="Too slow", reviewState=state)
    assert (answer.json()["title"], answer.json()["reviewState"]) == ("Too slow", state)


async def test_a_rejected_insight_stays_rejected_when_it_is_reworded(world: World, slow: Json) -> None:
    assert (await patch(world, slow, reviewState="rejected")).json()["reviewState"] == "rejected"
    assert (await patch(world, slow, title="Too slow")).json()["reviewState"] == "rejected"
    assert (await patch(world, slow, reviewState="accepted")).json()["reviewState"] == "accepted"


async def test_a_review_can_be_taken_back(world: World, slow: Json) -> None:
    states = []
    for fields in ({"title": "Too slow"}, {"reviewState": "accepted"}, {"reviewState": "unreviewed"}):
        states.append((await patch(world, slow, **fields)).json()["reviewState"])
    assert states == ["edited", "accepted", "unreviewed"]


async def test_an_unchanged_insight_keeps_its_date(world: World, slow: Json) -> None:
    answer = await patch(world, slow, title="Slow", category="problem", reviewState="unreviewed")
    assert (answer.status_code, answer.headers["etag"]) == (200, slow["tag"])
    assert answer.json() == {name: value for name, value in slow.items() if name != "tag"}
    assert await trail(world, slow) == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, ""),
        ({"title": " "}, "title"),
        ({"title": None}, "title"),
        ({"description": None}, "description"),
        ({"category": ""}, "category"),
        ({"reviewState": "edited"}, "reviewState"),
        ({"reviewState": "merged"}, "reviewState"),
        ({"mergedIntoId": None}, "mergedIntoId"),
        ({"signalIds": []}, "signalIds"),
    ],
    ids=str,
)
async def test_a_body_that_cannot_be_is_refused(world: World, slow: Json, body: Json, field: str) -> None:
    answer = await world.client.patch(f"/insights/{slow['id']}", json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_FAILED")
    assert [fault["path"] for fault in answer.json()["errors"]] == [field]


async def test_only_the_version_that_if_match_names_is_changed(world: World, slow: Json) -> None:
    path = f"/insights/{slow['id']}"
    asked = [
        await world.client.patch(path, json={"title": f"Take {n}"}, headers={"If-Match": slow["tag"]}) for n in (1, 2)
    ]
    assert [answer.status_code for answer in asked] == [200, 412]
    assert (await world.client.get(path)).json()["title"] == "Take 1"


async def test_changing_an_insight_needs_scope_and_role(world: World, slow: Json) -> None:
    members = [{"key": role, "email": f"{role}@{world.slug}.test", "name": role, "role": "admin"} for role in ROLES]
    await world.add(members=members)
    clients = {role: await world.client_with("insights:write", member=f"{role}@{world.slug}.test") for role in ROLES}
    await world.add(members=[{**member, "role": member["key"]} for member in members])
    path = f"/insights/{slow['id']}"
    for role, status in ROLES.items():
        assert (await clients[role].patch(path, json={"title": f"By {role}"})).status_code == status
    readers = [await world.client_with("insights:read"), await world.client_with("insights:write", member=None)]
    refusals = [(await client.patch(path, json={"title": "By nobody"})).json()["code"] for client in readers]
    assert refusals == ["INSUFFICIENT_SCOPE", "CREATOR_NOT_ALLOWED"]
    async with world.stranger() as stranger:
        assert (await stranger.client.patch(path, json={"title": "By a stranger"})).status_code == 404


async def test_concurrent_changes_wait_for_each_other(world: World, slow: Json) -> None:
    answers = await asyncio.gather(
        patch(world, slow, title="New title"),
        patch(world, slow, description="New description"),
        patch(world, slow, category="request"),
        *(patch(world, slow, title=f"Title {n}") for n in range(8)),
    )
    assert {answer.status_code for answer in answers} == {200}
    last = max(answers, key=lambda answer: int(answer.headers["etag"].strip('"').split(".")[1]))
    shown = (await world.client.get(f"/insights/{slow['id']}")).json()
    assert shown == last.json()
    assert (shown["description"], shown["category"]) == ("New description", "request")
    assert shown["updatedAt"] == max(answer.json()["updatedAt"] for answer in answers)
    assert len(await trail(world, slow)) == len(answers)
