"""PATCH /ideas/:id with projectId: an idea belongs to at most one initiative."""

from typing import Any
from uuid import UUID, uuid4

import pytest
import pytest_asyncio

from tests.ideas.acme import Acme, Json, refused
from tests.ideas.workroom import change, initiative, patch, trail

pytestmark = pytest.mark.one_workspace


@pytest_asyncio.fixture(scope="module")
async def reporting(shared_acme: Acme) -> Json:
    return await initiative(shared_acme, name="Reporting")


@pytest_asyncio.fixture
async def idea(acme: Acme) -> Json:
    return await acme.create()


@pytest_asyncio.fixture
async def attached(acme: Acme, idea: Json, reporting: Json) -> Json:
    return await change(acme, idea, projectId=reporting["id"])


async def test_an_idea_is_attached_by_either_form_of_reference(acme: Acme, reporting: Json) -> None:
    public_id = reporting["publicId"]
    for ref in (reporting["id"], reporting["id"].upper(), public_id, public_id.lower(), f" {public_id} "):
        created = await acme.create()
        changed = await change(acme, created, projectId=ref)
        assert changed["projectId"] == reporting["id"]
        assert changed["updatedAt"] >= created["updatedAt"]
        assert await acme.read(created) == changed


async def test_a_null_initiative_detaches_the_idea(acme: Acme, attached: Json) -> None:
    changed = await change(acme, attached, projectId=None)
    assert changed["projectId"] is None
    assert (await trail(acme, attached["id"]))[-1] == ("updated", {"fields": ["initiative_id"]})


async def test_detaching_an_unattached_idea_changes_nothing(acme: Acme, idea: Json) -> None:
    assert await change(acme, idea, projectId=None) == idea


async def test_attaching_to_the_same_initiative_again_changes_nothing(
    acme: Acme, attached: Json, reporting: Json
) -> None:
    for ref in (reporting["id"], reporting["publicId"]):
        assert await change(acme, attached, projectId=ref) == attached


async def test_an_attached_idea_has_to_be_detached_before_it_is_attached_to_another(acme: Acme, attached: Json) -> None:
    other = await initiative(acme)
    problem = refused(await patch(acme, attached, projectId=other["id"], name="Renamed"), 400, "ALREADY_LINKED")
    assert problem["field"] == "projectId"
    assert await acme.read(attached) == attached
    await change(acme, attached, projectId=None)
    assert (await change(acme, attached, projectId=other["id"]))["projectId"] == other["id"]


async def test_a_malformed_reference_is_refused(acme: Acme, idea: Json) -> None:
    shapeless: list[Any] = ["", "  ", "1", "INITIATIVE", "INITIATIVE-", "INITIATIVE-one", "a" * 32, 1, [], {}]
    for ref in shapeless:
        refused(await patch(acme, idea, projectId=ref), 400, "VALIDATION_FAILED", "projectId")


async def test_an_unknown_initiative_is_refused(acme: Acme, idea: Json) -> None:
    async with acme.world.stranger() as stranger:
        await stranger.add(initiatives=[{"key": "theirs", "name": "Theirs", "status": "PLANNED"}])
        theirs = (await stranger.ids("initiatives"))["theirs"]
    for ref in (str(uuid4()), theirs, "INITIATIVE-999999", "INITIATIVE-0", idea["publicId"], idea["id"], "SIGNAL-1"):
        refused(await patch(acme, idea, projectId=ref), 400, "VALIDATION_FAILED", "projectId")
    assert await acme.read(idea) == idea


async def test_an_archived_initiative_takes_no_ideas(acme: Acme, idea: Json) -> None:
    archived = await initiative(acme, status="ARCHIVED")
    for ref in (archived["id"], archived["publicId"]):
        refused(await patch(acme, idea, projectId=ref), 400, "VALIDATION_FAILED", "projectId")
    assert await acme.read(idea) == idea


async def test_every_other_initiative_takes_ideas(acme: Acme) -> None:
    for status in ("PENDING", "UNPLANNED", "PLANNED", "IN_PROGRESS", "COMPLETED"):
        target = await initiative(acme, status=status)
        assert (await change(acme, await acme.create(), projectId=target["id"]))["projectId"] == target["id"]


async def test_an_idea_stays_in_an_initiative_that_was_archived(acme: Acme, idea: Json) -> None:
    target = await initiative(acme)
    await change(acme, idea, projectId=target["id"])
    await acme.world.add(initiatives=[{"key": target["key"], "status": "ARCHIVED"}])
    assert (await change(acme, idea, projectId=target["id"]))["projectId"] == target["id"]
    assert (await change(acme, idea, name="Renamed"))["projectId"] == target["id"]
    assert (await change(acme, idea, projectId=None))["projectId"] is None


async def test_attaching_does_not_touch_the_initiative(acme: Acme, idea: Json, reporting: Json) -> None:
    touched = "SELECT (updated_at, version, xmin)::text FROM initiatives WHERE workspace_id = $1 AND id = $2"
    before = await acme.value(touched, UUID(reporting["id"]))
    await change(acme, idea, projectId=reporting["id"])
    await change(acme, idea, projectId=None)
    assert await acme.value(touched, UUID(reporting["id"])) == before


async def test_several_ideas_share_an_initiative(acme: Acme, reporting: Json) -> None:
    for _ in range(3):
        await change(acme, await acme.create(), projectId=reporting["id"])
    of_initiative = "SELECT count(*) FROM ideas WHERE workspace_id = $1 AND initiative_id = $2"
    assert await acme.value(of_initiative, UUID(reporting["id"])) >= 3


async def test_attaching_comes_with_other_changes_or_not_at_all(acme: Acme, idea: Json, reporting: Json) -> None:
    wrong = {"projectId": reporting["id"], "insightIds": [str(uuid4())]}
    refused(await patch(acme, idea, wrong), 400, "VALIDATION_FAILED", "insightIds")
    assert await acme.read(idea) == idea
    changed = await change(acme, idea, projectId=reporting["id"], name="Renamed")
    assert (changed["projectId"], changed["name"]) == (reporting["id"], "Renamed")
