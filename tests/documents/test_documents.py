"""Documents of initiatives. Specification: Regenerate, Document regeneration job status; decisions: Initiatives."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from sightline.documents.jobs import give_up, revive, write_document
from sightline.intelligence.embedded import EmbeddedEngine, embedded_engine
from sightline.platform.db.sql import sql
from sightline.platform.jobs.queue import HeldDatabase, HoldLost
from tests.documents.conftest import AT, TOOLS, Json, carry_out, poll, regenerate
from tests.world import World


async def test_a_regeneration_replaces_the_document_in_place(acme: World) -> None:
    [before] = (await acme.client.get(f"{AT}/documents")).json()
    initiative = (await acme.client.get(AT)).json()
    answer = await regenerate(acme)
    receipt = answer.json()
    assert answer.status_code == 202
    assert (receipt["operation"], receipt["jobType"]) == ("initiative_document_regeneration", "generate-prd")
    assert (receipt["status"], receipt["queued"], receipt["deduplicated"]) == ("pending", True, False)
    assert (receipt["documentId"], receipt["documentType"]) == (before["id"], "PRD")
    assert (receipt["initiativeId"], receipt["initiativePublicId"]) == (initiative["id"], "INITIATIVE-1")
    assert receipt["failure"] is None
    await carry_out(acme, receipt)
    done = await poll(acme, receipt)
    assert (done["status"], done["jobId"], "statusUrl" in done) == ("completed", receipt["jobId"], False)
    after = (await acme.client.get(f"{AT}/documents/{before['id']}")).json()
    assert (after["id"], after["version"]) == (before["id"], before["version"] + 1)
    assert "Finance, every month." in after["content"]
    assert "By summer." not in after["content"]
    assert {source["publicId"] for source in after["sources"]} >= {"INITIATIVE-1", "IDEA-1"}
    assert (await acme.client.get(AT)).json() == initiative
    async with acme.database.autocommit() as tx:
        old = await tx.value(
            sql("SELECT content FROM document_versions WHERE document_id = :id"), id=UUID(before["id"])
        )
    assert old == "# By hand"


async def test_the_address_to_poll_keeps_the_kind_of_reference(acme: World) -> None:
    ids = await acme.ids("initiatives")
    by_id = await acme.client.post(f"/initiatives/{ids['out']}/documents/regenerate", json={"type": "PRD"})
    by_number = await regenerate(acme)
    job = by_id.json()["jobId"]
    begin = "/api/external/v1/initiatives"
    assert by_id.json()["statusUrl"] == f"{begin}/{ids['out']}/documents/regenerations/{job}"
    assert by_number.json()["statusUrl"] == f"{begin}/INITIATIVE-1/documents/regenerations/{job}"


async def test_any_form_of_reference_polls_a_generation(acme: World) -> None:
    receipt = (await regenerate(acme)).json()
    for ref in (receipt["initiativeId"], receipt["initiativeId"].upper(), "INITIATIVE-1", "initiative-1"):
        answer = await acme.client.get(f"/initiatives/{ref}/documents/regenerations/{receipt['jobId']}")
        assert (answer.status_code, answer.json()["jobId"]) == (200, receipt["jobId"])


async def test_an_active_regeneration_is_joined(acme: World) -> None:
    receipts = [answer.json() for answer in await asyncio.gather(*(regenerate(acme) for _ in range(32)))]
    assert len({receipt["jobId"] for receipt in receipts}) == 1
    assert sorted(receipt["deduplicated"] for receipt in receipts) == [False] + [True] * 31
    assert all(receipt["statusUrl"] for receipt in receipts)
    async with acme.database.autocommit() as tx:
        waiting = sql("SELECT count(*) FROM jobs WHERE record_id = :id")
        assert await tx.value(waiting, id=UUID(receipts[0]["jobId"])) == 1


async def test_a_request_during_the_writing_is_not_lost(acme: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read before the last request is not what is stored."""
    first = (await regenerate(acme)).json()
    question = (await acme.client.get("/ideas/IDEA-1/questions")).json()[1]

    class Answering:
        """An engine that, while it writes, gets an answer and another request."""

        name, version = "test", "1"
        turns = 0

        def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
            self.loop = loop

        def write_document(self, type: Any, material: Any) -> Any:
            self.turns += 1
            if self.turns == 1:
                asyncio.run_coroutine_threadsafe(self.answer(), self.loop).result(20)
            return embedded_engine().write_document(type, material)

        async def answer(self) -> None:
            body = {"answer": "Until Easter."}
            await acme.client.patch(f"/ideas/IDEA-1/questions/{question['id']}/answer", json=body)
            assert (await regenerate(acme)).json()["deduplicated"]

    engine = Answering(asyncio.get_running_loop())
    monkeypatch.setattr("sightline.documents.jobs.SMALL", 0)  # so that a thread writes
    await carry_out(acme, first, {EmbeddedEngine: engine})
    assert engine.turns == 2
    document = (await acme.client.get(f"{AT}/documents/{first['documentId']}")).json()
    assert (document["version"], "Until Easter." in document["content"]) == (2, True)


async def test_running_a_job_twice_is_harmless(acme: World) -> None:
    receipt = (await regenerate(acme)).json()
    await asyncio.gather(*(carry_out(acme, receipt) for _ in range(8)))
    assert (await acme.client.get(f"{AT}/documents/{receipt['documentId']}")).json()["version"] == 2


async def test_a_worker_that_another_one_took_the_job_from_writes_nothing(acme: World) -> None:
    receipt = (await regenerate(acme)).json()
    lost = HeldDatabase(acme.database, 0, 0, frozen_after=timedelta(minutes=1))
    with pytest.raises(HoldLost):
        await write_document(lost, TOOLS, acme.workspace_id, UUID(receipt["jobId"]))
    assert (await acme.client.get(f"{AT}/documents/{receipt['documentId']}")).json()["version"] == 1
    assert (await poll(acme, receipt))["status"] == "pending"


async def test_a_first_generation_makes_the_document(acme: World) -> None:
    answer = await acme.client.post(f"{AT}/documents", json={"type": "TDD"})
    receipt = answer.json()
    assert (answer.status_code, receipt["jobType"], receipt["deduplicated"]) == (202, "generate-tdd", False)
    again = (await acme.client.post(f"{AT}/documents", json={"type": "TDD"})).json()
    assert (again["jobId"], again["deduplicated"]) == (receipt["jobId"], True)
    active = await regenerate(acme, "TDD")
    assert (active.status_code, active.json()["code"]) == (409, "GENERATION_ACTIVE")
    await carry_out(acme, receipt)
    assert (await poll(acme, receipt))["status"] == "completed"
    document = (await acme.client.get(f"{AT}/documents/{receipt['documentId']}")).json()
    assert (document["type"], document["version"]) == ("TDD", 1)
    exists = await acme.client.post(f"{AT}/documents", json={"type": "TDD"})
    assert (exists.status_code, exists.json()["code"]) == (409, "DOCUMENT_EXISTS")
    assert (await regenerate(acme, "TDD")).status_code == 202


async def test_a_failed_job_has_a_safe_message(acme: World) -> None:
    receipt = (await regenerate(acme)).json()
    await give_up(acme.database, acme.workspace_id, UUID(receipt["jobId"]), RuntimeError("secret inside"))
    failed = await poll(acme, receipt)
    assert (failed["status"], failed["queued"]) == ("failed", False)
    assert failed["failure"] == {"message": "The document could not be written.", "retryable": True}
    assert (await regenerate(acme)).json()["jobId"] != receipt["jobId"]


async def test_a_failed_generation_can_be_retried_until_the_document_is_requested_again(acme: World) -> None:
    receipt = (await regenerate(acme)).json()
    job = UUID(receipt["jobId"])
    await give_up(acme.database, acme.workspace_id, job, RuntimeError("no luck"))
    await revive(acme.database, acme.workspace_id, job)
    again = await poll(acme, receipt)
    assert (again["status"], again["failure"]) == ("pending", None)
    await give_up(acme.database, acme.workspace_id, job, RuntimeError("no luck"))
    assert (await regenerate(acme)).json()["jobId"] != receipt["jobId"]
    await revive(acme.database, acme.workspace_id, job)
    assert (await poll(acme, receipt))["status"] == "failed"


async def test_unknown_records_are_not_found(acme: World) -> None:
    await acme.add(initiatives=[{"key": "other", "name": "Other", "number": 2}])
    receipt = (await regenerate(acme)).json()
    assert (await regenerate(acme, "INITIATIVE_BRIEF")).status_code == 404
    for path in (
        f"/initiatives/INITIATIVE-2/documents/regenerations/{receipt['jobId']}",
        f"{AT}/documents/regenerations/{uuid4()}",
        f"{AT}/documents/regenerations/7",
        f"/initiatives/INITIATIVE-2/documents/{receipt['documentId']}",
    ):
        assert (await acme.client.get(path)).status_code == 404


@pytest.mark.parametrize("body", [{}, {"type": "ROADMAP"}, {"type": "prd"}, {"type": None}, {"type": "PRD", "x": 1}])
async def test_only_the_three_types_are_written(acme: World, body: Json) -> None:
    answer = await acme.client.post(f"{AT}/documents/regenerate", json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_FAILED")


async def test_an_unchanged_document_is_not_sent_again(acme: World) -> None:
    [summary] = (await acme.client.get(f"{AT}/documents")).json()
    first = await acme.client.get(f"{AT}/documents/{summary['id']}")
    again = await acme.client.get(f"{AT}/documents/{summary['id']}", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
