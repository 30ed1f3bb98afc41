"""Changes that meet each other, limits, and records that go away. Decisions: Initiatives."""

import asyncio
from collections import Counter
from typing import Any
from uuid import UUID

import pytest

from sightline.platform.db.sql import sql
from tests.initiatives.conftest import Create, New, refused
from tests.waiting import until_blocked
from tests.world import World

AT = "/initiatives/INITIATIVE-1"


@pytest.mark.parametrize(
    ("table", "key", "status", "field"), [("teams", "apps", 400, "teamIds"), ("products", "web", 404, "productId")]
)
async def test_a_record_that_goes_away_while_it_is_named_is_refused_as_unknown(
    acme: World, create: Create, table: str, key: str, status: int, field: str
) -> None:
    await create()
    id = (await acme.ids(table))[key]
    change = {"teamIds": [id]} if table == "teams" else {"productId": id}
    async with acme.database.transaction() as tx:
        delete = sql("DELETE FROM {table} WHERE workspace_id = :workspace_id AND id = :id", table=table)
        await tx.run(delete, workspace_id=acme.workspace_id, id=UUID(id))
        late = asyncio.create_task(acme.client.patch(AT, json=change))
        await until_blocked(acme.database)
    refused(await late, status, "VALIDATION_FAILED" if status == 400 else "NOT_FOUND", field)


async def test_32_changes_of_one_initiative_all_hold(acme: World, create: Create) -> None:
    """Of different fields none is lost; each is a version of its own."""
    await create()
    bodies: list[dict[str, Any]] = [{"name": f"N {n}"} for n in range(16)]
    bodies += [{"description": f"D {n}"} for n in range(16)]
    answers = await asyncio.gather(*(acme.client.patch(AT, json=body) for body in bodies))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.headers["ETag"] for answer in answers}) == 32
    now = (await acme.client.get(AT)).json()
    assert now["name"].startswith("N ")
    assert now["description"].startswith("D ")
    assert now["updatedAt"] == max(answer.json()["updatedAt"] for answer in answers)


async def test_of_32_changes_that_saw_one_version_one_is_taken(acme: World, create: Create) -> None:
    await create()
    seen = {"If-Match": (await acme.client.get(AT)).headers["ETag"]}
    bodies = ({"name": f"N {n}"} for n in range(32))
    answers = await asyncio.gather(*(acme.client.patch(AT, json=body, headers=seen) for body in bodies))
    assert Counter(answer.status_code for answer in answers) == {200: 1, 412: 31}


async def test_the_active_limit_holds_between_creating_and_reactivating(acme: World, new: New) -> None:
    ended = [{"key": f"i{n}", "name": f"I {n}", "status": "COMPLETED"} for n in range(16)]
    await acme.add({"plan": {"activeInitiativeLimit": 6}}, initiatives=ended)
    ids = (await acme.ids("initiatives")).values()
    asked = [acme.client.patch(f"/initiatives/{id}", json={"status": "IN_PROGRESS"}) for id in ids]
    asked += [acme.client.post("/initiatives", json=new()) for _ in range(16)]
    answers = await asyncio.gather(*asked)
    counted = Counter(answer.status_code for answer in answers)
    assert (counted[200] + counted[201], counted[402]) == (6, 26)
    used = {answer.json()["used"] for answer in answers if answer.status_code == 402}
    assert used == {6}
    plan = (await acme.client.get("/auth/context")).json()["plan"]
    assert plan["activeInitiatives"] == {"used": 6, "limit": 6}


async def test_what_ends_makes_room_and_what_is_archived_still_counts_as_an_initiative(
    acme: World, create: Create, new: New
) -> None:
    await acme.add({"plan": {"initiativeLimit": 3, "activeInitiativeLimit": 1}})
    for status in ("COMPLETED", "ARCHIVED"):
        made = await create()
        problem = refused(await acme.client.post("/initiatives", json=new()), 402, "PLAN_LIMIT_EXCEEDED")
        assert problem["resource"] == "active_initiatives"
        assert (await acme.client.patch(f"/initiatives/{made['id']}", json={"status": status})).status_code == 200
    await create()
    problem = refused(await acme.client.post("/initiatives", json=new()), 402, "PLAN_LIMIT_EXCEEDED")
    assert (problem["resource"], problem["used"], problem["limit"]) == ("initiatives", 3, 3)


async def test_after_the_trial_initiatives_can_still_be_changed(acme: World, create: Create) -> None:
    """It is held against POST only, also where nothing else limits the plan."""
    await create()
    await acme.client.patch(AT, json={"status": "COMPLETED"})
    await acme.add({"plan": {"trialEndsAt": "2020-01-01T00:00:00Z"}})
    assert (await acme.client.patch(AT, json={"status": "IN_PROGRESS", "name": "On"})).status_code == 200
