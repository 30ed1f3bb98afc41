"""Asking for documents: what is read first, what is refused, what is joined. Specification: Regenerate."""

import asyncio
from typing import Any
from uuid import UUID

import httpx2
import pytest

from sightline.documents.jobs import give_up, revive
from sightline.platform.db.sql import sql
from tests.documents.conftest import AT, Json, carry_out, poll, regenerate
from tests.waiting import next_moment, until
from tests.world import World

NEVER = '"00000000000000000000000000000000.1"'


async def generate(acme: World, type: str, **headers: str) -> httpx2.Response:
    return await acme.client.post(f"{AT}/documents", json={"type": type}, headers=headers)


async def test_a_regeneration_starts_a_second_after_the_request_and_a_later_request_does_not_delay_it(
    acme: World,
) -> None:
    receipt = (await regenerate(acme)).json()
    waits = sql(
        "SELECT g.run_after = g.created_at + interval '1 second',"
        "       j.run_after BETWEEN j.added_at + interval '0.9 seconds' AND j.added_at + interval '1 second'"
        "  FROM document_generations g JOIN jobs j ON j.record_id = g.id WHERE g.id = :id"
    )
    async with acme.database.autocommit() as tx:
        before = await tx.row(waits, id=UUID(receipt["jobId"]))
        await regenerate(acme)
        assert tuple(before or ()) == tuple(await tx.row(waits, id=UUID(receipt["jobId"])) or ()) == (True, True)


async def test_32_concurrent_first_generations_are_one(acme: World) -> None:
    receipts = [answer.json() for answer in await asyncio.gather(*(generate(acme, "TDD") for _ in range(32)))]
    assert len({(receipt["jobId"], receipt["documentId"]) for receipt in receipts}) == 1
    assert sorted(receipt["deduplicated"] for receipt in receipts) == [False] + [True] * 31


async def test_a_request_at_the_end_of_a_first_generation_is_accepted_or_409(acme: World) -> None:
    """Neither is a second first one started, which could never be stored."""
    for type in ("TDD", "INITIATIVE_BRIEF"):
        receipt = (await generate(acme, type)).json()
        asked = [regenerate(acme, type) for _ in range(12)] + [generate(acme, type) for _ in range(12)]
        answers, _ = await asyncio.gather(asyncio.gather(*asked), carry_out(acme, receipt))
        assert {answer.status_code for answer in answers[:12]} <= {202, 409}
        assert {answer.status_code for answer in answers[12:]} <= {202, 409}
        assert (await poll(acme, receipt))["status"] == "completed"
        async with acme.database.autocommit() as tx:
            pending = sql(
                "SELECT is_first FROM document_generations WHERE workspace_id = :workspace_id AND status = 'pending'"
            )
            rows = await tx.rows(pending, workspace_id=acme.workspace_id)
            assert not any(row["is_first"] for row in rows)


async def test_a_request_that_waited_for_the_end_of_a_first_generation_finds_the_document(acme: World) -> None:
    """A worker stores it after the request has looked, and before it is stored."""
    receipt = (await generate(acme, "TDD")).json()
    async with acme.database.transaction() as tx:
        seal = sql("UPDATE document_generations SET status = 'completed' WHERE id = :id")
        await tx.run(seal, id=UUID(receipt["jobId"]))
        late = asyncio.create_task(generate(acme, "TDD"))
        await until(lambda: is_waited_for(acme))
        add = sql(
            "INSERT INTO documents (workspace_id, id, initiative_id, type, version, content, created_at, updated_at)"
            " VALUES (:workspace_id, :id, :initiative_id, 'TDD', 1, '# TDD', :now, :now)"
        )
        ids = {"id": UUID(receipt["documentId"]), "initiative_id": UUID(receipt["initiativeId"])}
        await tx.run(add, workspace_id=acme.workspace_id, **ids)
    answer = await late
    assert (answer.status_code, answer.json()["code"]) == (409, "DOCUMENT_EXISTS")


async def is_waited_for(acme: World) -> bool:
    waiting = (
        "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()"
        " AND wait_event_type = 'Lock' AND query LIKE '%document_generations%')"
    )
    async with acme.database.autocommit() as tx:
        return bool(await tx.connection.fetchval(waiting))


async def test_if_match_holds_a_regeneration_to_the_version_that_was_seen(acme: World) -> None:
    [summary] = (await acme.client.get(f"{AT}/documents")).json()
    seen = (await acme.client.get(f"{AT}/documents/{summary['id']}")).headers["ETag"]
    stale = await regenerate(acme, **{"If-Match": NEVER})
    assert (stale.status_code, stale.json()["code"]) == (412, "PRECONDITION_FAILED")
    receipt = (await regenerate(acme, **{"If-Match": seen})).json()
    await carry_out(acme, receipt)
    assert (await regenerate(acme, **{"If-Match": seen})).status_code == 412
    assert (await regenerate(acme, **{"If-Match": "*"})).status_code == 202
    assert (await generate(acme, "TDD", **{"If-Match": "*"})).status_code == 412


async def test_a_receipt_has_another_tag_after_each_of_its_moves(acme: World) -> None:
    receipt = (await regenerate(acme)).json()
    job, tags = UUID(receipt["jobId"]), [await tag(acme, receipt)]
    for move in (
        give_up(acme.database, acme.workspace_id, job, RuntimeError("no luck")),
        revive(acme.database, acme.workspace_id, job),
        carry_out(acme, receipt),
    ):
        await next_moment()
        await move
        tags.append(await tag(acme, receipt))
    assert len(set(tags)) == 4
    known = {"If-None-Match": tags[-1]}
    assert (await acme.client.get(f"{acme.address}{receipt['statusUrl']}", headers=known)).status_code == 304


async def tag(acme: World, receipt: Json) -> str:
    return str((await acme.client.get(f"{acme.address}{receipt['statusUrl']}")).headers["ETag"])


async def test_a_join_shows_the_receipt_of_the_first_request(acme: World) -> None:
    first = (await regenerate(acme)).json()
    again = (await regenerate(acme)).json()
    assert again == {**first, "deduplicated": True}
    polled = await poll(acme, first)
    assert polled == {name: value for name, value in first.items() if name != "statusUrl"}


async def test_each_document_of_an_initiative_is_generated_separately(acme: World) -> None:
    receipts = [(await generate(acme, type)).json() for type in ("TDD", "INITIATIVE_BRIEF")]
    receipts.append((await regenerate(acme)).json())
    assert [receipt["jobType"] for receipt in receipts] == [
        "generate-tdd",
        "generate-initiative-brief",
        "generate-prd",
    ]
    for receipt in receipts:
        await carry_out(acme, receipt)
    listed = await acme.client.get(f"{AT}/documents?limit=2")
    assert [each["type"] for each in listed.json()] == ["INITIATIVE_BRIEF", "PRD"]
    assert (listed.headers["X-Total-Count"], listed.headers["X-Has-More"]) == ("3", "true")


@pytest.mark.parametrize("place", ["documents", "documents/regenerate"])
async def test_a_key_that_may_not_write_is_refused(acme: World, place: str) -> None:
    body = {"type": "PRD"}
    for client, code in (
        (await acme.client_with("initiatives:read"), "INSUFFICIENT_SCOPE"),
        (await acme.client_with("initiatives:write", member=None), "CREATOR_NOT_ALLOWED"),
    ):
        answer = await client.post(f"{AT}/{place}", json=body)
        assert (answer.status_code, answer.json()["code"]) == (403, code)


async def test_another_workspace_does_not_find_the_generation(acme: World) -> None:
    receipt = (await regenerate(acme)).json()
    initiative = receipt["initiativeId"]
    async with acme.stranger() as stranger:
        asked: list[Any] = [
            stranger.client.get(f"{stranger.address}{receipt['statusUrl']}"),
            stranger.client.get(f"/initiatives/{initiative}/documents"),
            stranger.client.get(f"/initiatives/{initiative}/documents/{receipt['documentId']}"),
            stranger.client.post(f"/initiatives/{initiative}/documents", json={"type": "TDD"}),
            stranger.client.post(f"/initiatives/{initiative}/documents/regenerate", json={"type": "PRD"}),
        ]
        assert [(await one).status_code for one in asked] == [404] * 5
