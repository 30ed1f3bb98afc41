"""PATCH /ideas/:id/status: moving an idea through the workflow."""

import asyncio
from collections.abc import AsyncIterator
from uuid import UUID

import pytest
import pytest_asyncio

from sightline.platform.db import Database
from tests.ideas.acme import Acme, Json, refused
from tests.ideas.workroom import at_once, from_file, furnished, holding, move, trail
from tests.waiting import until_blocked

LABELS = [{"label": label} for label in ("New", "Under review", "Approved", "Planned")]
CROWD = 32
INTO_COMPLETED_SPRINT = """
UPDATE ideas SET sprint_id = (SELECT id FROM sprints WHERE workspace_id = $1 AND key = 'completed'),
                 version = version + 1
 WHERE workspace_id = $1 AND id = $2"""


@pytest_asyncio.fixture(scope="module")
async def acme(database: Database, served: str) -> AsyncIterator[Acme]:
    """One workspace for all tests of this file, which make ideas of their own."""
    async with furnished(database, served) as acme:
        sprints = [{"key": state, "name": state, "state": state} for state in ("planned", "active", "completed")]
        await acme.world.add(ideaStatuses=[*LABELS, {"label": "Promoted", "promotion": True}], sprints=sprints)
        yield acme


@pytest_asyncio.fixture
async def idea(acme: Acme) -> Json:
    return await acme.create()


async def test_the_receipt_names_the_previous_label(acme: Acme, idea: Json) -> None:
    answer = await move(acme, idea, "Under review")
    assert (answer.status_code, answer.json()) == (
        200,
        {
            "id": idea["id"],
            "publicId": idea["publicId"],
            "status": "Under review",
            "previousStatus": "New",
            "changed": True,
        },
    )
    read = await acme.read(idea)
    assert read["status"] == "Under review"
    assert read["updatedAt"] > idea["updatedAt"]
    assert {name for name in idea if read[name] != idea[name]} == {"status", "updatedAt"}


async def test_either_form_of_reference_names_the_idea(acme: Acme, idea: Json) -> None:
    for ref, label in ((idea["id"].upper(), "Planned"), (idea["publicId"].lower(), "Approved")):
        answer = await acme.client.patch(f"/ideas/{ref}/status", json={"status": label})
        assert (answer.status_code, answer.json()["id"], answer.json()["status"]) == (200, idea["id"], label)


async def test_an_idea_moves_between_any_two_labels(acme: Acme, idea: Json) -> None:
    for label in ("Planned", "New", "Approved", "Under review"):
        assert (await move(acme, idea, label)).json()["changed"] is True


async def test_the_same_label_is_no_move(acme: Acme, idea: Json) -> None:
    tag = (await acme.client.get(f"/ideas/{idea['id']}")).headers["etag"]
    answer = await move(acme, idea, "New")
    receipt = answer.json()
    assert (answer.status_code, receipt["status"], receipt["previousStatus"]) == (200, "New", "New")
    assert receipt["changed"] is False
    unchanged = await acme.client.get(f"/ideas/{idea['id']}")
    assert (unchanged.json(), unchanged.headers["etag"]) == (idea, tag)
    assert [action for action, _ in await trail(acme, idea["id"])] == ["created"]


async def test_a_label_has_to_be_exact(acme: Acme, idea: Json) -> None:
    for label in ("new", "NEW", " New", "New ", "Under  review", "Nowhere", "x" * 120):
        problem = refused(await move(acme, idea, label), 400, "UNKNOWN_STATUS")
        assert {"New", "Under review", "Approved", "Planned"} <= set(problem["allowed"])
        assert problem["field"] == "status"
    assert await acme.read(idea) == idea


async def test_a_label_has_1_to_120_characters(acme: Acme, idea: Json) -> None:
    for label in ("", " ", "x" * 121, 1, None, ["New"]):
        answer = await acme.client.patch(f"/ideas/{idea['id']}/status", json={"status": label})
        refused(answer, 400, "VALIDATION_FAILED", "status")
    refused(await acme.client.patch(f"/ideas/{idea['id']}/status", json={}), 400, "VALIDATION_FAILED", "status")


async def test_no_other_field_is_taken(acme: Acme, idea: Json) -> None:
    refused(await move(acme, idea, "Planned", reason="Because"), 400, "VALIDATION_FAILED", "reason")


async def test_the_expected_label_is_a_string(acme: Acme, idea: Json) -> None:
    for wrong in (1, ["New"]):
        answer = await move(acme, idea, "Planned", expectedCurrentStatus=wrong)
        refused(answer, 400, "VALIDATION_FAILED", "expectedCurrentStatus")
    assert await acme.read(idea) == idea


async def test_an_idea_that_has_the_expected_label_moves(acme: Acme, idea: Json) -> None:
    assert (await move(acme, idea, "Planned", expectedCurrentStatus="New")).json()["changed"] is True


async def test_null_expects_no_label(acme: Acme, idea: Json) -> None:
    assert (await move(acme, idea, "Planned", expectedCurrentStatus=None)).json()["changed"] is True


async def test_an_idea_that_has_another_label_than_expected_stays(acme: Acme, idea: Json) -> None:
    await move(acme, idea, "Approved")
    for expected in ("New", "approved", "Nowhere", "", "x" * 200):
        problem = refused(await move(acme, idea, "Planned", expectedCurrentStatus=expected), 409, "STATUS_CHANGED")
        assert problem["currentStatus"] == "Approved"
    assert (await acme.read(idea))["status"] == "Approved"


async def test_what_was_expected_is_checked_also_when_the_label_is_the_same(acme: Acme, idea: Json) -> None:
    refused(await move(acme, idea, "New", expectedCurrentStatus="Planned"), 409, "STATUS_CHANGED")


async def test_an_idea_in_a_completed_sprint_stays(acme: Acme) -> None:
    for sprint in ("planned", "active"):
        assert (await move(acme, await from_file(acme, sprint=sprint), "Planned")).status_code == 200
    idea = await from_file(acme, sprint="completed")
    refused(await move(acme, idea, "Planned"), 409, "SPRINT_COMPLETED")
    assert await acme.read(idea) == idea


async def test_an_idea_whose_integration_owns_the_status_stays(acme: Acme) -> None:
    ours, theirs = [await from_file(acme, integration=kind, externalId="1") for kind in ("forms", "jira")]
    assert (await move(acme, ours, "Planned")).status_code == 200
    refused(await move(acme, theirs, "Planned"), 409, "SOURCE_MANAGED")
    assert await acme.read(theirs) == theirs


async def test_the_promotion_label_is_reserved(acme: Acme, idea: Json) -> None:
    refused(await move(acme, idea, "Promoted"), 409, "PROMOTION_RESERVED")
    assert await acme.read(idea) == idea


async def test_a_promoted_idea_may_leave_its_label_and_be_asked_to_keep_it(acme: Acme) -> None:
    promoted = await from_file(acme, status="Promoted")
    assert (await move(acme, promoted, "Promoted")).json()["changed"] is False
    assert (await move(acme, promoted, "Planned")).json()["previousStatus"] == "Promoted"


@pytest.mark.parametrize("status", ["Promoted", "Planned"])
async def test_what_was_expected_is_checked_before_every_other_conflict(acme: Acme, status: str) -> None:
    managed = await from_file(acme, integration="jira", externalId=f"first-{status}", sprint="completed")
    refused(await move(acme, managed, status, expectedCurrentStatus="Planned"), 409, "STATUS_CHANGED")
    assert (await move(acme, managed, "New", expectedCurrentStatus="New")).status_code == 200


async def test_moving_never_creates_an_initiative(acme: Acme, idea: Json) -> None:
    count = "SELECT count(*) FROM initiatives WHERE workspace_id = $1"
    before = await acme.value(count)
    for label in ("Planned", "Approved"):
        await move(acme, idea, label)
    await move(acme, idea, "Promoted")
    assert (await acme.value(count), (await acme.read(idea))["projectId"]) == (before, None)


async def test_the_history_of_the_label_is_in_the_trail(acme: Acme, idea: Json) -> None:
    for label in ("Planned", "Planned", "Approved"):
        await move(acme, idea, label)
    assert [entry for entry in await trail(acme, idea["id"]) if entry[0] == "status_changed"] == [
        ("status_changed", {"from": "New", "to": "Planned"}),
        ("status_changed", {"from": "Planned", "to": "Approved"}),
    ]


async def test_the_receipts_of_many_movers_form_one_chain(acme: Acme, idea: Json) -> None:
    labels = [LABELS[n % 4]["label"] for n in range(CROWD)]
    answers = await at_once(move(acme, idea, label) for label in labels)
    assert {answer.status_code for answer in answers} == {200}
    receipts = [answer.json() for answer in answers]
    steps = [detail for action, detail in await trail(acme, idea["id"]) if action == "status_changed"]
    assert [step["from"] for step in steps] == ["New", *(step["to"] for step in steps[:-1])]
    assert steps[-1]["to"] == (await acme.read(idea))["status"]
    moves = sorted((receipt["previousStatus"], receipt["status"]) for receipt in receipts if receipt["changed"])
    assert moves == sorted((step["from"], step["to"]) for step in steps)


async def test_concurrent_moves_all_succeed(acme: Acme, idea: Json) -> None:
    labels = [f"Step {n}" for n in range(CROWD)]
    await acme.world.add(ideaStatuses=[{"label": label} for label in labels])
    answers = await at_once(move(acme, idea, label) for label in labels)
    assert [answer.json().get("changed") for answer in answers] == [True] * CROWD
    came_from = [answer.json()["previousStatus"] for answer in answers]
    assert sorted([*came_from, (await acme.read(idea))["status"]]) == sorted([*labels, "New"])


async def test_of_many_who_expect_one_label_one_moves_the_idea(acme: Acme, idea: Json) -> None:
    labels = [("Planned", "Approved")[n % 2] for n in range(CROWD)]
    answers = await at_once(move(acme, idea, label, expectedCurrentStatus="New") for label in labels)
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * (CROWD - 1)
    assert {answer.json()["code"] for answer in answers if answer.status_code == 409} == {"STATUS_CHANGED"}


async def test_a_waiting_move_sees_the_committed_sprint(acme: Acme, idea: Json) -> None:
    async with holding(acme, idea) as tx:
        moving = asyncio.create_task(move(acme, idea, "Planned"))
        await until_blocked(acme.world.database)
        await tx.connection.execute(INTO_COMPLETED_SPRINT, acme.world.workspace_id, UUID(idea["id"]))
    refused(await moving, 409, "SPRINT_COMPLETED")


async def test_a_sprint_completed_during_the_move_keeps_the_label(acme: Acme) -> None:
    sprint = {"key": "ending", "name": "Ending", "state": "active"}
    await acme.world.add(sprints=[sprint])
    idea = await from_file(acme, sprint="ending")
    async with holding(acme, idea):
        moving = asyncio.create_task(move(acme, idea, "Planned"))
        await until_blocked(acme.world.database)
        await acme.world.add(sprints=[{**sprint, "state": "completed"}])
    answer = await moving
    assert answer.status_code in (200, 409)
    refused(await move(acme, idea, "Approved"), 409, "SPRINT_COMPLETED")
