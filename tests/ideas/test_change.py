"""PATCH /ideas/:id: what is sent is changed, what is absent stays."""

from typing import Any
from uuid import UUID, uuid4

import pytest
import pytest_asyncio

from tests.ideas.acme import Acme, Json, refused
from tests.ideas.workroom import change, from_file, patch, trail

pytestmark = pytest.mark.one_workspace


@pytest_asyncio.fixture
async def idea(acme: Acme) -> Json:
    """An idea of last year with something in every field that a change may touch."""
    return await from_file(
        acme,
        name="Exports",
        product="app",
        features=["export"],
        insights=[{"insight": "insight-1", "validated": True}],
        accounts=["globex"],
        portalVisible=True,
        createdAt="2025-01-01T00:00:00.000Z",
        updatedAt="2025-02-01T00:00:00.000Z",
    )


async def test_an_empty_change_changes_nothing(acme: Acme, idea: Json) -> None:
    tag = (await acme.client.get(f"/ideas/{idea['id']}")).headers["etag"]
    answer = await patch(acme, idea, {})
    assert (answer.status_code, answer.json()) == (200, idea)
    assert answer.headers["etag"] == tag
    assert len(await trail(acme, idea["id"])) == 1


async def test_sending_the_current_values_changes_nothing(acme: Acme, idea: Json) -> None:
    idea = await change(acme, idea, featureIds=idea["featureIds"])
    same = {name: idea[name] for name in ("name", "description", "featureIds", "insightIds", "accountIds")}
    again = await patch(acme, idea, projectId=None, portalVisible=True, validateInsightLinks=True, **same)
    assert (again.status_code, again.json()) == (200, idea)
    assert (await acme.read(idea))["updatedAt"] == idea["updatedAt"]


ALSO_MOVING = {"featureIds": ["featureMatching"], "description": ["featureMatching", "featureIds"]}


@pytest.mark.parametrize(
    ("field", "value"),
    [("name", "Renamed"), ("description", "Another text."), ("insightIds", []), ("accountIds", []), ("featureIds", [])],
)
async def test_only_what_is_sent_is_changed(acme: Acme, idea: Json, field: str, value: Any) -> None:
    changed = await change(acme, idea, **{field: value})
    assert changed[field] == value
    moving = {field, "updatedAt", *ALSO_MOVING.get(field, ())}
    assert {name for name in idea if changed[name] != idea[name]} == moving
    assert changed["updatedAt"] > idea["updatedAt"]
    assert await acme.read(idea) == changed


async def test_a_name_is_trimmed_and_a_description_is_kept_as_sent(acme: Acme, idea: Json) -> None:
    changed = await change(acme, idea, name=" \t Renamed \n", description="  Two\n lines \u2013 \U0001f600 ")
    assert (changed["name"], changed["description"]) == ("Renamed", "  Two\n lines \u2013 \U0001f600 ")


async def test_a_name_has_up_to_1000_characters(acme: Acme, idea: Json) -> None:
    assert (await change(acme, idea, name="\u00e9" * 1000))["name"] == "\u00e9" * 1000
    refused(await patch(acme, idea, name="e" * 1001), 400, "VALIDATION_FAILED", "name")


async def test_either_form_of_reference_names_the_idea_in_any_letter_case(acme: Acme, idea: Json) -> None:
    for ref in (idea["id"].upper(), idea["publicId"], idea["publicId"].lower()):
        answer = await acme.client.patch(f"/ideas/{ref}", json={"name": ref})
        assert (answer.status_code, answer.json()["id"], answer.json()["name"]) == (200, idea["id"], ref)


async def test_the_answer_has_the_tag_that_a_read_has(acme: Acme, idea: Json) -> None:
    answer = await patch(acme, idea, name="Renamed")
    assert answer.headers["etag"] == (await acme.client.get(f"/ideas/{idea['id']}")).headers["etag"]
    answer = await patch(acme, idea, classifications=[{"groupKey": "size", "optionValues": ["s"]}])
    read = await acme.client.get(f"/ideas/{idea['id']}?include=classifications")
    assert (answer.headers["etag"], answer.json()) == (read.headers["etag"], read.json())


async def test_portal_visibility_can_be_changed(acme: Acme, idea: Json) -> None:
    for visible in (False, True, False):
        assert (await change(acme, idea, portalVisible=visible))["portalVisible"] is visible
        assert (await acme.read(idea))["portalVisible"] is visible


async def test_an_answer_of_the_team_moves_version_and_moment(acme: Acme, idea: Json) -> None:
    longest = "x" * 10_000
    answer = await patch(acme, idea, officialAnswer=longest)
    answered = answer.json()
    assert answered["officialAnswer"] == longest
    assert answered["updatedAt"] > idea["updatedAt"]
    again = await patch(acme, idea, officialAnswer=longest)
    assert (again.json(), again.headers["etag"]) == (answered, answer.headers["etag"])
    assert (await change(acme, idea, officialAnswer=None))["officialAnswer"] is None
    for wrong in (longest + "x", " ", 1):
        refused(await patch(acme, idea, officialAnswer=wrong), 400, "VALIDATION_FAILED", "officialAnswer")


async def test_votes_from_before_the_portal_come_from_a_file_only(acme: Acme, idea: Json) -> None:
    refused(await patch(acme, idea, importedVoteCount=3), 400, "VALIDATION_FAILED", "importedVoteCount")
    assert idea["importedVoteCount"] == 0
    await acme.world.add(ideas=[{"id": idea["id"], "importedVoteCount": 12}])
    read = await acme.read(idea)
    assert (read["voteCount"], read["importedVoteCount"]) == (0, 12)
    assert read["updatedAt"] > idea["updatedAt"]


FIELDS = ("name", "description", "featureIds", "insightIds", "accountIds", "validateInsightLinks", "classifications")


async def test_no_field_but_the_initiative_takes_null(acme: Acme, idea: Json) -> None:
    for field in (*FIELDS, "portalVisible"):
        refused(await patch(acme, idea, {field: None}), 400, "VALIDATION_FAILED", field)
    assert await change(acme, idea, projectId=None) == idea


async def test_every_fault_is_named_at_once(acme: Acme, idea: Json) -> None:
    wrong = {
        "name": " ",
        "description": "\n",
        "featureIds": ["x", str(uuid4()), 1],
        "insightIds": "all",
        "accountIds": [None],
        "validateInsightLinks": "true",
        "portalVisible": 1,
        "classifications": [{"optionValues": []}, {"groupKey": "theme", "value": "speed"}],
        "projectId": 7,
        "colour": "blue",
    }
    problem = refused(await patch(acme, idea, wrong), 400, "VALIDATION_FAILED")
    assert {fault["path"] for fault in problem["errors"]} == {
        *("name", "description", "featureIds[0]", "featureIds[2]", "insightIds", "accountIds[0]", "colour"),
        *("validateInsightLinks", "portalVisible", "classifications[0].groupKey", "classifications[1].value"),
        "projectId",
    }
    assert await acme.read(idea) == idea


async def test_what_only_creation_or_another_operation_sets_is_an_unknown_field(acme: Acme, idea: Json) -> None:
    for field in (
        *("id", "publicId", "status", "productId", "provenance", "createdSource", "sourceKey", "externalId"),
        *("integrationId", "opportunityIds", "createdAt", "updatedAt", "featureMatching", "initiativeId", "project_id"),
    ):
        refused(await patch(acme, idea, {field: idea.get(field)}), 400, "VALIDATION_FAILED", field)
    assert await acme.read(idea) == idea


async def test_a_body_has_to_be_a_json_object(acme: Acme, idea: Json) -> None:
    for body, code in [("", "MALFORMED_JSON"), ("{", "MALFORMED_JSON"), ("[]", "VALIDATION_FAILED")]:
        refused(await acme.client.patch(f"/ideas/{idea['id']}", content=body), 400, code)
    answer = await acme.client.patch(f"/ideas/{idea['id']}", content="{}", headers={"content-type": "text/plain"})
    refused(answer, 415, "UNSUPPORTED_MEDIA_TYPE")


async def test_an_assignment_patches_only_the_groups_that_are_named(acme: Acme, idea: Json) -> None:
    first = [{"groupKey": "theme", "optionValues": ["speed", "Trust"]}, {"groupKey": "why_now", "textValue": "Now."}]
    changed = await change(acme, idea, classifications=first)
    assert {value["groupKey"]: value["optionLabels"] for value in changed["classifications"]} == {
        "theme": ["Speed", "Trust"],
        "why_now": [],
    }
    assert changed["classificationSummary"]["assigned"] == 2
    assert changed["taxonomyVersionId"] is not None
    changed = await change(acme, idea, classifications=[{"groupKey": "size", "optionValues": ["Small"]}])
    assert [value["groupKey"] for value in changed["classifications"]] == ["theme", "size", "why_now"]
    assert await acme.read(idea, include="classifications") == changed


async def test_an_empty_array_and_null_mark_a_group_unassigned(acme: Acme, idea: Json) -> None:
    given = [{"groupKey": "theme", "optionValues": ["speed"]}, {"groupKey": "why_now", "textValue": "Now."}]
    await change(acme, idea, classifications=given)
    emptied = [{"groupKey": "theme", "optionValues": []}, {"groupKey": "why_now", "textValue": None}]
    changed = await change(acme, idea, classifications=emptied)
    assert (changed["classifications"], changed["classificationSummary"]["unassigned"]) == ([], 3)
    groups = (await acme.client.get(f"/ideas/{idea['id']}/classifications")).json()["groups"]
    assert {group["groupKey"]: group["reviewState"] for group in groups} == {
        **{"theme": "unassigned", "size": "unreviewed", "why_now": "unassigned"},
    }


async def test_an_empty_list_of_assignments_writes_none(acme: Acme, idea: Json) -> None:
    assert await change(acme, idea, classifications=[]) == idea


@pytest.mark.parametrize(
    ("assignments", "path"),
    [
        ([{"groupKey": "nope", "optionValues": []}], "classifications[0].groupKey"),
        ([{"groupKey": "theme", "optionValues": ["slow"]}], "classifications[0].optionValues"),
        ([{"groupKey": "size", "optionValues": ["s", "l"]}], "classifications[0].optionValues"),
        ([{"groupKey": "theme", "textValue": "speed"}], "classifications[0]"),
        ([{"groupKey": "why_now", "optionValues": ["s"]}], "classifications[0]"),
        ([{"groupKey": "theme"}], "classifications[0]"),
        ([{"groupKey": "why_now", "textValue": ""}], "classifications[0].textValue"),
        ([{"groupKey": "why_now", "textValue": "x" * 2001}], "classifications[0].textValue"),
        (
            [{"groupKey": "size", "optionValues": []}, {"groupKey": "size", "optionValues": []}],
            "classifications[1].groupKey",
        ),
    ],
)
async def test_an_assignment_that_does_not_fit_is_refused(
    acme: Acme, idea: Json, assignments: list[Json], path: str
) -> None:
    refused(await patch(acme, idea, name="Renamed", classifications=assignments), 400, "VALIDATION_FAILED", path)
    assert await acme.read(idea) == idea


async def test_a_renamed_idea_is_found_by_its_new_words_only(acme: Acme, idea: Json) -> None:
    await change(acme, idea, name="Walrus", description="A pangolin.")
    await change(acme, idea, name="Otter", description="A quokka.")
    for word in ("walrus", "pangolin"):
        assert await acme.list(q=word) == []
    for words in ("otter", "QUOKKA otter", "quokka"):
        assert [found["id"] for found in await acme.list(q=words)] == [idea["id"]]


async def test_a_change_is_in_the_trail_with_the_key_that_made_it(acme: Acme, idea: Json) -> None:
    await change(acme, idea, name="Renamed", insightIds=[])
    assert (await trail(acme, idea["id"]))[-1] == ("updated", {"fields": ["name", "insights"]})
    key_id = (await acme.client.get("/auth/context")).json()["credential"]["id"]
    actor = "SELECT actor_kind || ':' || actor_id FROM changes WHERE workspace_id = $1 AND record_id = $2"
    last = " AND action = 'updated' ORDER BY at DESC, id DESC LIMIT 1"
    assert await acme.value(actor + last, UUID(idea["id"])) == f"key:{key_id}"


async def test_a_later_field_of_a_repeated_name_wins(acme: Acme, idea: Json) -> None:
    answer = await acme.client.patch(f"/ideas/{idea['id']}", content=b'{"name": "One", "name": "Two"}')
    assert (answer.status_code, answer.json()["name"]) == (200, "Two")
