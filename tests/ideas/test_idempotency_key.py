"""Idempotency-Key on POST /ideas."""

import asyncio
from typing import Any

import httpx2
import pytest

from sightline.platform.http.idempotency import forget_expired
from tests.ideas.acme import EXPORT, Acme, Json, refused


async def send(acme: Acme, key: str, client: httpx2.AsyncClient | None = None, **fields: Any) -> httpx2.Response:
    body = {"description": EXPORT, **fields}
    return await (client or acme.client).post("/ideas", json=body, headers={"Idempotency-Key": key})


async def test_a_repeated_request_is_replayed(acme: Acme) -> None:
    first, again = await send(acme, "one"), await send(acme, "one")
    assert (again.status_code, again.content) == (201, first.content)
    assert again.headers["etag"] == first.headers["etag"]
    assert again.headers["idempotent-replayed"] == "true"
    assert "idempotent-replayed" not in first.headers
    assert await acme.total() == 1


async def test_another_key_creates_another_idea(acme: Acme) -> None:
    assert (await send(acme, "one")).json()["id"] != (await send(acme, "two")).json()["id"]


async def test_the_spelling_of_the_same_body_does_not_matter(acme: Acme) -> None:
    first = await send(acme, "one", name="Exports")
    spelled = f'{{ "name":"Exports",\n "description": "{EXPORT}" }}'
    again = await acme.client.post("/ideas", content=spelled, headers={"Idempotency-Key": "one"})
    assert again.json() == first.json()


async def test_another_body_under_the_same_key_is_refused(acme: Acme) -> None:
    await send(acme, "one")
    refused(await send(acme, "one", name="Another"), 422, "IDEMPOTENCY_KEY_REUSED")
    assert await acme.total() == 1


async def test_a_replay_returns_the_stored_response_and_not_the_current_idea(acme: Acme) -> None:
    source: Json = {"sourceKey": "desk", "externalId": "1"}
    first = await send(acme, "one", **source)
    await acme.create(**source, name="Renamed")
    assert (await send(acme, "one", **source)).json() == first.json()
    assert [idea["name"] for idea in await acme.list()] == ["Renamed"]


async def test_a_refusal_is_not_kept(acme: Acme) -> None:
    refused(await send(acme, "one", status="Soon"), 400, "UNKNOWN_STATUS")
    assert (await send(acme, "one")).status_code == 201


async def test_each_api_key_has_its_own_idempotency_keys(acme: Acme) -> None:
    other = await acme.world.client_with("ideas:write")
    assert (await send(acme, "one")).json()["id"] != (await send(acme, "one", client=other)).json()["id"]
    async with acme.world.stranger() as stranger:
        theirs = await send(acme, "one", client=stranger.client)
        assert (theirs.status_code, theirs.headers.get("idempotent-replayed")) == (201, None)


async def test_after_a_day_the_key_is_new(acme: Acme) -> None:
    first = await send(acme, "one")
    await acme.run("UPDATE idempotency_keys SET created_at = created_at - interval '24 hours' WHERE workspace_id = $1")
    again = await send(acme, "one", name="Another day")
    assert (again.status_code, again.json()["name"]) == (201, "Another day")
    assert again.json()["id"] != first.json()["id"]


async def test_a_replay_is_refused_like_any_request_of_a_key_that_may_not(acme: Acme) -> None:
    await send(acme, "one")
    refused(await send(acme, "one", client=await acme.world.client_with("ideas:read")), 403, "INSUFFICIENT_SCOPE")


@pytest.mark.parametrize("key", ["k", "k" * 255, 'a key, with: "marks"'])
async def test_a_key_may_have_up_to_255_characters(acme: Acme, key: str) -> None:
    assert (await send(acme, key)).json() == (await send(acme, key)).json()


async def test_a_longer_key_is_refused(acme: Acme) -> None:
    refused(await send(acme, "k" * 256), 400, "VALIDATION_FAILED")
    assert await acme.total() == 0


async def test_of_many_at_once_one_creates_and_the_others_are_refused_or_replayed(acme: Acme) -> None:
    answers = await asyncio.gather(*(send(acme, "one") for _ in range(16)))
    assert {answer.status_code for answer in answers} <= {201, 409}
    assert len({answer.json()["id"] for answer in answers if answer.status_code == 201}) == 1
    for answer in answers:
        if answer.status_code == 409:
            refused(answer, 409, "IDEMPOTENCY_KEY_IN_USE")
    assert await acme.total() == 1
    assert (await send(acme, "one")).headers["idempotent-replayed"] == "true"


async def test_classified_and_linked_ideas_are_kept_whole(acme: Acme) -> None:
    body: Json = {
        "classifications": [{"groupKey": "theme", "optionValues": ["speed"]}],
        "insightIds": list(acme.insights.values()),
        "productId": acme.products["app"],
    }
    first = await send(acme, "one", **body)
    assert (await send(acme, "one", **body)).json() == first.json()
    assert await acme.read(first.json(), include="classifications") == first.json()


async def test_reading_ignores_the_key(acme: Acme) -> None:
    await acme.create()
    for _ in range(2):
        answer = await acme.client.get("/ideas", headers={"Idempotency-Key": "k" * 999})
        assert "idempotent-replayed" not in answer.headers


async def keep_while_a_feature_goes(acme: Acme, *keys: str) -> Json:
    """Keeps an answer that suggests the feature under each key; returns the body."""
    features = [{"key": "push", "name": "Push notifications"}]
    await acme.world.add(products=[{"key": "phone", "name": "Phone", "features": features}])
    ids = await acme.world.ids("products")
    body: Json = {"description": "It never notifies me.", "productId": ids["phone"]}
    async with acme.world.database.transaction() as tx:
        await tx.connection.execute("DELETE FROM features WHERE product_id = $1", ids["phone"])
        for key in keys:
            assert (await send(acme, key, **body)).json()["featureMatching"]["suggestions"] != []
    return body


async def kept_texts(acme: Acme) -> set[str]:
    """The keys under which a text is kept."""
    kept = "SELECT value FROM idempotency_keys WHERE workspace_id = $1 AND body <> ''"
    async with acme.world.database.autocommit() as tx:
        rows = await tx.connection.fetch(kept, acme.world.workspace_id)
    return {row["value"] for row in rows}


async def test_an_answer_that_is_kept_while_a_feature_goes_is_not_repeated(acme: Acme) -> None:
    body = await keep_while_a_feature_goes(acme, "one")
    refused(await send(acme, "one", **body), 410, "RECORD_DELETED")
    assert await kept_texts(acme) == {"one"}
    await forget_expired(acme.world.database, None)
    assert await kept_texts(acme) == set()
    refused(await send(acme, "one", **body), 410, "RECORD_DELETED")


async def test_kept_answers_are_emptied_without_waiting_for_a_deletion_that_empties_one(acme: Acme) -> None:
    await keep_while_a_feature_goes(acme, "one", "two")
    async with acme.world.database.transaction() as tx:
        locked = "SELECT FROM idempotency_keys WHERE workspace_id = $1 AND value = 'one' FOR UPDATE"
        await tx.connection.execute(locked, acme.world.workspace_id)
        await asyncio.wait_for(forget_expired(acme.world.database, None), 15)
        assert await kept_texts(acme) == {"one"}
    await forget_expired(acme.world.database, None)
    assert await kept_texts(acme) == set()
