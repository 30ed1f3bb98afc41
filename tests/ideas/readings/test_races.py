"""Ideas that are changed, deleted or read by another worker while the model is asked."""

import asyncio
from uuid import UUID

import pytest

from sightline.ideas.readings.sweep import AT_ONCE, SWEEP_SECONDS, read_due
from sightline.platform.db import Database
from sightline.platform.db.pool import LOST
from tests.ideas.acme import Acme, Json
from tests.ideas.readings.reading import (
    ATTEMPTS,
    DUE,
    MAKE_DUE,
    MODEL,
    QUESTION,
    Sweep,
    after,
    answered,
    is_due,
    last_read,
    listed,
    new_idea,
    number_of,
    options_of,
    questions_of,
    reads,
)
from tests.ideas.workroom import trail
from tests.intelligence.fake_model import Answer, fake_model, says
from tests.line import open_line
from tests.waiting import until


async def renamed(acme: Acme, idea: Json) -> None:
    await acme.client.patch(f"/ideas/{idea['id']}", json={"name": "Tables for analysts"})


async def chosen(acme: Acme, idea: Json) -> None:
    await acme.client.patch(f"/ideas/{idea['id']}", json={"featureIds": [acme.features["billing"]]})


async def skipped(acme: Acme, idea: Json) -> None:
    [first, *_] = await questions_of(acme, idea)
    await acme.client.patch(f"/ideas/{idea['id']}/questions/{first['id']}", json={"status": "skipped"})


async def reviewed(acme: Acme, idea: Json) -> None:
    update = {"updates": [{"groupKey": "theme", "action": "accept"}]}
    answer = await acme.client.patch(f"/ideas/{idea['id']}/classifications", json=update)
    assert answer.status_code == 200, answer.text


PARTS = {
    "name": renamed,
    "features": chosen,
    "questions": answered,
    "questions set aside": skipped,
    "classifications": reviewed,
}


@pytest.mark.parametrize("part", PARTS)
async def test_what_somebody_decides_while_the_model_is_asked_stays(acme: Acme, sweep: Sweep, part: str) -> None:
    idea = await new_idea(acme)

    async def decide() -> None:
        await PARTS[part](acme, idea)

    with fake_model(after(decide, reads())) as fake:
        await sweep(fake)
    left = [each for each in ("features", "name", "classifications", "questions") if each != part.split()[0]]
    assert (await last_read(acme, idea))["replaced"] == left
    read = await acme.read(idea)
    assert (read["name"] == "CSV export") == (part != "name")
    assert (acme.features["search"] in read["featureIds"]) == (part != "features")
    assert (QUESTION in [one["question"] for one in await questions_of(acme, idea)]) == ("questions" not in part)
    assert (await options_of(acme, idea))["theme"][0] == (["Speed"] if part == "classifications" else ["Trust"])
    assert await acme.value(DUE, UUID(idea["id"])) is None


async def test_features_are_found_again_if_the_product_gets_others_meanwhile(acme: Acme, sweep: Sweep) -> None:
    idea = await new_idea(acme)

    async def remap() -> None:
        features = [{"key": "new", "name": "Tables"}]
        await acme.world.add(products=[{"key": "app", "name": "Acme App", "features": features}])

    def tables(request: Json) -> Answer:
        number = number_of(request, "features", "Tables")
        found = {"number": number, "quote": "every table", "reasoning": "", "confidence": 1}
        return says({"features": [found], "options": [], "questions": [], "name": None})

    with fake_model(after(remap, reads()), tables) as fake:
        await sweep(fake)
    reads_of_it = [detail["replaced"] for action, detail in await trail(acme, idea["id"]) if action == "read"]
    assert reads_of_it == [["name", "classifications", "questions"], ["features", "classifications"]]
    new = (await acme.world.ids("features"))["new"]
    assert (await acme.read(idea))["featureIds"] == [new]


async def test_a_new_description_is_read_instead(acme: Acme, sweep: Sweep) -> None:
    idea = await new_idea(acme)
    text = "The invoice archive is slow since the last release."

    async def describe() -> None:
        answer = await acme.client.patch(f"/ideas/{idea['id']}", json={"description": text})
        assert answer.json()["featureMatching"] is None

    def billing(request: Json) -> Answer:
        number = number_of(request, "features", "Invoice archive")
        found = {"number": number, "quote": "The invoice archive is slow", "reasoning": "", "confidence": 1}
        return says({"features": [found], "options": [], "questions": [], "name": None})

    with fake_model(after(describe, reads()), billing) as fake:
        await sweep(fake)
    assert len([action for action, _ in await trail(acme, idea["id"]) if action == "read"]) == 1
    read = await acme.read(idea)
    assert read["featureMatching"]["matcher"] == MODEL
    assert [one["sourceQuote"] for one in read["featureMatching"]["matches"]] == ["The invoice archive is slow"]
    assert listed(fake.requests[1], "idea") == [text]


async def test_an_idea_that_is_deleted_meanwhile_is_forgotten(acme: Acme, sweep: Sweep) -> None:
    idea = await new_idea(acme)

    async def delete() -> None:
        assert (await acme.client.delete(f"/ideas/{idea['id']}")).status_code == 200

    with fake_model(after(delete, reads())) as fake:
        await sweep(fake)
    assert (await acme.client.get(f"/ideas/{idea['id']}")).status_code == 404
    assert await acme.value("SELECT count(*) FROM idea_questions WHERE workspace_id = $1") == 0


async def test_two_workers_share_the_ideas(acme: Acme, sweep: Sweep) -> None:
    ideas = [await new_idea(acme) for _ in range(3 * AT_ONCE)]
    with fake_model(reads()) as fake:
        await asyncio.gather(sweep(fake), sweep(fake), sweep(fake))
        await sweep(fake)
    assert len(fake.requests) == len(ideas)
    for idea in ideas:
        assert (await acme.read(idea))["featureMatching"]["matcher"] == MODEL


async def test_an_answer_that_comes_after_another_workers_is_dropped(acme: Acme, sweep: Sweep) -> None:
    idea = await new_idea(acme)

    async def overtake() -> None:
        await acme.run(MAKE_DUE)
        await sweep(fake)

    with fake_model(after(overtake, reads(name="every table")), reads(name="CSV export of every table")) as fake:
        await sweep(fake)
    assert len(fake.requests) == 2
    assert (await acme.read(idea))["name"] == "CSV export of every table"
    assert len([action for action, _ in await trail(acme, idea["id"]) if action == "read"]) == 1


async def test_an_idea_is_read_again_if_its_worker_ends_while_the_model_is_asked(acme: Acme, sweep: Sweep) -> None:
    idea = await new_idea(acme)
    ended: list[asyncio.Task[None]] = []

    async def end() -> None:
        ended[0].cancel()

    with fake_model(after(end, reads()), reads()) as fake:
        ended.append(asyncio.create_task(sweep(fake)))  # type: ignore[arg-type]  # a coroutine
        with pytest.raises(asyncio.CancelledError):
            await ended[0]
        assert (await acme.read(idea)) == idea
        assert await is_due(acme, idea)
        assert await acme.value(ATTEMPTS, UUID(idea["id"])) == 0
        await sweep(fake)
    assert (await acme.read(idea))["featureMatching"]["matcher"] == MODEL


LOSE_CONNECTIONS = """
CREATE FUNCTION lose_connection() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
CREATE TRIGGER lose_connection BEFORE INSERT ON model_usage EXECUTE FUNCTION lose_connection()"""
KEEP_CONNECTIONS = "DROP FUNCTION lose_connection CASCADE"
IS_PAID = "SELECT sum(requests) = $2 FROM model_usage WHERE workspace_id = $1"


async def test_an_outage_while_the_model_is_asked_uses_up_no_attempt(acme: Acme, sweep: Sweep) -> None:
    """It ends the sweep as one error; what the model took is stored when the database is back."""
    ideas = [await new_idea(acme) for _ in range(2)]
    async with acme.world.database.autocommit() as tx:
        await tx.connection.execute(LOSE_CONNECTIONS)
    with fake_model(reads()) as fake:
        with pytest.raises(LOST):
            await sweep(fake)
        async with acme.world.database.autocommit() as tx:
            await tx.connection.execute(KEEP_CONNECTIONS)
        for idea in ideas:
            assert (await acme.read(idea)) == idea
            assert await is_due(acme, idea)
            assert await acme.value(ATTEMPTS, UUID(idea["id"])) == 0
        await until(lambda: acme.value(IS_PAID, len(ideas)))
        await sweep(fake)
    for idea in ideas:
        assert (await acme.read(idea))["featureMatching"]["matcher"] == MODEL
    assert await acme.value(IS_PAID, len(fake.requests))


async def test_claims_that_were_stored_without_an_answer_use_up_no_attempt(acme: Acme, database_url: str) -> None:
    ideas = [await new_idea(acme) for _ in range(2)]
    async with open_line(database_url) as line:
        db = await Database.connect(line.url, size=2)
        line.loses_commit_of = b"ORDER BY model_due_at"
        with pytest.raises(LOST):
            await read_due(db, {})
        await db.close()
    for idea in ideas:
        assert await is_due(acme, idea)
        assert await acme.value(ATTEMPTS, UUID(idea["id"])) == 0


async def test_a_reading_that_takes_longer_than_a_tick_is_an_attempt(
    acme: Acme, sweep: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sightline.ideas.readings.sweep.TICK_SECONDS", SWEEP_SECONDS)
    idea = await new_idea(acme)
    ended: list[asyncio.Task[None]] = []

    async def end() -> None:
        ended[0].cancel()

    with fake_model(after(end, reads())) as fake:
        ended.append(asyncio.create_task(sweep(fake)))  # type: ignore[arg-type]  # a coroutine
        with pytest.raises(asyncio.CancelledError):
            await ended[0]
    assert not await is_due(acme, idea)
    assert await acme.value(ATTEMPTS, UUID(idea["id"])) == 1
