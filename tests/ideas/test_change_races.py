"""Changes that meet: each sees what the one before it left, and an idea is in one initiative at most."""

import asyncio
from typing import Any
from uuid import UUID

import pytest
import pytest_asyncio

from sightline.platform.wire import shown_moment
from tests.ideas.acme import Acme, Json, refused
from tests.ideas.workroom import at_once, change, holding, initiative, move, patch, trail
from tests.waiting import next_moment, until_blocked

pytestmark = pytest.mark.one_workspace

CROWD = 16
TOUCH = "UPDATE ideas SET name = 'Held', updated_at = $3, version = version + 1 WHERE workspace_id = $1 AND id = $2"


@pytest_asyncio.fixture
async def idea(acme: Acme) -> Json:
    return await acme.create(productId=acme.products["app"])


def changes_of_everything(acme: Acme) -> list[Json]:
    return [
        {"name": "Renamed"},
        {"description": "Another text."},
        {"insightIds": [acme.insights["insight-1"]]},
        {"accountIds": [acme.accounts["globex"]]},
        {"featureIds": [acme.features["search"]]},
        {"classifications": [{"groupKey": "size", "optionValues": ["s"]}]},
    ]


async def test_concurrent_changes_of_different_fields_are_all_kept(acme: Acme, idea: Json) -> None:
    bodies = changes_of_everything(acme)
    answers = await at_once(patch(acme, idea, body) for body in bodies)
    assert {answer.status_code for answer in answers} == {200}
    read = await acme.read(idea, include="classifications")
    for field, value in (pair for body in bodies[:-1] for pair in body.items()):
        assert read[field] == value
    assert [value["optionKeys"] for value in read["classifications"]] == [["s"]]


async def test_an_identity_update_that_waited_is_later_than_what_it_waited_for(acme: Acme) -> None:
    source = {"sourceKey": "desk", "externalId": "waited"}
    idea = await acme.create(**source)
    async with holding(acme, idea) as tx:
        waiting = asyncio.create_task(acme.post(**source, name="Waited"))
        await until_blocked(acme.world.database)
        await next_moment()
        held_until = tx.later().now
    moment = await waiting
    assert moment.json()["updatedAt"] >= shown_moment(held_until)


async def test_concurrent_changes_of_one_field_end_as_the_last_in_the_trail(acme: Acme, idea: Json) -> None:
    await at_once(patch(acme, idea, name=f"By {n}") for n in range(CROWD))
    moments = [UUID(idea["id"])]
    order = "SELECT array_agg(at ORDER BY id) FROM changes WHERE workspace_id = $1 AND record_id = $2"
    at = await acme.value(order, *moments)
    assert len(at) == CROWD + 1
    last = "SELECT updated_at = (SELECT max(at) FROM changes WHERE workspace_id = $1 AND record_id = $2)"
    assert await acme.value(f"{last} FROM ideas WHERE workspace_id = $1 AND id = $2", *moments)


@pytest.mark.parametrize("kind", ["change", "status", "classification", "matching"])
async def test_a_waiting_change_is_applied_after_the_one_it_waited_for(acme: Acme, idea: Json, kind: str) -> None:
    """Else `updatedAt` would go back, and who follows it would miss the last change."""
    await acme.run("UPDATE ideas SET matched_key = NULL WHERE workspace_id = $1 AND id = $2", UUID(idea["id"]))
    path = f"/ideas/{idea['id']}"
    asked = {
        "change": ("PATCH", path, {"description": "Later."}),
        "status": ("PATCH", f"{path}/status", {"status": "Under review"}),
        "classification": ("PATCH", f"{path}/classifications", UNASSIGN),
        "matching": ("POST", f"{path}/match-features", None),
    }
    method, path, body = asked[kind]
    async with holding(acme, idea) as tx:
        asking = asyncio.create_task(acme.client.request(method, path, json=body))
        await until_blocked(acme.world.database)
        held = tx.later().now
        await tx.connection.execute(TOUCH, *_key(acme, idea), held)
    answer = await asking
    assert answer.status_code in (200, 201), answer.text
    updated = "SELECT updated_at FROM ideas WHERE workspace_id = $1 AND id = $2"
    assert await acme.value(updated, UUID(idea["id"])) >= held
    assert (await acme.read(idea))["name"] == "Held"


UNASSIGN = {"updates": [{"groupKey": "theme", "action": "mark_unassigned"}]}


def _key(acme: Acme, idea: Json) -> tuple[UUID, UUID]:
    return acme.world.workspace_id, UUID(idea["id"])


async def test_an_idea_attached_concurrently_is_in_the_initiative_of_the_winner(acme: Acme, idea: Json) -> None:
    targets = [await initiative(acme) for _ in range(4)]
    answers = await at_once(patch(acme, idea, projectId=targets[n % 4]["id"]) for n in range(CROWD))
    won = (await acme.read(idea))["projectId"]
    for n, answer in enumerate(answers):
        if targets[n % 4]["id"] == won:
            assert answer.status_code == 200, answer.text
        else:
            refused(answer, 400, "ALREADY_LINKED")
    assert [action for action, _ in await trail(acme, idea["id"])].count("updated") == 1


async def test_an_attachment_beside_a_detachment_wins_or_is_refused(acme: Acme, idea: Json) -> None:
    first, second = await initiative(acme), await initiative(acme)
    for _ in range(4):
        await change(acme, idea, projectId=None)
        await change(acme, idea, projectId=first["id"])
        attaching, detaching = await at_once(
            [patch(acme, idea, projectId=second["id"]), patch(acme, idea, projectId=None)]
        )
        assert detaching.status_code == 200
        left = (await acme.read(idea))["projectId"]
        if attaching.status_code == 200:
            assert left in (second["id"], None)
        else:
            refused(attaching, 400, "ALREADY_LINKED")
            assert left is None


async def test_attaching_waits_for_a_concurrent_detachment(acme: Acme, idea: Json) -> None:
    first, second = await initiative(acme), await initiative(acme)
    await change(acme, idea, projectId=first["id"])
    async with holding(acme, idea) as tx:
        attaching = asyncio.create_task(patch(acme, idea, projectId=second["id"]))
        await until_blocked(acme.world.database)
        await tx.connection.execute(
            "UPDATE ideas SET initiative_id = NULL WHERE workspace_id = $1 AND id = $2", *_key(acme, idea)
        )
    assert (await attaching).json()["projectId"] == second["id"]


async def test_an_initiative_archived_during_the_change_takes_no_idea(acme: Acme, idea: Json) -> None:
    target = await initiative(acme)
    async with acme.world.database.transaction() as tx:
        await tx.connection.execute(ARCHIVE, acme.world.workspace_id, UUID(target["id"]))
        attaching = asyncio.create_task(patch(acme, idea, projectId=target["id"]))
        await until_blocked(acme.world.database)
    refused(await attaching, 400, "VALIDATION_FAILED", "projectId")
    assert (await acme.read(idea))["projectId"] is None


async def test_an_initiative_that_is_being_given_an_idea_is_archived_afterwards(acme: Acme, idea: Json) -> None:
    target = await initiative(acme)
    async with holding(acme, idea):
        attaching = asyncio.create_task(patch(acme, idea, projectId=target["id"]))
        await until_blocked(acme.world.database)
        archiving = asyncio.create_task(acme.run(ARCHIVE, UUID(target["id"])))
        await until_blocked(acme.world.database, 2)
    assert (await attaching).json()["projectId"] == target["id"]
    await archiving
    assert (await acme.read(idea))["projectId"] == target["id"]


ARCHIVE = "UPDATE initiatives SET status = 'ARCHIVED' WHERE workspace_id = $1 AND id = $2"


async def test_an_initiative_that_is_removed_by_a_file_lets_its_ideas_go(acme: Acme, idea: Json) -> None:
    target = await initiative(acme)
    before = await change(acme, idea, projectId=target["id"])
    tag = (await acme.client.get(f"/ideas/{idea['id']}")).headers["etag"]
    await prune_initiatives(acme)
    after = await acme.client.get(f"/ideas/{idea['id']}", headers={"If-None-Match": tag})
    shown = after.json()
    assert (after.status_code, shown) == (200, {**before, "projectId": None, "updatedAt": shown["updatedAt"]})
    assert shown["updatedAt"] > before["updatedAt"]


async def prune_initiatives(acme: Acme) -> Any:
    """Removes every initiative that the file does not name."""
    return await acme.world.add(initiatives=[{"key": "kept", "name": "Kept"}], prune=["initiatives"])


async def test_an_initiative_removed_by_a_file_during_the_change_takes_no_idea(acme: Acme) -> None:
    for _ in range(4):
        target, ideas = await initiative(acme), [await acme.create() for _ in range(3)]
        pruning = asyncio.create_task(prune_initiatives(acme))
        answers = await at_once(patch(acme, idea, projectId=target["id"]) for idea in ideas)
        await pruning
        for answer in answers:
            if answer.status_code != 200:
                refused(answer, 400, "VALIDATION_FAILED", "projectId")
        assert [(await acme.read(idea))["projectId"] for idea in ideas] == [None] * 3


async def test_an_initiative_that_is_removed_while_an_idea_waits_for_it_takes_none(acme: Acme, idea: Json) -> None:
    target = await initiative(acme)
    async with acme.world.database.transaction() as tx:
        await tx.connection.execute("DELETE FROM initiatives WHERE workspace_id = $1 AND id = $2", *_key(acme, target))
        attaching = asyncio.create_task(patch(acme, idea, projectId=target["publicId"]))
        await until_blocked(acme.world.database)
    refused(await attaching, 400, "VALIDATION_FAILED", "projectId")


async def test_an_idea_deleted_during_the_change_is_not_found(acme: Acme, idea: Json) -> None:
    async with holding(acme, idea) as tx:
        path = f"/ideas/{idea['id']}"
        asking = [
            asyncio.create_task(patch(acme, idea, name="Renamed")),
            asyncio.create_task(move(acme, idea, "Under review")),
            asyncio.create_task(acme.client.patch(f"{path}/classifications", json=UNASSIGN)),
        ]
        await until_blocked(acme.world.database, 3)
        await tx.connection.execute("DELETE FROM ideas WHERE workspace_id = $1 AND id = $2", *_key(acme, idea))
    for answer in await asyncio.gather(*asking):
        refused(answer, 404, "NOT_FOUND")


async def test_of_many_with_one_tag_one_changes_the_idea(acme: Acme, idea: Json) -> None:
    tag = (await acme.client.get(f"/ideas/{idea['id']}")).headers["etag"]
    path, headers = f"/ideas/{idea['id']}", {"If-Match": tag}
    answers = await at_once(acme.client.patch(path, json={"name": f"By {n}"}, headers=headers) for n in range(CROWD))
    assert sorted(answer.status_code for answer in answers) == [200] + [412] * (CROWD - 1)
    assert (await acme.read(idea))["name"] == next(a.json()["name"] for a in answers if a.status_code == 200)


async def test_a_member_that_goes_between_looking_and_linking_is_refused(acme: Acme, idea: Json) -> None:
    going = {"key": "going", "title": "Going", "category": "problem"}
    await acme.world.add(insights=[going], accounts=[{"key": "going", "name": "Going"}])
    for field, table in (("insightIds", "insights"), ("accountIds", "accounts")):
        id = (await acme.world.ids(table))["going"]
        async with acme.world.database.transaction() as tx:
            gone = f"DELETE FROM {table} WHERE workspace_id = $1 AND id = $2"  # noqa: S608
            await tx.connection.execute(gone, acme.world.workspace_id, UUID(id))
            asking = asyncio.create_task(patch(acme, idea, {field: [id]}))
            await until_blocked(acme.world.database)
        refused(await asking, 400, "VALIDATION_FAILED", field)


async def test_members_removed_by_a_file_during_the_change_are_linked_or_refused(acme: Acme) -> None:
    for n in range(3):
        await acme.world.add(insights=[{"key": f"going-{n}", "title": "Going", "category": "problem"}])
        going = (await acme.world.ids("insights"))[f"going-{n}"]
        ideas = [await acme.create() for _ in range(4)]
        kept = [{"key": key, "title": key, "category": "problem"} for key in acme.insights]
        pruning = asyncio.create_task(acme.world.add(insights=kept, prune=["insights"]))
        answers = await at_once(patch(acme, idea, insightIds=[going]) for idea in ideas)
        await pruning
        for answer in answers:
            if answer.status_code != 200:
                refused(answer, 400, "VALIDATION_FAILED", "insightIds")
        assert [(await acme.read(idea))["insightIds"] for idea in ideas] == [[]] * 4
