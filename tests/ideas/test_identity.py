"""What names an idea: sourceKey with externalId, or integrationId with externalId."""

from typing import Any
from uuid import uuid4

import pytest

from tests.ideas.acme import Acme, refused

SOURCE = {"sourceKey": "desk", "externalId": "4711"}


async def test_the_same_pair_updates_and_creates_nothing(acme: Acme) -> None:
    created = await acme.create(**SOURCE)
    again = await acme.post(**SOURCE, name="Renamed")
    assert (again.status_code, again.json()["id"], again.json()["name"]) == (201, created["id"], "Renamed")
    assert again.json()["publicId"] == created["publicId"]
    assert await acme.total() == 1


async def test_an_integration_and_its_external_id_name_an_idea(acme: Acme) -> None:
    body = {"integrationId": acme.integrations["forms"], "externalId": "F-1"}
    created = await acme.create(**body)
    assert (await acme.create(**body, name="Renamed"))["id"] == created["id"]
    assert await acme.total() == 1


@pytest.mark.parametrize("part", [{"sourceKey": "desk"}, {"externalId": "4711"}, {"integration": "forms"}])
async def test_one_part_alone_is_stored_and_names_nothing(acme: Acme, part: dict[str, str]) -> None:
    body = {"integrationId": acme.integrations["forms"]} if "integration" in part else part
    first, second = await acme.create(**body), await acme.create(**body)
    assert first["id"] != second["id"]
    for name, value in body.items():
        assert (first[name], second[name]) == (value, value)


async def test_source_and_integration_without_an_external_id_name_nothing(acme: Acme) -> None:
    body = {"sourceKey": "desk", "integrationId": acme.integrations["forms"]}
    assert (await acme.create(**body))["id"] != (await acme.create(**body))["id"]


@pytest.mark.parametrize(
    "other",
    [
        {"sourceKey": "mail"},
        {"sourceKey": "DESK"},
        {"sourceKey": "desk "},
        {"externalId": "4712"},
        {"externalId": "04711"},
    ],
)
async def test_another_pair_is_another_idea(acme: Acme, other: dict[str, str]) -> None:
    assert (await acme.create(**SOURCE))["id"] != (await acme.create(**{**SOURCE, **other}))["id"]


async def test_an_identity_belongs_to_one_workspace(acme: Acme) -> None:
    created = await acme.create(**SOURCE)
    async with acme.world.stranger() as stranger:
        theirs = await stranger.client.post("/ideas", json={"description": "Theirs", **SOURCE})
        assert (theirs.status_code, theirs.json()["publicId"]) == (201, "IDEA-1")
    assert (await acme.read(created)) == created


async def test_an_idea_is_found_by_either_of_its_identities(acme: Acme) -> None:
    both = {**SOURCE, "integrationId": acme.integrations["forms"]}
    created = await acme.create(**both)
    by_integration = {"integrationId": both["integrationId"], "externalId": "4711"}
    for body in (both, SOURCE, by_integration):
        assert (await acme.create(**body))["id"] == created["id"]


async def test_an_identity_the_idea_did_not_have_is_added(acme: Acme) -> None:
    created = await acme.create(**SOURCE)
    forms = acme.integrations["forms"]
    updated = await acme.create(**SOURCE, integrationId=forms)
    assert (updated["id"], updated["integrationId"]) == (created["id"], forms)
    assert (await acme.create(integrationId=forms, externalId="4711"))["id"] == created["id"]


async def test_two_identities_that_name_two_ideas_conflict(acme: Acme) -> None:
    first = await acme.create(**SOURCE)
    second = await acme.create(integrationId=acme.integrations["forms"], externalId="4711")
    answer = await acme.post(**SOURCE, integrationId=acme.integrations["forms"], name="Which?")
    refused(answer, 409, "IDENTITY_CONFLICT")
    assert [await acme.read(idea) for idea in (first, second)] == [first, second]


async def test_ideas_of_a_workspace_file_are_known_by_their_identity(acme: Acme) -> None:
    await acme.world.add(ideas=[{"key": "one", "name": "One", "description": "From a file.", **SOURCE}])
    [known] = await acme.list()
    assert (await acme.create(**SOURCE))["id"] == known["id"]


async def test_an_identity_is_kept_as_sent(acme: Acme) -> None:
    created = await acme.create(sourceKey=" Desk\t", externalId="\U0001f4a1 ")
    assert (created["sourceKey"], created["externalId"]) == (" Desk\t", "\U0001f4a1 ")


@pytest.mark.parametrize("field", ["sourceKey", "externalId"])
async def test_an_empty_part_is_refused(acme: Acme, field: str) -> None:
    refused(await acme.post(**{**SOURCE, field: ""}), 400, "VALIDATION_FAILED", field)


async def test_an_unknown_integration_is_not_found_before_any_identity(acme: Acme) -> None:
    await acme.create(**SOURCE)
    refused(await acme.post(**SOURCE, integrationId=str(uuid4())), 404, "NOT_FOUND", "integrationId")


async def test_a_deleted_ideas_identity_is_free_again(acme: Acme) -> None:
    created = await acme.create(**SOURCE)
    await acme.run("DELETE FROM ideas WHERE workspace_id = $1 AND id = $2", created["id"])
    again = await acme.create(**SOURCE)
    assert again["id"] != created["id"]
    assert again["publicId"] != created["publicId"]


async def managed(acme: Acme, **more: Any) -> dict[str, Any]:
    """An idea whose status is kept by the integration it came from."""
    return await acme.create(integrationId=acme.integrations["jira"], externalId="J-1", **more)


async def test_an_integration_may_move_its_own_record(acme: Acme) -> None:
    await managed(acme)
    assert (await managed(acme, status="Under review"))["status"] == "Under review"


async def test_only_the_integration_may_change_a_status_that_it_owns(acme: Acme) -> None:
    created = await managed(acme, sourceKey="desk")
    answer = await acme.post(sourceKey="desk", externalId="J-1", status="Under review", name="Renamed")
    refused(answer, 409, "SOURCE_MANAGED")
    assert await acme.read(created) == created


async def test_other_clients_may_change_everything_but_the_status(acme: Acme) -> None:
    await managed(acme, sourceKey="desk")
    for status in (None, "New"):
        updated = await acme.create(sourceKey="desk", externalId="J-1", name="Renamed", status=status)
        assert (updated["name"], updated["status"]) == ("Renamed", "New")


async def test_an_integration_that_does_not_own_the_status_lets_others_change_it(acme: Acme) -> None:
    await acme.create(integrationId=acme.integrations["forms"], **SOURCE)
    assert (await acme.create(**SOURCE, status="Under review"))["status"] == "Under review"
