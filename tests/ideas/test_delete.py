"""DELETE /ideas/:id: for good, with everything that hangs on it."""

from uuid import UUID, uuid4

import pytest
import pytest_asyncio

from tests.ideas.acme import Acme, Json, refused
from tests.ideas.workroom import at_once, from_file, trail

pytestmark = pytest.mark.one_workspace

HANGING = ("features", "opportunities", "insights", "accounts", "classifications", "questions", "comments", "evidence")


@pytest_asyncio.fixture
async def laden(acme: Acme) -> Json:
    """An idea with something of every kind that can hang on one."""
    return await from_file(
        acme,
        product="app",
        features=["export"],
        opportunities=["retention"],
        insights=[{"insight": "insight-1"}],
        accounts=["globex"],
        classifications=[{"groupKey": "theme", "optionValues": ["speed"]}],
        questions=[{"key": "q", "question": "For whom?"}],
        comments=[{"key": "c", "author": "owner", "body": "Asked for twice."}],
        evidence=[{"key": "e", "title": "A call", "category": "problem"}],
    )


async def count_of(acme: Acme, table: str, idea: Json) -> int:
    statement = f"SELECT count(*) FROM {table} WHERE workspace_id = $1 AND idea_id = $2"  # noqa: S608
    return int(await acme.value(statement, UUID(idea["id"])))


async def test_the_receipt_names_the_idea(acme: Acme) -> None:
    created = await acme.create()
    answer = await acme.client.delete(f"/ideas/{created['id']}")
    receipt = {"success": True, "ideaId": created["id"], "ideaPublicId": created["publicId"]}
    assert (answer.status_code, answer.json()) == (200, receipt)


async def test_either_form_of_reference_names_the_idea(acme: Acme) -> None:
    for form in ("id", "publicId"):
        created = await acme.create()
        answer = await acme.client.delete(f"/ideas/{created[form].lower()}")
        assert (answer.status_code, answer.json()["ideaId"]) == (200, created["id"])


async def test_a_deleted_idea_is_found_nowhere(acme: Acme, laden: Json) -> None:
    total = await acme.total()
    await acme.client.delete(f"/ideas/{laden['id']}")
    for ref in (laden["id"], laden["publicId"]):
        for part in ("", "/evidence", "/questions", "/comments", "/classifications"):
            refused(await acme.client.get(f"/ideas/{ref}{part}"), 404, "NOT_FOUND")
        refused(await acme.client.delete(f"/ideas/{ref}"), 404, "NOT_FOUND")
        refused(await acme.client.patch(f"/ideas/{ref}", json={}), 404, "NOT_FOUND")
    assert await acme.total() == total - 1
    assert laden["id"] not in {idea["id"] for idea in await acme.list(limit="100")}


async def test_all_that_belongs_to_the_idea_is_deleted_with_it(acme: Acme, laden: Json) -> None:
    assert [await count_of(acme, f"idea_{each}", laden) for each in HANGING] == [1] * len(HANGING)
    await acme.client.delete(f"/ideas/{laden['id']}")
    assert [await count_of(acme, f"idea_{each}", laden) for each in HANGING] == [0] * len(HANGING)


async def test_linked_records_stay(acme: Acme, laden: Json) -> None:
    await acme.client.delete(f"/ideas/{laden['id']}")
    for table in ("products", "features", "insights", "accounts", "opportunities"):
        statement = f"SELECT count(*) FROM {table} WHERE workspace_id = $1"  # noqa: S608
        assert await acme.value(statement) > 0


async def test_studies_no_longer_name_it(acme: Acme) -> None:
    kept, gone = await acme.create(), await acme.create()
    study = {"key": "study", "name": "Study", "status": "completed", "type": "interview", "phase": "discovery"}
    await acme.world.add(studies=[{**study, "ideas": [kept["id"], gone["id"]]}])
    named = "SELECT idea_ids FROM studies WHERE workspace_id = $1 AND key = 'study'"
    assert await acme.value(named) == [UUID(kept["id"]), UUID(gone["id"])]
    await acme.client.delete(f"/ideas/{gone['id']}")
    assert await acme.value(named) == [UUID(kept["id"])]


async def test_a_number_is_never_used_again(acme: Acme) -> None:
    numbers = []
    for _ in range(3):
        created = await acme.create()
        numbers.append(int(created["publicId"].removeprefix("IDEA-")))
        await acme.client.delete(f"/ideas/{created['id']}")
    assert numbers == sorted(set(numbers))


async def test_its_identity_is_free_again(acme: Acme) -> None:
    identity = {"sourceKey": "desk", "externalId": "again"}
    first = await acme.create(**identity)
    await acme.client.delete(f"/ideas/{first['id']}")
    second = await acme.create(**identity)
    assert second["id"] != first["id"]
    assert second["publicId"] != first["publicId"]


async def test_the_trail_keeps_that_it_existed(acme: Acme) -> None:
    created = await acme.create()
    await acme.client.delete(f"/ideas/{created['id']}")
    assert [action for action, _ in await trail(acme, created["id"])] == ["created", "deleted"]
    named = "SELECT public_id FROM changes WHERE workspace_id = $1 AND record_id = $2 AND action = 'deleted'"
    assert await acme.value(named, UUID(created["id"])) == created["publicId"]


async def test_of_concurrent_deletions_one_finds_the_idea(acme: Acme, laden: Json) -> None:
    total = await acme.total()
    answers = await at_once(acme.client.delete(f"/ideas/{laden['id']}") for _ in range(12))
    assert sorted(answer.status_code for answer in answers) == [200] + [404] * 11
    assert await acme.total() == total - 1
    assert [action for action, _ in await trail(acme, laden["id"])].count("deleted") == 1


async def test_many_ideas_are_deleted_at_once_and_counted_once(acme: Acme) -> None:
    before = await acme.total()
    created = [await acme.create() for _ in range(8)]
    answers = await at_once(acme.client.delete(f"/ideas/{idea['id']}") for idea in created)
    assert {answer.status_code for answer in answers} == {200}
    assert await acme.total() == before


async def test_another_workspaces_idea_stays(acme: Acme) -> None:
    created = await acme.create()
    async with acme.world.stranger() as stranger:
        for ref in (created["id"], created["publicId"], str(uuid4())):
            refused(await stranger.client.delete(f"/ideas/{ref}"), 404, "NOT_FOUND")
    assert await acme.read(created) == created


async def test_a_body_and_its_type_are_ignored(acme: Acme) -> None:
    created = await acme.create()
    headers = {"content-type": "text/csv"}
    answer = await acme.client.request("DELETE", f"/ideas/{created['id']}", content=b"{;", headers=headers)
    assert answer.status_code == 200


async def test_writing_and_deleting_are_scopes_of_their_own(acme: Acme) -> None:
    created = await acme.create()
    writer = await acme.world.client_with("ideas:write", "ideas:read")
    problem = refused(await writer.delete(f"/ideas/{created['id']}"), 403, "INSUFFICIENT_SCOPE")
    assert problem["requiredScopes"] == ["ideas:delete"]
    deleter = await acme.world.client_with("ideas:delete")
    refused(await deleter.patch(f"/ideas/{created['id']}", json={}), 403, "INSUFFICIENT_SCOPE")
    assert (await deleter.delete(f"/ideas/{created['id']}")).status_code == 200
