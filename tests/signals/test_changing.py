"""PATCH and DELETE of signals. Decisions: Signals, Bodies, Null, Writers."""

import asyncio
from typing import Any

import httpx2
import pytest
import pytest_asyncio

from tests.signals.conftest import Json, listed
from tests.signals.test_intake import jobs_of, take
from tests.signals.test_processing import insights_of, process
from tests.world import World


@pytest_asyncio.fixture
async def acme(world: World) -> World:
    await world.add(accounts=[{"key": key, "name": key} for key in ("g", "h", "i")])
    return world


async def change(world: World, signal: Json, **wish: Any) -> httpx2.Response:
    return await world.client.patch(f"/signals/{signal['id']}", json=wish)


async def test_what_is_sent_is_changed_and_the_rest_stays(acme: World) -> None:
    signal = await take(acme, text="Slow", context="support", data={"a": 1})
    wish: Json = {
        "name": " Renamed ",
        "context": "sales",
        "signalType": "review",
        "sourceLabel": "Label",
        "sourceLinks": [{"name": "a", "url": "https://a.test", "type": "link", "primary": False}],
        "source": {"external_data": {"x": 1}},
        "data": {"b": 2},
    }
    changed = (await change(acme, signal, **wish)).json()
    expected = {**signal, **wish, "name": "Renamed", "source": {"type": "api", "external_data": {"x": 1}}}
    del expected["jobId"]
    assert changed["updatedAt"] > signal["updatedAt"]
    assert changed == {**expected, "updatedAt": changed["updatedAt"]}
    assert (await change(acme, signal, signalType=None)).json()["signalType"] is None


async def test_nothing_to_change_moves_nothing(acme: World) -> None:
    signal = await take(acme, text="Slow", name="Name")
    before = await acme.client.get(f"/signals/{signal['id']}")
    for wish in ({}, {"name": "Name", "text": "Slow", "sourceLinks": [], "data": {}}):
        answer = await change(acme, signal, **wish)
        assert (answer.status_code, answer.json(), answer.headers["etag"]) == (
            200,
            before.json(),
            before.headers["etag"],
        )


async def test_links_alone_move_the_version_and_not_the_date(acme: World) -> None:
    ids = await acme.ids("accounts")
    signal = await take(acme, text="Slow", accountIds=[ids["g"]])
    before = await acme.client.get(f"/signals/{signal['id']}")
    answer = await change(acme, signal, accountIds=[ids["h"], ids["i"], ids["h"]])
    assert answer.json()["accountIds"] == [ids["h"], ids["i"]]
    assert answer.json()["updatedAt"] == signal["updatedAt"]
    assert answer.headers["etag"] != before.headers["etag"]


async def test_the_primary_account_counts_among_the_accounts(acme: World) -> None:
    ids = await acme.ids("accounts")
    signal = await take(acme, text="Slow", accountIds=[ids["g"]])
    changed = (await change(acme, signal, accountId=ids["h"])).json()
    assert (changed["accountId"], changed["accountIds"]) == (ids["h"], [ids["g"], ids["h"]])
    changed = (await change(acme, signal, accountIds=[ids["i"]])).json()
    assert (changed["accountId"], changed["accountIds"]) == (None, [ids["i"]])
    changed = (await change(acme, signal, accountId=ids["g"], accountIds=[ids["i"]])).json()
    assert (changed["accountId"], set(changed["accountIds"])) == (ids["g"], {ids["g"], ids["i"]})
    changed = (await change(acme, signal, accountId=None)).json()
    assert (changed["accountId"], set(changed["accountIds"])) == (None, {ids["g"], ids["i"]})
    changed = (await change(acme, signal, accountIds=[])).json()
    assert changed["accountIds"] == []


@pytest.mark.parametrize(
    ("wish", "path"),
    [
        ({"name": None}, "name"),
        ({"name": " "}, "name"),
        ({"text": None}, "text"),
        ({"data": None}, "data"),
        ({"accountIds": None}, "accountIds"),
        ({"status": "processed"}, "status"),
        ({"text": "x", "transcript": {"turns": [{"text": "y"}]}}, "transcript"),
        ({"sourceKey": "x"}, "sourceKey"),
        ({"accountIds": ["b06a5cd1-2f4c-4d38-8b4c-3c1f5a0c7a11"]}, "accountIds"),
        ({"accountId": "b06a5cd1-2f4c-4d38-8b4c-3c1f5a0c7a11"}, "accountId"),
    ],
)
async def test_what_is_wrong_is_refused_by_its_path(acme: World, wish: Json, path: str) -> None:
    signal = await take(acme, text="Slow")
    answer = await change(acme, signal, **wish)
    assert (answer.status_code, [fault["path"] for fault in answer.json()["errors"]]) == (400, [path])


async def test_another_text_waits_to_be_processed_and_takes_the_place_of_a_transcript(acme: World) -> None:
    signal = await take(acme, transcript={"turns": [{"speaker": "Bo", "text": "It is too slow."}]})
    assert (await process(acme, signal))["status"] == "processed"
    changed = (await change(acme, signal, text="Search is broken.")).json()
    assert (changed["status"], changed["transcript"]) == ("pending", None)
    [shown] = await listed(acme.client, include="raw")
    assert shown["rawData"] == {"text": "Search is broken."}
    assert (await jobs_of(acme))[signal["id"]] == 1


async def test_a_stale_version_is_refused(acme: World) -> None:
    signal = await take(acme, text="Slow")
    tag = (await acme.client.get(f"/signals/{signal['id']}")).headers["etag"]
    await change(acme, signal, name="Other")
    for method, path in (("PATCH", ""), ("DELETE", ""), ("POST", "/process")):
        answer = await acme.client.request(
            method, f"/signals/{signal['id']}{path}", json={"name": "Mine"}, headers={"If-Match": tag}
        )
        assert (answer.status_code, answer.json()["code"]) == (412, "PRECONDITION_FAILED")


async def test_a_deleted_signal_takes_what_was_found_in_it_and_leaves_what_was_reviewed(acme: World) -> None:
    text = "The export takes ten minutes.\nCould you add a progress bar?"
    signal = await process(acme, await take(acme, text=text))
    slow, bar = await insights_of(acme, signal)
    await acme.client.patch(f"/insights/{slow['id']}", json={"reviewState": "accepted"})
    answer = await acme.client.delete(f"/signals/{signal['publicId'].lower()}")
    assert answer.json() == {"success": True, "signalId": signal["id"], "signalPublicId": signal["publicId"]}
    assert (await acme.client.get(f"/signals/{signal['id']}")).status_code == 404
    [kept] = (await acme.client.get("/insights")).json()
    assert (kept["id"], kept["signalIds"], kept["extracts"]) == (slow["id"], [], slow["extracts"])
    told = {(one["kind"], one["id"], one["publicId"]) for one in (await acme.client.get("/deletions")).json()}
    assert told == {("signal", signal["id"], signal["publicId"]), ("insight", bar["id"], None)}
    for path in ("/signals", "/insights"):
        shown = await acme.client.get(path)
        assert int(shown.headers["x-total-count"]) == len(shown.json())
    assert (await acme.client.delete(f"/signals/{signal['id']}")).status_code == 404


async def test_many_changes_and_deletions_at_once_leave_counts_right(acme: World) -> None:
    ids = list((await acme.ids("accounts")).values())
    made = [await take(acme, text="It is too slow.", accountIds=ids) for _ in range(6)]
    wishes = [change(acme, one, accountIds=ids[n % 3 :], name=f"Name {n}") for n, one in enumerate(made * 3)]
    gone = [acme.client.delete(f"/signals/{one['id']}") for one in made[:3] * 2]
    read = [process(acme, one) for one in made]
    answers = await asyncio.gather(*wishes, *gone)
    await asyncio.gather(*read)
    assert {answer.status_code for answer in answers} <= {200, 404}
    assert sum(answer.status_code == 200 for answer in answers[-6:]) == 3
    shown = await acme.client.get("/signals")
    assert (len(shown.json()), shown.headers["x-total-count"]) == (3, "3")
    insights = await acme.client.get("/insights")
    assert (len(insights.json()), insights.headers["x-total-count"]) == (3, "3")


async def test_evidence_of_ideas_keeps_its_words_when_its_signal_goes(acme: World) -> None:
    signal = await take(acme, text="The export is too slow.")
    extract = {"text": "too slow", "signal": signal["id"]}
    evidence = {"key": "e", "title": "Slow", "category": "problem", "extracts": [extract], "signal": signal["id"]}
    await acme.add(ideas=[{"key": "i", "name": "I", "description": ".", "evidence": [evidence]}])
    assert (await acme.client.delete(f"/signals/{signal['id']}")).status_code == 200
    [kept] = (await acme.client.get("/ideas/IDEA-1/evidence")).json()
    assert (kept["title"], kept["signalId"], kept["signalPublicId"]) == ("Slow", None, None)
    assert kept["extracts"][0]["text"] == "too slow"
