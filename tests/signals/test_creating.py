"""POST /signals: what is taken in is kept word for word, once, and waits to be processed. Decisions: Signals."""

import asyncio
from collections import Counter
from typing import Any
from uuid import uuid4

import pytest

from tests.signals.conftest import Json, listed
from tests.world import World

TEXT = "The export takes ten minutes.\r\n\r\nCould you add a progress bar?  \t\u2028Grüße \U0001f642"


async def create(world: World, status: int = 201, **new: Any) -> Json:
    answer = await world.client.post("/signals", json=new)
    assert answer.status_code == status, answer.text
    found: Json = answer.json()
    return found


async def jobs_of(world: World) -> Counter[str]:
    """How many jobs wait for each signal of the workspace."""
    async with world.database.autocommit() as tx:
        rows = await tx.connection.fetch(
            "SELECT record_id::text FROM jobs WHERE kind = 'signals.process' AND workspace_id = $1", world.workspace_id
        )
    return Counter(row[0] for row in rows)


async def test_a_text_is_kept_as_it_was_sent_and_waits(world: World) -> None:
    made = await create(world, text=TEXT)
    assert {name: made[name] for name in ("status", "context", "signalType", "processorType", "providerType")} == {
        "status": "pending",
        "context": "other",
        "signalType": None,
        "processorType": "text",
        "providerType": "api",
    }
    assert (made["evidenceKind"], made["sourceFacet"], made["sourceLabel"]) == ("note", "api:note", "Api")
    assert made["source"] == {"type": "api", "external_data": {}}
    assert (made["publicId"], made["name"]) == ("SIGNAL-1", "Add a progress bar")
    assert await jobs_of(world) == {made["id"]: 1}
    assert made["jobId"]
    answer = await world.client.get("/signals/SIGNAL-1", params={"include": "raw"})
    assert answer.json()["rawData"] == {"text": TEXT}
    assert {name: value for name, value in made.items() if name != "jobId"} == {
        name: value for name, value in answer.json().items() if name != "rawData"
    }


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("From: bo@globex.test\nSubject: Exports are slow\n\nHi, they are.", "Exports are slow"),
        (
            "Von: bo@globex.test\nAn: us@acme.test\n\nThe export of tables is slow. Please help.",
            "The export of tables is slow",
        ),
        ("Note: the export is slow", "Note: the export is slow"),
        ("From: a\n", "From: a"),
        ("\u2026", "\u2026"),
    ],
)
async def test_a_signal_without_a_name_gets_one_of_its_words(world: World, text: str, name: str) -> None:
    assert (await create(world, text=text))["name"] == name


async def test_a_transcript_shows_its_summary_and_keeps_its_turns(world: World) -> None:
    turns = [
        {"speaker": "Bo", "text": "It is slow."},
        {"text": "Hm."},
        {"speaker": "Ana", "text": "Why?", "startSeconds": 4},
    ]
    people = [{"name": "Ana", "side": "ours", "email": "ana@acme.test"}]
    made = await create(world, transcript={"turns": turns, "durationSeconds": 90.5}, participants=people)
    assert made["transcript"] == {"turnCount": 3, "speakers": ["Bo", "Ana"], "durationSeconds": 90.5}
    assert (made["signalType"], made["processorType"], made["evidenceKind"]) == (
        "transcript",
        "conversation",
        "conversation",
    )
    assert made["name"] == "Conversation with Bo, Ana"
    [shown] = await listed(world.client, include="raw")
    assert shown["rawData"] == {"transcript": {"turns": turns, "durationSeconds": 90.5}, "participants": people}


async def test_all_sent_fields_are_shown(world: World) -> None:
    await world.add(
        integrations=[{"key": "desk", "kind": "desk", "name": "Desk"}], accounts=[{"key": "g", "name": "G"}]
    )
    account, integration = (await world.ids("accounts"))["g"], (await world.ids("integrations"))["desk"]
    new: Json = {
        "name": "  A call ",
        "text": "Words",
        "context": "support",
        "signalType": "support_ticket",
        "processorType": "conversation",
        "providerType": "zendesk",
        "evidenceKind": "support",
        "analysisProfile": "market_evidence",
        "source": {"type": "ticket", "external_data": {"n": [1, None, "\u00e9"]}},
        "sourceLabel": "The desk",
        "sourceLinks": [{"name": "Ticket", "url": "https://desk.test/1", "type": "ticket", "primary": True}],
        "data": {"priority": 3},
        "import": {"run": 7},
        "rawData": {"headers": {"x": 1}},
        "integrationId": integration,
        "sourceKey": "desk",
        "externalId": "4711",
        "accountId": account,
        "createdAt": "2025-12-24T18:00:00+02:00",
    }
    made = await create(world, **new)
    same = ("context", "signalType", "processorType", "providerType", "evidenceKind", "analysisProfile", "source")
    assert {name: made[name] for name in same} == {name: new[name] for name in same}
    kept = ("sourceLabel", "sourceLinks", "data", "import", "externalId", "accountId")
    assert {name: made[name] for name in kept} == {name: new[name] for name in kept}
    assert (made["name"], made["accountIds"], made["createdAt"]) == ("A call", [account], "2025-12-24T16:00:00.000Z")
    assert made["provenance"] == {
        "providerType": "zendesk",
        "evidenceKind": "support",
        "analysisProfile": "market_evidence",
    }
    [shown] = await listed(world.client, include="raw", integrationId=integration)
    assert shown["rawData"] == {"priority": 3, "headers": {"x": 1}, "text": "Words", "import": {"run": 7}}


async def test_a_signal_without_analysis_is_processed_at_once(world: World) -> None:
    made = await create(world, text="Words", analysisProfile="none")
    assert (made["status"], made["jobId"], await jobs_of(world)) == ("processed", None, {})


@pytest.mark.parametrize(
    ("new", "path"),
    [
        ({}, "text"),
        ({"participants": [{"name": "Bo"}]}, "text"),
        ({"text": " \n "}, "text"),
        ({"text": "x" * 1_000_001}, "text"),
        ({"text": "x", "words": "y"}, "words"),
        ({"text": "x\0"}, "text"),
        ({"text": "x", "context": "elsewhere"}, "context"),
        ({"text": "x", "providerType": "Zen Desk"}, "providerType"),
        ({"text": "x", "sourceLinks": [{"name": "a", "url": "javascript:alert(1)"}]}, "sourceLinks[0].url"),
        ({"text": "x", "sourceLinks": [{"name": "a", "url": "https://"}]}, "sourceLinks[0].url"),
        ({"text": "x", "sourceLinks": [{"name": "a", "url": "https://me:secret@a.test"}]}, "sourceLinks[0].url"),
        ({"text": "x", "sourceLinks": [{"name": "a", "url": "https://a.test/ b"}]}, "sourceLinks[0].url"),
        ({"text": "x", "sourceLinks": [{"name": "a", "url": "https://a.test", "primary": True}] * 2}, "sourceLinks"),
        ({"transcript": {"turns": []}}, "transcript.turns"),
        ({"text": "x", "transcript": {"turns": [{"text": "y"}]}}, "transcript"),
        ({"transcript": {"turns": [{"text": "x" * 600_000}, {"text": "x" * 600_000}]}}, "transcript.turns"),
        ({"text": "x", "accountIds": ["b06a5cd1-2f4c-4d38-8b4c-3c1f5a0c7a11"]}, "accountIds"),
        ({"text": "x", "accountId": "b06a5cd1-2f4c-4d38-8b4c-3c1f5a0c7a11"}, "accountId"),
        ({"text": "x", "createdAt": "yesterday"}, "createdAt"),
        ({"text": "x", "createdAt": "0001-01-01T00:00:00Z"}, "createdAt"),
    ],
)
async def test_faults_are_named_by_their_path_and_nothing_is_stored(world: World, new: Json, path: str) -> None:
    problem = await create(world, 400, **new)
    assert (problem["code"], [fault["path"] for fault in problem["errors"]]) == ("VALIDATION_FAILED", [path])
    assert await listed(world.client) == []
    assert await jobs_of(world) == {}


async def test_a_million_characters_are_taken_and_eight_megabytes_are_not(world: World) -> None:
    made = await create(world, text="word " * 200_000)
    [shown] = await listed(world.client, include="raw")
    assert (shown["id"], len(shown["rawData"]["text"])) == (made["id"], 1_000_000)
    answer = await world.client.post("/signals", content=b'{"text":"' + b"x" * 8 * 1024 * 1024 + b'"}')
    assert (answer.status_code, answer.json()["limit"]) == (413, 8 * 1024 * 1024)


async def test_an_unknown_integration_is_not_found(world: World) -> None:
    problem = await create(world, 404, text="x", integrationId=str(uuid4()))
    assert problem["field"] == "integrationId"


async def test_null_means_omitted(world: World) -> None:
    names = ("name", "transcript", "signalType", "data", "accounts", "sourceLinks", "createdAt", "integrationId")
    nothing: Json = dict.fromkeys(names)
    made = await create(world, text="Words", source={"type": None, "external_data": None}, **nothing)
    assert made["source"] == {"type": "api", "external_data": {}}
    assert made["status"] == "pending"


async def test_a_known_identity_is_updated_and_omitted_fields_stay(world: World) -> None:
    await world.add(accounts=[{"key": "g", "name": "G"}, {"key": "h", "name": "H"}])
    accounts = await world.ids("accounts")
    identity: Json = {"sourceKey": "desk", "externalId": "1"}
    first = await create(world, **identity, text="Slow", name="One", context="support", accountIds=[accounts["g"]])
    second = await create(world, **identity, name="Two", accountIds=[accounts["h"]])
    assert (second["id"], second["publicId"]) == (first["id"], "SIGNAL-1")
    assert (second["name"], second["context"], second["accountIds"]) == (
        "Two",
        "support",
        [accounts["g"], accounts["h"]],
    )
    assert second["updatedAt"] > first["updatedAt"]
    assert second["createdAt"] == first["createdAt"]
    assert second["jobId"] == first["jobId"]
    assert await jobs_of(world) == {first["id"]: 1}


async def test_the_same_again_moves_nothing(world: World) -> None:
    new: Json = {
        "sourceKey": "desk",
        "externalId": "1",
        "text": "Slow",
        "sourceLinks": [{"name": "a", "url": "https://a.test"}],
    }
    first = await world.client.post("/signals", json=new)
    again = await world.client.post("/signals", json=new)
    assert (again.status_code, again.json()) == (201, first.json())
    assert again.headers["etag"] == first.headers["etag"]


async def test_an_external_id_alone_is_no_identity(world: World) -> None:
    first, second = [await create(world, externalId="1", text="Slow") for _ in range(2)]
    assert first["id"] != second["id"]


async def test_of_many_at_once_with_one_identity_one_signal_and_one_job_come(world: World) -> None:
    new: Json = {"sourceKey": "desk", "externalId": "1", "text": "Slow"}
    made = await asyncio.gather(*(create(world, **new, name=f"Name {n}") for n in range(32)))
    assert len({one["id"] for one in made}) == 1
    answer = await world.client.get("/signals")
    assert (len(answer.json()), answer.headers["x-total-count"]) == (1, "1")
    assert await jobs_of(world) == {made[0]["id"]: 1}


async def test_a_retry_under_its_key_is_answered_as_the_first_time(world: World) -> None:
    headers = {"Idempotency-Key": "once"}
    first = await world.client.post("/signals", json={"text": "Slow"}, headers=headers)
    again = await world.client.post("/signals", json={"text": "Slow"}, headers=headers)
    assert again.headers["idempotent-replayed"] == "true"
    assert again.json() == first.json()
    assert len(await listed(world.client)) == 1


async def test_only_an_active_editor_takes_signals_in(world: World) -> None:
    await world.add(members=[{"key": "v", "email": "v@acme.test", "name": "V", "role": "viewer"}])
    nobody = await world.client_with("signals:write", member=None)
    answer = await nobody.post("/signals", json={"text": "x"})
    assert (answer.status_code, answer.json()["code"]) == (403, "CREATOR_NOT_ALLOWED")
    reader = await world.client_with("signals:read")
    answer = await reader.post("/signals", json={"text": "x"})
    assert (answer.status_code, answer.json()["code"]) == (403, "INSUFFICIENT_SCOPE")


@pytest.mark.parametrize(
    ("described", "linked"),
    [
        ({"externalId": "crm-1"}, ["globex"]),
        ({"domain": "GLOBEX.test"}, ["globex"]),
        ({"externalId": "crm-1", "domain": "globex.test"}, ["globex"]),
        ({"externalId": "crm-9", "domain": "globex.test"}, ["globex"]),
        ({"externalId": "crm-1", "domain": "twice.test"}, []),
        ({"domain": "twice.test"}, []),
        ({"domain": "globex.tes"}, []),
        ({"externalId": "CRM-1"}, []),
        ({"name": "Globex"}, []),
        ({"id": "b06a5cd1-2f4c-4d38-8b4c-3c1f5a0c7a11"}, []),
        ({}, []),
    ],
)
async def test_an_account_is_linked_by_one_exact_match_only(world: World, described: Json, linked: list[str]) -> None:
    await world.add(
        accounts=[
            {"key": "globex", "name": "Globex", "externalId": "crm-1", "domain": "globex.test"},
            {"key": "a", "name": "A", "domain": "twice.test"},
            {"key": "b", "name": "B", "domain": "twice.test"},
        ]
    )
    ids = await world.ids("accounts")
    made = await create(world, text="x", accounts=[described])
    assert made["accountIds"] == [ids[key] for key in linked]
    assert len((await world.client.get("/accounts")).json()) == 3


async def test_a_missing_account_is_created_only_on_request_and_once(world: World) -> None:
    described = {"name": "Hooli", "domain": "hooli.test", "externalId": "crm-7"}
    assert (await create(world, text="x", accounts=[described]))["accountIds"] == []
    made = await asyncio.gather(
        *(create(world, text="x", accounts=[described], createMissingAccounts=True) for _ in range(8))
    )
    [account] = (await world.client.get("/accounts")).json()
    assert {name: account[name] for name in described} == described
    assert [one["accountIds"] for one in made] == [[account["id"]]] * 8
    by_domain = {"name": "Initech", "domain": "initech.test"}
    await asyncio.gather(*(create(world, text="x", accounts=[by_domain], createMissingAccounts=True) for _ in range(8)))
    assert len((await world.client.get("/accounts")).json()) == 2


async def test_batches_at_once_do_not_wait_for_each_other_in_a_circle(world: World) -> None:
    """Each wait would end after a second, when PostgreSQL finds it, and one of the batches start again."""
    body = {"signals": [{"text": f"Slow {n}.", "analysisProfile": "none"} for n in range(50)]}
    async with asyncio.timeout(30):
        answers = await asyncio.gather(*(world.client.post("/signals/batch", json=body) for _ in range(16)))
    assert [answer.status_code for answer in answers] == [201] * 16


@pytest.mark.parametrize("field", ["domain", "externalId"])
async def test_signals_at_once_with_the_same_new_accounts_wait_for_each_other_in_no_circle(
    world: World, field: str
) -> None:
    named = [{field: f"d{n}.test"} for n in range(20)]
    sent = [{"text": "Slow.", "createMissingAccounts": True, "accounts": named[n:] + named[:n]} for n in range(12)]
    async with asyncio.timeout(20):
        answers = await asyncio.gather(*(world.client.post("/signals", json=body) for body in sent))
    assert [answer.status_code for answer in answers] == [201] * 12
    assert (await world.client.get("/accounts")).headers["X-Total-Count"] == "20"


async def test_participants_may_be_a_number_in_what_another_system_stored(world: World) -> None:
    raw = {"participants": 5, "text": "The export fails each night."}
    for named in ({}, {"name": "A call"}):
        answer = await world.client.post("/signals", json={"rawData": raw, **named})
        assert (answer.status_code, bool(answer.json()["name"])) == (201, True)
