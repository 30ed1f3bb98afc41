"""Idempotency-Key. Decisions: Everywhere, Idempotency-Key."""

import asyncio
from contextlib import closing
from datetime import timedelta
from http.client import HTTPConnection
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from sightline.platform.clock import Clock
from sightline.platform.db import Database
from sightline.worker import jobs_of_rooms
from tests.platform.http.conftest import laboratory
from tests.platform.http.laboratory import GATES, Gate
from tests.waiting import until_blocked
from tests.world import API, World, serving


async def make(client: httpx2.AsyncClient, key: str | None, body: Any = None, **options: Any) -> httpx2.Response:
    headers = {} if key is None else {"Idempotency-Key": key}
    return await client.post("/things", json={"name": "a"} if body is None else body, headers=headers, **options)


async def made_in(empty_lab: World) -> int:
    async with empty_lab.database.autocommit() as tx:
        count = await tx.connection.fetchval(
            "SELECT count(*) FROM changes WHERE workspace_id = $1 AND kind = 'thing'", empty_lab.workspace_id
        )
    return int(count)


async def test_a_retry_gets_the_first_answer(empty_lab: World) -> None:
    first, again = await make(empty_lab.client, "k"), await make(empty_lab.client, "k")
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.headers["Content-Type"] == first.headers["Content-Type"]
    assert again.headers["X-Request-Id"] != first.headers["X-Request-Id"]
    assert await made_in(empty_lab) == 1


async def test_without_a_key_every_request_makes_one(empty_lab: World) -> None:
    await make(empty_lab.client, None)
    await make(empty_lab.client, None)
    assert await made_in(empty_lab) == 2


async def test_another_body_is_refused(empty_lab: World) -> None:
    await make(empty_lab.client, "k")
    answer = await make(empty_lab.client, "k", {"name": "b"})
    assert (answer.status_code, answer.json()["code"]) == (422, "IDEMPOTENCY_KEY_REUSED")
    assert await made_in(empty_lab) == 1


async def test_the_same_json_in_another_spelling_is_the_same_body(empty_lab: World) -> None:
    headers = {"Idempotency-Key": "k"}
    bodies = [b'{"name":"a","isRefused":false}', b' { "isRefused" : false,\n "name" : "\\u0061" } ']
    answers = [await empty_lab.client.post("/things", content=body, headers=headers) for body in bodies]
    assert answers[0].content == answers[1].content
    assert await made_in(empty_lab) == 1


async def test_a_request_that_still_runs_is_409(empty_lab: World) -> None:
    gate = GATES[empty_lab.slug] = Gate()
    first = asyncio.create_task(make(empty_lab.client, "k", {"name": "a", "gate": empty_lab.slug}))
    await asyncio.wait_for(gate.reached.wait(), 10)
    answer = await make(empty_lab.client, "k", {"name": "a", "gate": empty_lab.slug})
    gate.set()
    assert (answer.status_code, answer.json()["code"]) == (409, "IDEMPOTENCY_KEY_IN_USE")
    assert (await first).status_code == 201
    again = await make(empty_lab.client, "k", {"name": "a", "gate": empty_lab.slug})
    assert again.headers["Idempotent-Replayed"] == "true"


async def test_of_twenty_at_once_one_makes_it(empty_lab: World) -> None:
    answers = await asyncio.gather(*(make(empty_lab.client, "k") for _ in range(20)))
    assert {answer.status_code for answer in answers} <= {201, 409}
    assert len({answer.content for answer in answers if answer.status_code == 201}) == 1
    assert await made_in(empty_lab) == 1


async def test_a_refusal_is_not_kept(empty_lab: World) -> None:
    refused = await make(empty_lab.client, "k", {"name": "a", "isRefused": True})
    assert (refused.status_code, await made_in(empty_lab)) == (409, 0)
    answer = await make(empty_lab.client, "k", {"name": "b"})
    assert (answer.status_code, "Idempotent-Replayed" in answer.headers) == (201, False)


async def test_a_refused_body_is_not_kept(empty_lab: World) -> None:
    assert (await make(empty_lab.client, "k", {"name": ""})).status_code == 400
    assert (await make(empty_lab.client, "k")).status_code == 201


async def test_each_api_key_has_its_own(empty_lab: World) -> None:
    other = await empty_lab.client_with("all")
    first, second = await make(empty_lab.client, "k"), await make(other, "k")
    assert first.json()["id"] != second.json()["id"]


async def test_another_workspace_has_its_own(empty_lab: World) -> None:
    async with empty_lab.stranger() as stranger:
        first, second = await make(empty_lab.client, "k"), await make(stranger.client, "k", {"name": "b"})
    assert (first.status_code, second.status_code) == (201, 201)


@pytest.mark.parametrize("key", ["x" * 255, "ü", "a b", "{}", "'; --"])
async def test_a_key_may_be_any_text_of_255_characters(empty_lab: World, key: str) -> None:
    headers = {b"Idempotency-Key": key.encode("latin-1")}
    answers = [await empty_lab.client.post("/things", json={"name": "a"}, headers=headers) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].content == answers[1].content


@pytest.mark.parametrize("key", ["", "x" * 256])
async def test_an_empty_or_longer_key_is_refused(empty_lab: World, key: str) -> None:
    answer = await make(empty_lab.client, key)
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_FAILED")
    assert answer.json()["errors"][0]["path"] == "Idempotency-Key"


async def test_two_keys_are_refused_and_one_sent_twice_is_one(empty_lab: World) -> None:
    async def send(*keys: str) -> httpx2.Response:
        headers = [("Idempotency-Key", key) for key in keys]
        return await empty_lab.client.post("/things", json={"name": "a"}, headers=headers)

    assert (await send("k", "l")).status_code == 400
    assert (await send("k", "k")).status_code == 201
    assert (await send("k")).headers["Idempotent-Replayed"] == "true"
    assert await made_in(empty_lab) == 1


async def test_space_after_a_key_is_not_part_of_it(empty_lab: World) -> None:
    def send(key: str) -> str | None:
        headers = {**empty_lab.client.headers, "Content-Type": "application/json", "Idempotency-Key": key}
        with closing(HTTPConnection(empty_lab.address.rpartition("/")[2], timeout=30)) as connection:
            connection.request("POST", f"{API}/things", '{"name":"a"}', headers)
            answer = connection.getresponse()
            answer.read()
            return answer.headers["Idempotent-Replayed"]

    assert [await asyncio.to_thread(send, key) for key in ("k", "k ", "k \t")] == [None, "true", "true"]


async def test_the_spellings_of_one_reference_are_one_request(world: World) -> None:
    idea = (await world.client.post("/ideas", json={"description": "Export."})).json()
    public_id, id = idea["publicId"], idea["id"]

    async def comment(ref: str) -> str:
        headers = {"Idempotency-Key": "k"}
        answer = await world.client.post(f"/ideas/{ref}/comments", json={"body": "Hi."}, headers=headers)
        assert answer.status_code == 201
        return str(answer.json()["id"])

    by_number = {await comment(ref) for ref in (public_id, public_id.lower(), public_id.replace("I", "%49", 1))}
    by_id = {await comment(ref) for ref in (id, id.upper())}
    assert (len(by_number), len(by_id)) == (1, 1)
    assert by_number != by_id, "id and public id are two addresses"


async def test_other_methods_ignore_it(empty_lab: World) -> None:
    headers = {"Idempotency-Key": "k"}
    for name in ("a", "b"):
        answer = await empty_lab.client.patch("/things/IDEA-1", json={"name": name}, headers=headers)
        assert (answer.status_code, "Idempotent-Replayed" in answer.headers) == (200, False)


async def test_an_answer_is_forgotten_after_24_hours(empty_lab: World, database: Database, database_url: str) -> None:
    key = await empty_lab.key("all")
    first = await make(empty_lab.client_of(key), "k")
    for seconds, is_replayed in ((86_390, True), (86_401, False)):
        async with serving(database_url, laboratory(database_url, clock_offset=seconds)) as later:
            headers = {"Authorization": f"Bearer {key}"}
            async with httpx2.AsyncClient(base_url=f"{later}{API}", headers=headers, verify=False) as client:
                answer = await make(client, "k")
                assert answer.status_code == 201
                assert (answer.content == first.content) is is_replayed
                other_body = await make(client, "k", {"name": "other"})
                assert other_body.status_code == 422


async def test_a_replayed_idea_is_made_once(world: World) -> None:
    headers = {"Idempotency-Key": "k"}
    made = [await world.client.post("/ideas", json={"description": "Export."}, headers=headers) for _ in range(2)]
    assert made[0].content == made[1].content
    assert made[0].headers["ETag"] == made[1].headers["ETag"]
    assert (await world.client.get("/ideas")).headers["X-Total-Count"] == "1"


CREATED = {
    "ideas": ("/ideas", {"description": "Export every table as text."}),
    "signals": ("/signals", {"name": "A call", "text": "We need to export every table as text."}),
}


async def kept_texts(world: World) -> list[tuple[int, bytes, str]]:
    """Status, body and headers of the answers that are kept."""
    async with world.database.autocommit() as tx:
        rows = await tx.connection.fetch(
            "SELECT status, body, headers::text FROM idempotency_keys WHERE workspace_id = $1", world.workspace_id
        )
    return [tuple(row) for row in rows]


EMPTY = (410, b"", "[]")
BELOW = {
    "comments": {"body": "Analysts copy the tables by hand."},
    "evidence": {"title": "Analysts copy the tables by hand."},
    "match-features": None,
}


@pytest.mark.parametrize(("path", "body"), BELOW.items())
async def test_a_kept_answer_goes_with_the_idea_above_its_record(
    world: World, path: str, body: dict[str, str] | None
) -> None:
    idea = (await world.client.post("/ideas", json={"description": "Export every table."})).json()["id"]
    at = f"/ideas/{idea}/{path}"
    assert (await world.client.post(at, json=body, headers={"Idempotency-Key": "k"})).status_code == 201
    await world.client.delete(f"/ideas/{idea}")
    assert await kept_texts(world) == [EMPTY]
    again = await world.client.post(at, json=body, headers={"Idempotency-Key": "k"})
    assert (again.status_code, again.json()["code"]) == (410, "RECORD_DELETED")


async def test_a_kept_answer_goes_with_its_comment(world: World) -> None:
    idea = (await world.client.post("/ideas", json={"description": "Export every table."})).json()["id"]
    at = f"/ideas/{idea}/comments"
    comment = await world.client.post(at, json={"body": "By hand."}, headers={"Idempotency-Key": "k"})
    await world.client.delete(f"{at}/{comment.json()['id']}")
    assert await kept_texts(world) == [EMPTY]


async def test_a_kept_answer_goes_with_the_signals_that_it_quotes(world: World) -> None:
    signals = [await world.client.post("/signals", json={"text": f"Export {n} is slow."}) for n in range(2)]
    idea = (await world.client.post("/ideas", json={"description": "Export every table."})).json()["id"]
    quotes = [{"text": f"Export {n}", "signalId": signals[n].json()["id"]} for n in range(2)]
    body = {"title": "Slow", "extracts": quotes}
    answer = await world.client.post(f"/ideas/{idea}/evidence", json=body, headers={"Idempotency-Key": "k"})
    assert answer.status_code == 201, answer.text
    await world.client.delete(f"/signals/{signals[1].json()['id']}")
    assert await kept_texts(world) == [EMPTY]


async def test_a_kept_answer_goes_with_the_member_whom_it_names(world: World) -> None:
    await world.add(members=[{"email": "bo@acme.test", "name": "Bo Lee", "role": "admin"}])
    idea = (await world.client.post("/ideas", json={"description": "Export every table."})).json()["id"]
    client = await world.client_with("ideas:write", member="bo@acme.test")
    answer = await client.post(f"/ideas/{idea}/comments", json={"body": "Hi."}, headers={"Idempotency-Key": "k"})
    assert answer.json()["author"]["name"] == "Bo Lee"
    owner = {"email": world.owner, "name": "Olga Owner", "role": "owner"}
    await world.add(members=[owner], prune=["members"])
    assert await kept_texts(world) == [EMPTY]


async def test_a_kept_answer_goes_with_the_account_whose_external_id_it_shows(world: World) -> None:
    await world.add(accounts=[{"key": "acme", "name": "Acme", "externalId": "crm-77"}])
    body = {"text": "Export is slow.", "accountId": (await world.ids("accounts"))["acme"]}
    paths = {"/signals": body, "/signals/batch": {"signals": [body]}}
    for path, sent in paths.items():
        answer = await world.client.post(path, json=sent, headers={"Idempotency-Key": path})
        assert '"accountExternalId":"crm-77"' in answer.text
    await world.add(accounts=[], prune=["accounts"])
    assert await kept_texts(world) == [EMPTY] * 2


async def test_a_kept_answer_goes_with_the_features_that_its_matching_names(world: World) -> None:
    features = [{"key": "tables", "name": "Export tables"}, {"key": "maps", "name": "Print maps"}]
    await world.add(products=[{"key": "p", "name": "Paper", "features": features}])
    body = {"description": "Export tables now.", "productId": (await world.ids("products"))["p"]}
    idea = await world.client.post("/ideas", json=body, headers={"Idempotency-Key": "k"})
    again = f"/ideas/{idea.json()['id']}/match-features"
    assert len((await world.client.post(again, headers={"Idempotency-Key": "k"})).json()["featureIds"]) == 1
    await world.add(products=[{"key": "p", "features": features[:1]}], prune=["products.features"])
    assert EMPTY not in await kept_texts(world)
    await world.add(products=[{"key": "p", "features": []}], prune=["products.features"])
    assert await kept_texts(world) == [EMPTY] * 2


async def test_an_initiative_is_answered_again_although_a_team_is_deleted(world: World) -> None:
    """A repeat reads it, so no text is kept."""
    await world.add(teams=[{"key": "core", "name": "Core"}, {"key": "apps", "name": "Apps"}])
    teams = await world.ids("teams")
    body = {"clientRequestId": str(uuid4()), "name": "Export", "teamIds": [teams["core"]]}
    headers = {"Idempotency-Key": "k"}
    id = (await world.client.post("/initiatives", json=body, headers=headers)).json()["id"]
    assert await kept_texts(world) == [(201, b"", "[]")]
    await world.client.patch(f"/initiatives/{id}", json={"teamIds": [teams["apps"]]})
    await world.add(teams=[{"key": "apps", "name": "Apps"}], prune=["teams"])
    again = await world.client.post("/initiatives", json=body, headers=headers)
    assert (again.status_code, [team["name"] for team in again.json()["teams"]]) == (201, ["Apps"])
    await world.add(initiatives=[], prune=["initiatives"])
    again = await world.client.post("/initiatives", json=body, headers=headers)
    assert (again.status_code, again.json()["code"]) == (410, "RECORD_DELETED")


async def test_a_kept_answer_stays_while_only_links_of_its_record_go(world: World) -> None:
    signal = (await world.client.post("/signals", json={"text": "Export 1 is slow."})).json()
    await world.add(insights=[{"key": "slow", "title": "Slow", "category": "problem", "signals": []}])
    insight = (await world.ids("insights"))["slow"]
    body = {"description": "Export every table.", "insightIds": [insight]}
    first = await world.client.post("/ideas", json=body, headers={"Idempotency-Key": "k"})
    assert (await world.client.delete(f"/insights/{insight}")).status_code == 200
    await world.client.delete(f"/signals/{signal['id']}")
    assert (await world.client.post("/ideas", json=body, headers={"Idempotency-Key": "k"})).content == first.content


@pytest.mark.parametrize("deleted", [0, 1])
async def test_a_kept_answer_goes_with_each_of_its_signals(world: World, deleted: int) -> None:
    body, headers = {"signals": [{"text": "Export 1 is slow."}, {"text": "Export 2 too."}]}, {"Idempotency-Key": "k"}
    created = (await world.client.post("/signals/batch", json=body, headers=headers)).json()["signals"]
    await world.client.delete(f"/signals/{created[deleted]['id']}")
    again = await world.client.post("/signals/batch", json=body, headers=headers)
    assert (again.status_code, again.json()["code"]) == (410, "RECORD_DELETED")
    assert await kept_texts(world) == [EMPTY]


@pytest.mark.parametrize(("path", "body"), CREATED.values(), ids=CREATED.keys())
async def test_a_kept_answer_goes_with_its_record(world: World, path: str, body: dict[str, str]) -> None:
    headers = {"Idempotency-Key": "k"}
    created = (await world.client.post(path, json=body, headers=headers)).json()
    assert (await world.client.delete(f"{path}/{created['id']}")).status_code == 200
    again = await world.client.post(path, json=body, headers=headers)
    assert (again.status_code, again.json()["code"]) == (410, "RECORD_DELETED")
    other = await world.client.post(path, json=body | {"name": "Other"}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (422, "IDEMPOTENCY_KEY_REUSED")
    assert await kept_texts(world) == [EMPTY]


async def test_a_request_that_waits_holds_up_no_other_creation(world: World) -> None:
    """It has taken a number already, and the next one is free."""
    known = {"sourceKey": "desk", "externalId": "1"}
    await world.client.post("/signals", json={"text": "Slow.", **known})
    batch = {"signals": [{"text": "New."}, {"text": "Changed.", **known}]}
    async with world.database.transaction() as tx:
        await tx.connection.execute("SELECT FROM signals WHERE workspace_id = $1 FOR UPDATE", world.workspace_id)
        headers = {"Idempotency-Key": "k"}
        waiting = asyncio.create_task(world.client.post("/signals/batch", json=batch, headers=headers))
        await until_blocked(world.database)
        for key in ({}, {"Idempotency-Key": "other"}):
            async with asyncio.timeout(5):  # the one that waits is refused after 6
                assert (await world.client.post("/signals", json={"text": "Another."}, headers=key)).status_code == 201
        assert not waiting.done()
    assert (await waiting).status_code == 201


async def test_writes_that_wait_for_a_record_leave_connections_for_reads(world: World) -> None:
    idea = (await world.client.post("/ideas", json={"description": "Export."})).json()["id"]
    async with world.database.transaction() as tx:
        await tx.connection.execute("SELECT FROM ideas WHERE workspace_id = $1 FOR UPDATE", world.workspace_id)
        sent = [world.client.patch(f"/ideas/{idea}", json={"name": f"Name {n}"}) for n in range(20)]
        waiting = asyncio.gather(*sent)
        await until_blocked(world.database, 5)
        async with asyncio.timeout(2):
            assert (await world.client.get("/ideas?limit=1")).status_code == 200
    assert {answer.status_code for answer in await waiting} == {200}


async def test_a_worker_removes_expired_answers(world: World) -> None:
    for key in ("one", "two"):
        await world.client.post("/ideas", json={"description": "Export."}, headers={"Idempotency-Key": key})

    async def kept_after(hours: int) -> int:
        later = Database(world.database.pool, Clock(timedelta(hours=hours)))
        for tick in (tick for room in jobs_of_rooms() for tick in room.ticks if "idempotency" in tick.name):
            await tick.act(later, {})
        async with world.database.autocommit() as tx:
            count = "SELECT count(*) FROM idempotency_keys WHERE workspace_id = $1"
            return int(await tx.connection.fetchval(count, world.workspace_id))

    assert await kept_after(hours=23) == 2
    assert await kept_after(hours=25) == 0


async def test_reads_of_one_workspace_leave_connections_for_others(world: World) -> None:
    async with World(world.database, world.address) as other:
        async with world.database.transaction() as tx:
            await tx.connection.execute("LOCK TABLE opportunities")
            reads = [asyncio.create_task(world.client.get("/opportunities")) for _ in range(12)]
            await until_blocked(world.database, 8)
            assert [(await other.client.get("/ideas")).status_code for _ in range(5)] == [200] * 5
        assert {answer.status_code for answer in await asyncio.gather(*reads)} == {200}


async def test_writes_of_one_workspace_leave_connections_for_those_of_others(world: World) -> None:
    idea = (await world.client.post("/ideas", json={"description": "Export."})).json()["id"]
    async with World(world.database, world.address) as other:
        async with world.database.transaction() as tx:
            await tx.connection.execute("SELECT FROM ideas WHERE workspace_id = $1 FOR UPDATE", world.workspace_id)
            sent = [world.client.patch(f"/ideas/{idea}", json={"name": f"Name {n}"}) for n in range(20)]
            waiting = asyncio.gather(*sent)
            await until_blocked(world.database, 6)
            async with asyncio.timeout(2):
                assert (await other.client.post("/ideas", json={"description": "Export."})).status_code == 201
        assert {answer.status_code for answer in await waiting} == {200}
