"""PATCH and DELETE of signals. Decisions: Signals, Bodies, Null, Writers."""

import asyncio
import json
from typing import Any

import httpx2
import pytest
import pytest_asyncio

from tests.signals.conftest import Json, listed
from tests.signals.test_creating import create, jobs_of
from tests.signals.test_processing import insights_of, process
from tests.world import World


@pytest_asyncio.fixture
async def acme(world: World) -> World:
    await world.add(accounts=[{"key": key, "name": key} for key in ("g", "h", "i")])
    return world


async def change(world: World, signal: Json, **changes: Any) -> httpx2.Response:
    return await world.client.patch(f"/signals/{signal['id']}", json=changes)


async def test_what_is_sent_is_changed_and_the_rest_stays(acme: World) -> None:
    signal = await create(acme, text="Slow", context="support", data={"a": 1})
    changes: Json = {
        "name": " Renamed ",
        "context": "sales",
        "signalType": "review",
        "sourceLabel": "Label",
        "sourceLinks": [{"name": "a", "url": "https://a.test", "type": "link", "primary": False}],
        "source": {"external_data": {"x": 1}},
        "data": {"b": 2},
    }
    changed = (await change(acme, signal, **changes)).json()
    expected = {**signal, **changes, "name": "Renamed", "source": {"type": "api", "external_data": {"x": 1}}}
    del expected["jobId"]
    assert changed["updatedAt"] > signal["updatedAt"]
    assert changed == {**expected, "updatedAt": changed["updatedAt"]}
    assert (await change(acme, signal, signalType=None)).json()["signalType"] is None


@pytest.mark.parametrize(("before", "after"), [(1, True), (False, 0), ([{"a": 0}], [{"a": False}])])
async def test_another_kind_of_json_value_is_a_change(acme: World, before: Any, after: Any) -> None:
    external: Json = {"sourceKey": "crm", "externalId": "1"}
    sent: Json = {"text": "Slow", "data": {"a": before}, "source": {"external_data": {"a": before}}}
    signal = await create(acme, **external, **sent)
    changed = (await change(acme, signal, data={"a": after}, source={"external_data": {"a": after}})).json()
    assert json.dumps([changed["data"], changed["source"]["external_data"]]) == json.dumps([{"a": after}] * 2)
    assert changed["updatedAt"] > signal["updatedAt"]
    again = await create(acme, **external, **sent)
    assert json.dumps(again["data"]) == json.dumps({"a": before})


async def test_a_file_with_another_kind_of_json_value_is_a_change(acme: World) -> None:
    for flag in (1, True):
        await acme.add(signals=[{"key": "s", "name": "S", "rawData": {"text": "x", "flag": flag}}])
        shown = (await acme.client.get("/signals/SIGNAL-1?include=raw")).json()
        assert json.dumps(shown["rawData"]["flag"]) == json.dumps(flag)


async def test_an_empty_change_changes_nothing(acme: World) -> None:
    signal = await create(acme, text="Slow", name="Name")
    before = await acme.client.get(f"/signals/{signal['id']}")
    for changes in ({}, {"name": "Name", "text": "Slow", "sourceLinks": [], "data": {}}):
        answer = await change(acme, signal, **changes)
        assert (answer.status_code, answer.json(), answer.headers["etag"]) == (
            200,
            before.json(),
            before.headers["etag"],
        )


async def test_other_accounts_move_the_date(acme: World) -> None:
    ids = await acme.ids("accounts")
    signal = await create(acme, text="Slow", accountIds=[ids["g"]])
    before = await acme.client.get(f"/signals/{signal['id']}")
    answer = await change(acme, signal, accountIds=[ids["h"], ids["i"], ids["h"]])
    assert answer.json()["accountIds"] == [ids["h"], ids["i"]]
    assert answer.json()["updatedAt"] > signal["updatedAt"]
    assert answer.headers["etag"] != before.headers["etag"]
    same = await change(acme, signal, accountIds=[ids["h"], ids["i"]])
    assert same.json() == answer.json()


async def test_a_workspace_file_with_other_accounts_moves_the_date(acme: World) -> None:
    await acme.add(signals=[{"key": "s", "name": "S", "accounts": ["g"]}])
    before = (await acme.client.get("/signals/SIGNAL-1")).json()
    await acme.add(signals=[{"key": "s", "accounts": ["h"]}])
    after = (await acme.client.get("/signals/SIGNAL-1")).json()
    assert (before["accountIds"] != after["accountIds"], after["updatedAt"] > before["updatedAt"]) == (True, True)


async def test_later_links_to_insights_move_the_version_and_not_the_date(acme: World) -> None:
    signal = await create(acme, text="Slow", analysisProfile="none")
    before = await acme.client.get(f"/signals/{signal['id']}")
    await acme.add(insights=[{"key": "n", "title": "Slow", "signals": [signal["id"]]}])
    after = await acme.client.get(f"/signals/{signal['id']}")
    assert len(after.json()["insightIds"]) == 1
    assert after.json()["updatedAt"] == before.json()["updatedAt"]
    assert after.headers["etag"] != before.headers["etag"]


async def test_the_primary_account_counts_among_the_accounts(acme: World) -> None:
    ids = await acme.ids("accounts")
    signal = await create(acme, text="Slow", accountIds=[ids["g"]])
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
    ("changes", "path"),
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
async def test_faults_are_named_by_their_path(acme: World, changes: Json, path: str) -> None:
    signal = await create(acme, text="Slow")
    answer = await change(acme, signal, **changes)
    assert (answer.status_code, [fault["path"] for fault in answer.json()["errors"]]) == (400, [path])


async def test_another_text_waits_to_be_processed_and_takes_the_place_of_a_transcript(acme: World) -> None:
    signal = await create(acme, transcript={"turns": [{"speaker": "Bo", "text": "It is too slow."}]})
    assert (await process(acme, signal))["status"] == "processed"
    changed = (await change(acme, signal, text="Search is broken.")).json()
    assert (changed["status"], changed["transcript"]) == ("pending", None)
    [shown] = await listed(acme.client, include="raw")
    assert shown["rawData"] == {"text": "Search is broken."}
    assert (await jobs_of(acme))[signal["id"]] == 1


async def test_a_stale_version_is_refused(acme: World) -> None:
    signal = await create(acme, text="Slow")
    tag = (await acme.client.get(f"/signals/{signal['id']}")).headers["etag"]
    await change(acme, signal, name="Other")
    for method, path in (("PATCH", ""), ("DELETE", ""), ("POST", "/process")):
        answer = await acme.client.request(
            method, f"/signals/{signal['id']}{path}", json={"name": "Mine"}, headers={"If-Match": tag}
        )
        assert (answer.status_code, answer.json()["code"]) == (412, "PRECONDITION_FAILED")


async def test_a_deleted_signal_takes_its_quotes_and_leaves_what_was_reviewed(acme: World) -> None:
    text = "The export takes ten minutes.\nCould you add a progress bar?"
    signal = await process(acme, await create(acme, text=text))
    slow, bar = await insights_of(acme, signal)
    await acme.client.patch(f"/insights/{slow['id']}", json={"reviewState": "accepted"})
    answer = await acme.client.delete(f"/signals/{signal['publicId'].lower()}")
    assert answer.json() == {"success": True, "signalId": signal["id"], "signalPublicId": signal["publicId"]}
    assert (await acme.client.get(f"/signals/{signal['id']}")).status_code == 404
    [kept] = (await acme.client.get("/insights")).json()
    assert (kept["id"], kept["title"], kept["signalIds"]) == (slow["id"], slow["title"], [])
    assert (kept["extracts"], kept["quoteCount"]) == (None, 0)
    assert kept["updatedAt"] > slow["updatedAt"]
    deleted = {(one["kind"], one["id"], one["publicId"]) for one in (await acme.client.get("/deletions")).json()}
    assert deleted == {("signal", signal["id"], signal["publicId"]), ("insight", bar["id"], None)}
    for path in ("/signals", "/insights"):
        shown = await acme.client.get(path)
        assert int(shown.headers["x-total-count"]) == len(shown.json())
    assert (await acme.client.delete(f"/signals/{signal['id']}")).status_code == 404


async def test_many_changes_and_deletions_at_once_leave_counts_right(acme: World) -> None:
    ids = list((await acme.ids("accounts")).values())
    made = [await create(acme, text="It is too slow.", accountIds=ids) for _ in range(6)]
    requests = [change(acme, one, accountIds=ids[n % 3 :], name=f"Name {n}") for n, one in enumerate(made * 3)]
    gone = [acme.client.delete(f"/signals/{one['id']}") for one in made[:3] * 2]
    read = [process(acme, one) for one in made]
    answers = await asyncio.gather(*requests, *gone)
    await asyncio.gather(*read)
    assert {answer.status_code for answer in answers} <= {200, 404}
    assert sum(answer.status_code == 200 for answer in answers[-6:]) == 3
    shown = await acme.client.get("/signals")
    assert (len(shown.json()), shown.headers["x-total-count"]) == (3, "3")
    insights = await acme.client.get("/insights")
    assert (len(insights.json()), insights.headers["x-total-count"]) == (1, "1")
    assert set(insights.json()[0]["signalIds"]) == {one["id"] for one in made[3:]}


async def test_evidence_of_ideas_keeps_its_words_when_its_signal_goes(acme: World) -> None:
    signal = await create(acme, text="The export is too slow.")
    extract = {"text": "too slow", "signal": signal["id"]}
    evidence = {"key": "e", "title": "Slow", "category": "problem", "extracts": [extract], "signal": signal["id"]}
    await acme.add(ideas=[{"key": "i", "name": "I", "description": ".", "evidence": [evidence]}])
    assert (await acme.client.delete(f"/signals/{signal['id']}")).status_code == 200
    [kept] = (await acme.client.get("/ideas/IDEA-1/evidence")).json()
    assert (kept["title"], kept["signalId"], kept["signalPublicId"]) == ("Slow", None, None)
    assert kept["extracts"] == [{"text": "too slow", "signalId": None}]


async def test_quotes_of_other_signals_stay(acme: World) -> None:
    first, second = [await create(acme, text="The export is too slow.", name=name) for name in ("First", "Second")]
    extracts = [{"text": "too slow", "signal": one["id"]} for one in (first, second)]
    await acme.add(insights=[{"key": "n", "title": "Slow", "signals": [first["id"]], "extracts": extracts}])
    path = f"/insights/{(await acme.ids('insights'))['n']}"
    before = await acme.client.get(path)
    for signal in (first, second):  # the insight is not linked with the second, and quotes it all the same
        assert (await acme.client.delete(f"/signals/{signal['id']}")).status_code == 200
        after = await acme.client.get(path)
        named = [extract["signalId"] for extract in after.json()["extracts"] or ()]
        assert named == ([second["id"]] if signal is first else [])
        assert after.headers["etag"] != before.headers["etag"]
        before = after
