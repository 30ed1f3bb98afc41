"""Processing turns a signal's text into insights that rest on exact quotes; what people reviewed stays."""

import asyncio
import threading
from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest

from sightline.intelligence.embedded import EmbeddedEngine, embedded_engine
from sightline.intelligence.evidence import DraftInsight, Quote, SignalMaterial
from sightline.intelligence.model.choice import ENGINE_JOBS
from sightline.signals.processing.jobs import process_signal, resume
from sightline.workspace_file import export_workspace
from tests.signals.conftest import Json
from tests.signals.test_creating import create, jobs_of
from tests.world import World

TEXT = "The export takes ten minutes.\nCould you add a progress bar?\nWe love the dashboard."


async def process(world: World, signal: Json, engine: Any = None) -> Json:
    """What a worker does with the signal's job; the signal afterwards."""
    tools: dict[type, Any] = {EmbeddedEngine: engine or embedded_engine()}
    await process_signal(world.database, tools, world.workspace_id, UUID(signal["id"]))
    shown: Json = (await world.client.get(f"/signals/{signal['id']}", params={"include": "raw"})).json()
    return shown


async def insights_of(world: World, signal: Json) -> list[Json]:
    answer = await world.client.get("/insights", params={"signalId": signal["id"], "limit": 100})
    found: list[Json] = answer.json()
    return sorted(found, key=lambda one: one["extracts"][0].get("start", -1))


class FixedEngine:
    """Finds what a test gives it, and runs the test's concurrent action while it reads."""

    name, version = "fixed", "1"

    def __init__(self, found: Sequence[DraftInsight] = ()) -> None:
        self.found = list(found)
        self.seen: list[SignalMaterial] = []
        self.started, self.gate = threading.Event(), threading.Event()
        self.gate.set()

    def extract_insights(self, material: SignalMaterial) -> list[DraftInsight]:
        self.seen.append(material)
        self.started.set()
        assert self.gate.wait(10)
        return self.found or embedded_engine().extract_insights(material)


async def test_a_text_becomes_insights_with_quotes_at_their_positions(world: World) -> None:
    await world.add(accounts=[{"key": "g", "name": "G"}])
    account = (await world.ids("accounts"))["g"]
    signal = await process(world, await create(world, text=TEXT, accountIds=[account]))
    assert signal["status"] == "processed"
    found = await insights_of(world, signal)
    assert [(one["category"], one["title"]) for one in found] == [
        ("problem", "The export takes ten minutes."),
        ("request", "Could you add a progress bar?"),
        ("praise", "We love the dashboard."),
    ]
    for one in found:
        [extract] = one["extracts"]
        assert signal["rawData"]["text"][extract["start"] : extract["end"]] == extract["text"]
        assert (extract["signalId"], "turn" in extract) == (signal["id"], False)
        assert (one["origin"], one["reviewState"]) == ("processing", "unreviewed")
        assert (one["signalIds"], one["accountIds"]) == ([signal["id"]], [account])
    assert set(signal["insightIds"]) == {one["id"] for one in found}
    assert int((await world.client.get("/insights")).headers["x-total-count"]) == 3


async def test_a_quote_of_a_transcript_names_turn_and_speaker(world: World) -> None:
    turns = [
        {"speaker": "Ana", "text": "What is hard?"},
        {"speaker": "Bo", "text": "Well. Search never finds my notes."},
    ]
    people = [{"name": "Ana", "side": "ours"}]
    signal = await process(world, await create(world, transcript={"turns": turns}, participants=people))
    [one] = await insights_of(world, signal)
    [extract] = one["extracts"]
    assert (extract["turn"], extract["speaker"]) == (1, "Bo")
    said = signal["rawData"]["transcript"]["turns"][extract["turn"]]["text"]
    assert said[extract["start"] : extract["end"]] == extract["text"] == "Search never finds my notes."


@pytest.mark.parametrize("text", ["Hi!", "Thanks, have a great day!", "> The export is slow."])
async def test_a_signal_with_nothing_in_it_gives_nothing(world: World, text: str) -> None:
    signal = await process(world, await create(world, text=text, processorType="conversation"))
    assert (signal["status"], signal["insightIds"]) == ("processed", [])


async def test_quotes_at_wrong_positions_are_not_stored(world: World) -> None:
    engine = FixedEngine(
        [
            DraftInsight("Invented", "problem", [Quote("Never said", 0, 10)]),
            DraftInsight("Beside", "problem", [Quote("The export", 1, 11), Quote("The export", 0, 10)]),
        ]
    )
    signal = await process(world, await create(world, text=TEXT), engine)
    [one] = await insights_of(world, signal)
    assert (one["title"], [extract["start"] for extract in one["extracts"]]) == ("Beside", [0])


async def test_a_signal_waits_for_no_other_workspace(world: World) -> None:
    is_free, other = threading.Event(), uuid4()
    busy = [asyncio.create_task(ENGINE_JOBS.run_job(other, is_free.wait, 20)) for _ in range(8)]
    try:
        assert (await process(world, await create(world, text=TEXT)))["status"] == "processed"
        assert not any(task.done() for task in busy)
    finally:
        is_free.set()
        await asyncio.gather(*busy)


async def test_processing_again_keeps_what_is_found_again(world: World) -> None:
    signal = await process(world, await create(world, text=TEXT))
    before = await insights_of(world, signal)
    receipt = (await world.client.post(f"/signals/{signal['id']}/process")).json()
    assert (receipt["status"], receipt["deduplicated"], receipt["signalId"]) == ("pending", False, signal["id"])
    assert (await world.client.get(f"{world.address}{receipt['statusUrl']}")).json()["status"] == "pending"
    await process(world, signal)
    assert await insights_of(world, signal) == before


async def test_another_text_replaces_only_unreviewed_insights(world: World) -> None:
    signal = await process(world, await create(world, text=TEXT))
    slow, bar, love = await insights_of(world, signal)
    await world.client.patch(f"/insights/{slow['id']}", json={"reviewState": "accepted"})
    await world.client.patch(f"/insights/{bar['id']}", json={"title": "Exports need a progress bar"})
    changed = await world.client.patch(f"/signals/{signal['id']}", json={"text": f"{TEXT[:60]}\nSearch is broken."})
    assert changed.json()["status"] == "pending"
    await process(world, signal)
    now = {one["id"]: one for one in await insights_of(world, signal)}
    assert love["id"] not in now
    assert (now[slow["id"]]["reviewState"], now[bar["id"]]["title"]) == ("accepted", "Exports need a progress bar")
    assert sorted(one["title"] for one in now.values()) == [
        "Exports need a progress bar",
        "Search is broken.",
        "The export takes ten minutes.",
    ]
    gone = (await world.client.get("/deletions", params={"kind": "insight"})).json()
    assert [one["id"] for one in gone] == [love["id"]]
    assert int((await world.client.get("/insights")).headers["x-total-count"]) == 3


async def test_a_rejected_insight_stays_and_is_not_made_again(world: World) -> None:
    signal = await process(world, await create(world, text=TEXT))
    slow, *others = await insights_of(world, signal)
    await world.client.patch(f"/insights/{slow['id']}", json={"title": "Not so", "reviewState": "rejected"})
    await world.client.post(f"/signals/{signal['id']}/process")
    await process(world, signal)
    found = {one["id"]: one for one in await insights_of(world, signal)}
    assert found.keys() == {slow["id"], *(one["id"] for one in others)}
    assert (found[slow["id"]]["title"], found[slow["id"]]["reviewState"]) == ("Not so", "rejected")


async def test_an_insight_that_rests_on_other_signals_too_stays(world: World) -> None:
    signal = await process(world, await create(world, text=TEXT))
    slow, *_ = await insights_of(world, signal)
    await world.add(signals=[{"key": "other", "name": "Other"}])
    other = (await world.ids("signals"))["other"]
    await world.add(insights=[{"id": slow["id"], "signals": [signal["id"], other]}])
    await world.client.patch(f"/signals/{signal['id']}", json={"text": "Search is broken."})
    await process(world, signal)
    assert slow["id"] not in {one["id"] for one in await insights_of(world, signal)}
    left = (await world.client.get(f"/insights/{slow['id']}")).json()
    assert (left["signalIds"], left["extracts"]) == ([other], None)


async def test_a_change_while_it_is_read_is_read_again(world: World) -> None:
    signal, engine = await create(world, text=TEXT), FixedEngine()
    engine.gate.clear()
    running = asyncio.create_task(process(world, signal, engine))
    await asyncio.to_thread(engine.started.wait, 10)
    assert (await world.client.get(f"/signals/{signal['id']}")).json()["status"] == "processing"
    await world.client.patch(f"/signals/{signal['id']}", json={"text": "Search is broken."})
    engine.gate.set()
    shown = await running
    assert shown["status"] == "processed"
    assert [one["title"] for one in await insights_of(world, signal)] == ["Search is broken."]
    assert [material.text for material in engine.seen] == [TEXT, "Search is broken."]


async def test_a_request_during_the_reading_is_not_lost(world: World) -> None:
    signal, engine = await create(world, text=TEXT), FixedEngine()
    engine.gate.clear()
    running = asyncio.create_task(process(world, signal, engine))
    await asyncio.to_thread(engine.started.wait, 10)
    first, second = [(await world.client.post(f"/signals/{signal['id']}/process")).json() for _ in range(2)]
    assert (first["deduplicated"], second["deduplicated"]) == (False, True)
    assert first["jobId"] == second["jobId"] != signal["jobId"]
    engine.gate.set()
    assert (await running)["status"] == "processed"
    assert len(engine.seen) == 2
    assert len(await insights_of(world, signal)) == 3


async def test_a_signal_deleted_while_it_is_read_stays_deleted(world: World) -> None:
    signal, engine = await create(world, text=TEXT), FixedEngine()
    engine.gate.clear()
    running = asyncio.create_task(process(world, signal, engine))
    await asyncio.to_thread(engine.started.wait, 10)
    assert (await world.client.delete(f"/signals/{signal['id']}")).status_code == 200
    engine.gate.set()
    assert (await running)["code"] == "NOT_FOUND"
    assert (await world.client.get("/insights")).json() == []


async def test_two_workers_at_one_signal_store_once(world: World) -> None:
    signal = await create(world, text=TEXT)
    shown = await asyncio.gather(*(process(world, signal) for _ in range(4)))
    assert {one["status"] for one in shown} == {"processed"}
    assert len(await insights_of(world, signal)) == 3


async def test_signals_of_a_file_that_wait_are_found(world: World) -> None:
    await world.add(
        signals=[
            {"key": "waits", "name": "W", "status": "pending", "rawData": {"body": "Search is broken."}},
            {"key": "done", "name": "D", "rawData": {"body": "Search is broken."}},
        ]
    )
    ids = await world.ids("signals")
    assert await jobs_of(world) == {}
    await resume(world.database, {})
    assert await jobs_of(world) == {ids["waits"]: 1}
    signal = await process(world, {"id": ids["waits"]})
    assert [one["title"] for one in await insights_of(world, signal)] == ["Search is broken."]


async def test_places_go_with_a_workspace_file(world: World) -> None:
    signal = await process(
        world, await create(world, transcript={"turns": [{"speaker": "Bo", "text": "It is too slow."}]})
    )
    [before] = await insights_of(world, signal)
    await world.add(insights=[{"id": before["id"], "extracts": await exported_extracts(world)}])
    [after] = await insights_of(world, signal)
    assert after["extracts"] == before["extracts"]
    assert after["updatedAt"] == before["updatedAt"]


async def exported_extracts(world: World) -> list[Json]:
    pieces: list[bytes] = []
    await export_workspace(world.database, world.slug, pieces.append)
    [insight] = msgspec.json.decode(b"".join(pieces))["insights"]
    extracts: list[Json] = insight["extracts"]
    return extracts


async def test_an_account_that_came_later_reaches_what_is_found_again(world: World) -> None:
    await world.add(accounts=[{"key": "g", "name": "G"}])
    account = (await world.ids("accounts"))["g"]
    signal = await process(world, await create(world, text=TEXT))
    before = await insights_of(world, signal)
    await world.client.patch(f"/signals/{signal['id']}", json={"accountIds": [account]})
    await world.client.post(f"/signals/{signal['id']}/process")
    await process(world, signal)
    after = await insights_of(world, signal)
    assert [one["id"] for one in after] == [one["id"] for one in before]
    assert {tuple(one["accountIds"]) for one in after} == {(account,)}


async def test_another_profile_and_other_data_are_read_where_they_decide(world: World) -> None:
    identity: Json = {"sourceKey": "desk", "externalId": "1"}
    signal = await create(world, **identity, text=TEXT, analysisProfile="none")
    assert signal["status"] == "processed"
    assert (await create(world, **identity, analysisProfile="customer_evidence"))["status"] == "pending"
    kept = await create(world, data={"comment": "It is too slow."})
    await process(world, kept)
    changed = await world.client.patch(f"/signals/{kept['id']}", json={"data": {"comment": "Search is broken."}})
    assert changed.json()["status"] == "pending"
    await process(world, kept)
    assert [one["title"] for one in await insights_of(world, kept)] == ["Search is broken."]
    await process(world, signal)
    changed = await world.client.patch(f"/signals/{signal['id']}", json={"data": {"priority": 1}})
    assert changed.json()["status"] == "processed"
