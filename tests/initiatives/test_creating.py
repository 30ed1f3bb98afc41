"""POST /initiatives. Specification: Initiatives and teams; decisions: Initiatives."""

import asyncio
from uuid import UUID, uuid4

import pytest

from sightline.platform.db.sql import sql
from tests.initiatives.conftest import Create, New, refused
from tests.world import World


async def test_an_initiative_is_pending_and_carries_its_request_id(
    acme: World, new: New, teams: dict[str, str]
) -> None:
    sent = new(name="  Exports  ", teamIds=[teams["apps"], teams["core"]])
    answer = await acme.client.post("/initiatives", json=sent)
    made = answer.json()
    assert answer.status_code == 201
    assert (made["id"], made["publicId"], made["name"]) == (sent["clientRequestId"], "INITIATIVE-1", "Exports")
    assert (made["status"], made["priority"], made["description"]) == ("PENDING", "MEDIUM", "")
    assert [team["name"] for team in made["teams"]] == ["Apps", "Core"]
    assert (made["productId"], made["startDate"], made["finishDate"]) == (None, None, None)
    assert made["workspaceId"] == str(acme.workspace_id)
    assert made["createdAt"] == made["updatedAt"]
    assert (await acme.client.get("/initiatives/initiative-1")).json() == made


async def test_a_retry_returns_the_same_initiative_and_keeps_later_edits(
    acme: World, new: New, teams: dict[str, str]
) -> None:
    sent = new(teamIds=[teams["core"], teams["apps"]])
    await acme.client.post("/initiatives", json=sent)
    await acme.client.patch("/initiatives/INITIATIVE-1", json={"name": "Renamed"})
    retry = {**sent, "name": " Exports ", "teamIds": sent["teamIds"][::-1], "priority": "MEDIUM", "description": None}
    again = await acme.client.post("/initiatives", json=retry)
    assert (again.status_code, again.json()["name"]) == (201, "Renamed")
    assert again.headers["Idempotent-Replayed"] == "true"


@pytest.mark.parametrize("change", [{"name": "Other"}, {"priority": "LOW"}, {"description": "More"}])
async def test_another_body_under_an_id_is_refused(acme: World, new: New, change: dict[str, str]) -> None:
    sent = new()
    await acme.client.post("/initiatives", json=sent)
    refused(await acme.client.post("/initiatives", json={**sent, **change}), 409, "REQUEST_ID_REUSED")


async def test_a_retry_comes_before_product_teams_and_limits(acme: World, new: New) -> None:
    sent = new()
    await acme.client.post("/initiatives", json=sent)
    await acme.add({"plan": {"initiativeLimit": 1, "activeInitiativeLimit": 1, "trialEndsAt": "2020-01-01"}})
    assert (await acme.client.post("/initiatives", json=sent)).status_code == 201
    reused = {**sent, "teamIds": [str(uuid4())], "productId": str(uuid4())}
    refused(await acme.client.post("/initiatives", json=reused), 409, "REQUEST_ID_REUSED")


async def test_a_viewers_key_is_refused_before_its_request_id_is_read(acme: World, new: New) -> None:
    sent = new()
    await acme.client.post("/initiatives", json=sent)
    reader = await acme.client_with("initiatives:write", member=None)
    refused(await reader.post("/initiatives", json=sent), 403, "CREATOR_NOT_ALLOWED")


BAD = [
    ({"name": "   "}, "name"),
    ({"name": "x" * 256}, "name"),
    ({"description": "x" * 60_001}, "description"),
    ({"teamIds": []}, "teamIds"),
    ({"priority": "SOON"}, "priority"),
    ({"clientRequestId": "7"}, "clientRequestId"),
    ({"status": "PLANNED"}, "status"),
]


@pytest.mark.parametrize(("change", "path"), BAD)
async def test_a_bound_is_named(acme: World, new: New, change: dict[str, str], path: str) -> None:
    problem = refused(await acme.client.post("/initiatives", json=new(**change)), 400, "VALIDATION_FAILED")
    assert path in [error["path"] for error in problem["errors"]]


async def test_values_at_the_bounds_are_accepted(create: Create) -> None:
    made = await create(name=f" {'x' * 255} ", description="y" * 60_000)
    assert (len(made["name"]), len(made["description"])) == (255, 60_000)


async def test_teams_are_unique_and_of_the_workspace(acme: World, new: New, teams: dict[str, str]) -> None:
    twice = new(teamIds=[teams["core"]] * 2)
    refused(await acme.client.post("/initiatives", json=twice), 400, "VALIDATION_FAILED", "teamIds")
    foreign = new(teamIds=[str(uuid4())])
    refused(await acme.client.post("/initiatives", json=foreign), 400, "VALIDATION_FAILED", "teamIds")


async def test_an_unknown_product_is_not_found(acme: World, new: New) -> None:
    answer = await acme.client.post("/initiatives", json=new(productId=str(uuid4())))
    refused(answer, 404, "NOT_FOUND", "productId")


async def test_both_limits_and_the_trial_are_kept(acme: World, new: New, create: Create) -> None:
    made = [await create() for _ in range(2)]
    await acme.add({"plan": {"initiativeLimit": None, "activeInitiativeLimit": 2, "trialEndsAt": None}})
    problem = refused(await acme.client.post("/initiatives", json=new()), 402, "PLAN_LIMIT_EXCEEDED")
    assert (problem["resource"], problem["used"], problem["limit"]) == ("active_initiatives", 2, 2)
    await acme.client.patch(f"/initiatives/{made[0]['id']}", json={"status": "ARCHIVED"})
    await acme.add({"plan": {"initiativeLimit": 2, "activeInitiativeLimit": None}})
    problem = refused(await acme.client.post("/initiatives", json=new()), 402, "PLAN_LIMIT_EXCEEDED")
    assert (problem["resource"], problem["used"], problem["limit"]) == ("initiatives", 2, 2)
    await acme.add({"plan": {"initiativeLimit": None, "trialEndsAt": "2020-01-01T00:00:00Z"}})
    problem = refused(await acme.client.post("/initiatives", json=new()), 402, "TRIAL_EXPIRED")
    assert problem["trialEndedAt"] == "2020-01-01T00:00:00.000Z"
    assert (await acme.client.get("/initiatives")).headers["X-Total-Count"] == "2"


async def test_a_limit_holds_against_32_creators(acme: World, new: New) -> None:
    await acme.add({"plan": {"initiativeLimit": 7, "activeInitiativeLimit": 100}})
    answers = await asyncio.gather(*(acme.client.post("/initiatives", json=new()) for _ in range(32)))
    assert sorted(answer.status_code for answer in answers) == [201] * 7 + [402] * 25
    assert (await acme.client.get("/initiatives")).headers["X-Total-Count"] == "7"


async def test_one_request_id_makes_one_initiative(acme: World, new: New) -> None:
    sent = new()
    answers = await asyncio.gather(*(acme.client.post("/initiatives", json=sent) for _ in range(32)))
    assert {answer.status_code for answer in answers} == {201}
    assert {answer.json()["id"] for answer in answers} == {sent["clientRequestId"]}
    assert (await acme.client.get("/initiatives")).headers["X-Total-Count"] == "1"


async def test_nothing_else_is_generated(acme: World, create: Create) -> None:
    made = await create()
    await acme.client.patch(f"/initiatives/{made['id']}", json={"name": "Other", "status": "PLANNED"})
    async with acme.database.autocommit() as tx:
        for table in ("initiative_questions", "documents", "document_generations", "initiative_features"):
            count = sql(
                "SELECT count(*) FROM {table} WHERE workspace_id = :workspace_id AND initiative_id = :id", table=table
            )
            assert await tx.value(count, workspace_id=acme.workspace_id, id=UUID(made["id"])) == 0
        jobs = sql("SELECT count(*) FROM jobs WHERE record_id = :id")
        assert await tx.value(jobs, id=UUID(made["id"])) == 0
