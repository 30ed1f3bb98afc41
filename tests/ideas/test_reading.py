"""GET /ideas/:id."""

import re
from uuid import uuid4

from tests.ideas.acme import Acme, refused

FIELDS = {
    *("id", "publicId", "name", "description", "status", "productId", "featureIds", "featureMatching", "projectId"),
    *("integrationId", "sourceKey", "externalId", "createdSource", "provenance", "opportunityIds", "insightIds"),
    *("accountIds", "taxonomyVersionId", "portalVisible", "voteCount", "importedVoteCount", "officialAnswer"),
    *("createdAt", "updatedAt"),
}
ADDED = {"classifications", "classificationSummary"}


async def test_an_idea_is_read_by_its_id_and_by_its_public_id_in_any_letter_case(acme: Acme) -> None:
    created = await acme.create()
    public_id = created["publicId"]
    for ref in (created["id"], created["id"].upper(), public_id, public_id.lower(), public_id.title()):
        answer = await acme.client.get(f"/ideas/{ref}")
        assert (answer.status_code, answer.json()) == (200, created)


async def test_every_field_is_on_every_read(acme: Acme) -> None:
    created = await acme.create()
    assert created.keys() == (await acme.read(created)).keys() == (await acme.list())[0].keys() == FIELDS


async def test_classifications_are_shown_only_on_request(acme: Acme) -> None:
    created = await acme.create()
    assert (await acme.read(created)).keys() == FIELDS
    assert (await acme.read(created, include="classifications")).keys() == FIELDS | ADDED


async def test_empty_items_of_include_are_skipped(acme: Acme) -> None:
    created = await acme.create()
    assert (await acme.read(created, include=",classifications,,")).keys() == FIELDS | ADDED
    assert (await acme.read(created, include="")).keys() == FIELDS


async def test_another_include_is_refused(acme: Acme) -> None:
    created = await acme.create()
    for include in ["raw", "Classifications", "classifications,raw", "comments"]:
        answer = await acme.client.get(f"/ideas/{created['id']}", params={"include": include})
        refused(answer, 400, "VALIDATION_FAILED", "include")
        refused(await acme.client.get("/ideas", params={"include": include}), 400, "VALIDATION_FAILED", "include")


async def test_links_and_origin_of_a_file_are_shown(acme: Acme) -> None:
    await acme.world.add_earlier(
        initiatives=[{"key": "reporting", "name": "Reporting", "status": "PLANNED"}],
        ideas=[
            {
                "key": "exports",
                "name": "Exports",
                "description": "From the app.",
                "status": "Under review",
                "initiative": "reporting",
                "opportunities": ["retention"],
                "createdSource": "app",
                "provenance": {"method": "manual"},
                "createdAt": "2021-03-01T10:00:00.000Z",
                "updatedAt": "2021-03-02T10:00:00.000Z",
            }
        ],
    )
    [idea] = await acme.list()
    assert idea["projectId"] == (await acme.world.ids("initiatives"))["reporting"]
    assert idea["opportunityIds"] == [(await acme.world.ids("opportunities"))["retention"]]
    assert (idea["createdSource"], idea["provenance"]["method"]) == ("app", "manual")
    assert (idea["createdAt"], idea["updatedAt"]) == ("2021-03-01T10:00:00.000Z", "2021-03-02T10:00:00.000Z")
    assert await acme.read(idea) == idea


async def test_an_unknown_public_id_is_not_found(acme: Acme) -> None:
    await acme.create()
    for ref in ["IDEA-999", "idea-999999999999999999999", "INITIATIVE-1", "SIGNAL-1", "IDEA-0"]:
        refused(await acme.client.get(f"/ideas/{ref}"), 404, "NOT_FOUND")


async def test_an_unknown_id_is_not_found(acme: Acme) -> None:
    refused(await acme.client.get(f"/ideas/{uuid4()}"), 404, "NOT_FOUND")


async def test_a_malformed_reference_is_refused(acme: Acme) -> None:
    for ref in ["1", "IDEA", "IDEA-", "IDEA-one", "IDEA--1", "IDEA-1-2", "IDEA 1", "\u2160DEA-1", "%00"]:
        refused(await acme.client.get(f"/ideas/{ref}"), 400, "INVALID_REFERENCE")


async def test_a_uuid_without_hyphens_is_malformed(acme: Acme) -> None:
    created = await acme.create()
    refused(await acme.client.get(f"/ideas/{created['id'].replace('-', '')}"), 400, "INVALID_REFERENCE")


async def test_another_workspaces_idea_gets_the_same_response_as_an_unknown_one(acme: Acme) -> None:
    created = await acme.create()
    async with acme.world.stranger() as stranger:
        bodies = []
        for ref in (created["id"], str(uuid4()), created["publicId"]):
            problem = refused(await stranger.client.get(f"/ideas/{ref}"), 404, "NOT_FOUND")
            bodies.append({name: value for name, value in problem.items() if name != "requestId"})
        assert bodies[0] == bodies[1] == bodies[2]


async def test_the_same_id_in_two_workspaces_is_two_ideas(acme: Acme) -> None:
    shared = str(uuid4())
    async with acme.world.stranger() as stranger:
        for world, name in ((acme.world, "Ours"), (stranger, "Theirs")):
            await world.add(ideas=[{"key": "one", "id": shared, "name": name, "description": name}])
        assert (await acme.client.get(f"/ideas/{shared}")).json()["name"] == "Ours"
        assert (await stranger.client.get(f"/ideas/{shared}")).json()["name"] == "Theirs"


async def test_an_unchanged_idea_is_not_sent_again(acme: Acme) -> None:
    path = f"/ideas/{(await acme.create())['id']}"
    tag = (await acme.client.get(path)).headers["etag"]
    for known in (tag, f'"other", {tag}', f"W/{tag}", "*"):
        answer = await acme.client.get(path, headers={"If-None-Match": known})
        assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", tag)
    assert (await acme.client.get(path, headers={"If-None-Match": '"other"'})).status_code == 200


async def test_the_tag_changes_with_the_idea_and_with_the_includes(acme: Acme) -> None:
    created = await acme.create(sourceKey="desk", externalId="1")
    path = f"/ideas/{created['id']}"
    before = (await acme.client.get(path)).headers["etag"]
    assert before != (await acme.client.get(f"{path}?include=classifications")).headers["etag"]
    await acme.create(sourceKey="desk", externalId="1", name="Renamed")
    after = await acme.client.get(path, headers={"If-None-Match": before})
    assert (after.status_code, after.json()["name"]) == (200, "Renamed")


async def test_the_tag_is_the_same_for_every_key(acme: Acme) -> None:
    created = await acme.create()
    other = await acme.world.client_with("ideas:read")
    tags = {(await client.get(f"/ideas/{created['publicId']}")).headers["etag"] for client in (acme.client, other)}
    assert len(tags) == 1
    assert re.fullmatch(r'"[^"]+"', tags.pop())


async def test_unknown_parameters_are_refused(acme: Acme) -> None:
    created = await acme.create()
    for name in ("colour", "limit"):
        refused(await acme.client.get(f"/ideas/{created['id']}", params={name: "1"}), 400, "VALIDATION_FAILED", name)
