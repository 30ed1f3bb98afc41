"""clientRequestId: settled before everything else. Specification: POST /initiatives; decisions: Initiatives."""

import asyncio
from uuid import uuid4

import pytest

from tests.initiatives.conftest import Create, New, refused
from tests.world import World


@pytest.mark.parametrize("plan", [{"initiativeLimit": 1}, {"activeInitiativeLimit": 1}])
async def test_of_32_equal_requests_none_meets_the_limit_that_the_first_one_filled(
    acme: World, new: New, plan: dict[str, int]
) -> None:
    await acme.add({"plan": plan})
    sent = new()
    answers = await asyncio.gather(*(acme.client.post("/initiatives", json=sent) for _ in range(32)))
    assert [answer.status_code for answer in answers] == [201] * 32
    assert {answer.json()["id"] for answer in answers} == {sent["clientRequestId"]}
    refused(await acme.client.post("/initiatives", json=new()), 402, "PLAN_LIMIT_EXCEEDED")


async def test_of_two_bodies_under_one_request_id_one_is_refused(acme: World, new: New) -> None:
    await acme.add({"plan": {"initiativeLimit": 1}})
    one = new(name="One")
    bodies = [one, {**one, "name": "Two"}] * 8
    answers = await asyncio.gather(*(acme.client.post("/initiatives", json=body) for body in bodies))
    assert sorted(answer.status_code for answer in answers) == [201] * 8 + [409] * 8
    assert len({answer.json()["name"] for answer in answers if answer.status_code == 201}) == 1


async def test_a_request_id_of_another_workspace_is_free(acme: World, new: New) -> None:
    sent = new()
    async with acme.stranger() as stranger:
        await stranger.add(teams=[{"key": "core", "name": "Theirs"}])
        theirs = {**sent, "name": "Theirs", "teamIds": [(await stranger.ids("teams"))["core"]]}
        assert (await stranger.client.post("/initiatives", json=theirs)).status_code == 201
        assert (await acme.client.get(f"/initiatives/{sent['clientRequestId']}")).status_code == 404
        mine = await acme.client.post("/initiatives", json=sent)
        assert (mine.status_code, mine.json()["name"]) == (201, "Exports")
        assert "Idempotent-Replayed" not in mine.headers


async def test_the_letter_case_of_ids_does_not_make_another_body(acme: World, new: New, teams: dict[str, str]) -> None:
    product = (await acme.ids("products"))["app"]
    sent = new(productId=product)
    made = (await acme.client.post("/initiatives", json=sent)).json()
    upper = {**sent, "clientRequestId": sent["clientRequestId"].upper(), "productId": product.upper()}
    again = await acme.client.post("/initiatives", json={**upper, "teamIds": [teams["core"].upper()]})
    assert (again.status_code, again.json()) == (201, made)


async def test_an_id_that_no_request_made_is_refused(acme: World, new: New) -> None:
    """The initiative came from a workspace file: no body is the one that made it."""
    id = str(uuid4())
    await acme.add(initiatives=[{"id": id, "key": "exports", "name": "Exports", "teams": ["core"]}])
    refused(await acme.client.post("/initiatives", json=new(clientRequestId=id)), 409, "REQUEST_ID_REUSED")


async def test_a_retry_with_an_idempotency_key_keeps_edits(acme: World, new: New) -> None:
    sent, key = new(), {"Idempotency-Key": "once"}
    await acme.client.post("/initiatives", json=sent, headers=key)
    await acme.client.patch("/initiatives/INITIATIVE-1", json={"name": "Renamed"})
    now = await acme.client.get("/initiatives/INITIATIVE-1")
    for headers in (key, {"Idempotency-Key": "another"}, {}):
        again = await acme.client.post("/initiatives", json=sent, headers=headers)
        assert (again.status_code, again.json()) == (201, now.json())
        assert (again.headers["ETag"], again.headers["Idempotent-Replayed"]) == (now.headers["ETag"], "true")
    refused(await acme.client.post("/initiatives", json=new(), headers=key), 422, "IDEMPOTENCY_KEY_REUSED")
    other = {**sent, "name": "Other"}
    refused(
        await acme.client.post("/initiatives", json=other, headers={"Idempotency-Key": "third"}),
        409,
        "REQUEST_ID_REUSED",
    )


async def test_a_retry_is_known_after_teams_and_limits_changed(acme: World, create: Create, new: New) -> None:
    """Also by another key of the same workspace."""
    sent = new()
    made = (await acme.client.post("/initiatives", json=sent)).json()
    await acme.client.patch("/initiatives/INITIATIVE-1", json={"status": "ARCHIVED"})
    await acme.add({"plan": {"initiativeLimit": 0, "trialEndsAt": "2020-01-01"}})
    other = await acme.client_with("initiatives:write")
    again = await other.post("/initiatives", json=sent)
    assert (again.status_code, again.json()["id"], again.json()["status"]) == (201, made["id"], "ARCHIVED")
