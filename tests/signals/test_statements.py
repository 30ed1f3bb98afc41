"""One insight a statement: what several customers say in the same words has the quotes and accounts of all."""

from typing import Any
from uuid import UUID

import pytest

from sightline.intelligence.evidence import DraftInsight, Quote
from sightline.workspace_file import export_workspace
from tests.signals.conftest import Json
from tests.signals.test_creating import create
from tests.signals.test_processing import FixedEngine, insights_of, process
from tests.world import World

SLOW = "The export takes ten minutes."


async def say(world: World, sentence: str, account: str | None = None, title: str = "", **new: Any) -> Json:
    """A processed signal in which an engine finds this sentence as a problem, or under another title."""
    new |= {"accountIds": [account]} if account else {}
    category = new.pop("category", "problem")
    signal = await create(world, text=sentence, **new)
    found = DraftInsight(title or sentence, category, [Quote(sentence, 0, len(sentence))])
    return await process(world, signal, FixedEngine([found]))


async def insights(world: World, **query: Any) -> list[Json]:
    answer = await world.client.get("/insights", params={"limit": 100, **query})
    assert answer.status_code == 200, answer.text
    found: list[Json] = answer.json()
    assert answer.headers["x-total-count"] == str(len(found))
    return found


async def review(world: World, insight: Json, **fields: Any) -> Json:
    answer = await world.client.patch(f"/insights/{insight['id']}", json=fields)
    assert answer.status_code == 200, answer.text
    found: Json = answer.json()
    return found


async def accounts(world: World, *keys: str) -> list[str]:
    await world.add(accounts=[{"key": key, "name": key} for key in keys])
    ids = await world.ids("accounts")
    return [ids[key] for key in keys]


def quoted(insight: Json) -> list[str]:
    return [extract["signalId"] for extract in insight["extracts"] or ()]


async def test_what_several_customers_say_is_one_insight(world: World) -> None:
    globex, hooli = await accounts(world, "globex", "hooli")
    first = await say(world, SLOW, globex)
    [before] = await insights(world)
    second, third = await say(world, SLOW, hooli), await say(world, SLOW, globex)
    [found] = await insights(world)
    signals = [one["id"] for one in (first, second, third)]
    assert (found["id"], found["title"], found["createdAt"]) == (before["id"], SLOW, before["createdAt"])
    assert (quoted(found), found["signalIds"], found["accountIds"]) == (signals, signals, [globex, hooli])
    assert (found["quoteCount"], found["accountCount"]) == (3, 2)
    assert found["updatedAt"] > before["updatedAt"]
    assert [(await world.client.get(f"/signals/{id}")).json()["insightIds"] for id in signals] == [[found["id"]]] * 3


@pytest.mark.parametrize(
    "other",
    [
        "the  EXPORT takes ten minutes",
        "“The export takes ten minutes”!!! 😡👎🏽",
        "The export takes ten minutes, please. Thanks a lot!",
        "- The export takes ten minutes …",
        "Ｔｈｅ export takes ten minutes",  # noqa: RUF001 - full width
    ],
)
async def test_the_same_words_written_differently_are_one_statement(world: World, other: str) -> None:
    await say(world, SLOW)
    await say(world, other)
    [found] = await insights(world)
    assert (found["title"], [each["text"] for each in found["extracts"]]) == (SLOW, [SLOW, other])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Support C++", "Support C#"),
        ("It freezes at -30 degrees", "It freezes at 30 degrees"),
        ("Waits >90 % of the time", "Waits <90 % of the time"),
        ("エクスポートが遅い", "インポートが遅い"),
        ("👍", "👎"),
        ("The export takes ten minutes", "The export takes two minutes"),
    ],
)
async def test_other_words_are_another_statement(world: World, one: str, other: str) -> None:
    await say(world, one)
    await say(world, other)
    assert len(await insights(world)) == 2


async def test_another_category_is_another_statement(world: World) -> None:
    await say(world, SLOW)
    await say(world, SLOW, category="context")
    assert {one["category"] for one in await insights(world)} == {"problem", "context"}


async def test_sentences_of_which_the_title_shows_only_the_same_beginning_are_two(world: World) -> None:
    same = "When the finance team closes the books at the end of a month"
    for end in ("the export of the general ledger takes far longer than an hour", "nobody can sign in for a whole day"):
        await say(world, f"{same}, {end} and then we have to begin all over again.", title=same)
    assert len(await insights(world)) == 2


async def test_processing_again_counts_nothing_twice(world: World) -> None:
    globex, hooli = await accounts(world, "globex", "hooli")
    text = f"{SLOW}\nCould you add a progress bar?"
    made = [await process(world, await create(world, text=text, accountIds=[one])) for one in (globex, hooli)]
    before = await insights(world)
    assert [one["quoteCount"] for one in before] == [2, 2]
    for signal in made * 2:
        await world.client.post(f"/signals/{signal['id']}/process")
        await process(world, signal)
    assert await insights(world) == before


async def test_an_account_that_came_later_moves_the_date_of_what_it_says(world: World) -> None:
    [globex] = await accounts(world, "globex")
    signal = await say(world, SLOW)
    [before] = await insights(world)
    await world.client.patch(f"/signals/{signal['id']}", json={"accountIds": [globex]})
    await world.client.post(f"/signals/{signal['id']}/process")
    await process(world, signal, FixedEngine([DraftInsight(SLOW, "problem", [Quote(SLOW, 0, len(SLOW))])]))
    [after] = await insights(world)
    assert (after["accountIds"], after["quoteCount"]) == ([globex], 1)
    assert after["updatedAt"] > before["updatedAt"]


async def test_a_new_text_takes_back_only_its_own_quotes(world: World) -> None:
    globex, hooli = await accounts(world, "globex", "hooli")
    first, second = await say(world, SLOW, globex), await say(world, SLOW, hooli)
    await world.client.patch(f"/signals/{first['id']}", json={"text": "Search is broken."})
    await process(world, first)
    slow, broken = sorted(await insights(world), key=lambda one: str(one["title"]), reverse=True)
    assert (slow["signalIds"], quoted(slow), slow["accountIds"]) == ([second["id"]], [second["id"]], [hooli])
    assert (broken["signalIds"], broken["accountIds"]) == ([first["id"]], [globex])


async def test_an_account_stays_while_one_of_its_signals_says_it(world: World) -> None:
    [globex] = await accounts(world, "globex")
    first, second = await say(world, SLOW, globex), await say(world, SLOW, globex)
    await world.client.delete(f"/signals/{first['id']}")
    [left] = await insights(world)
    assert (left["accountIds"], left["accountCount"], quoted(left)) == ([globex], 1, [second["id"]])


async def test_a_quote_that_joins_a_rejected_insight_leaves_it_rejected(world: World) -> None:
    await say(world, SLOW)
    [found] = await insights(world)
    await review(world, found, reviewState="rejected", title="No problem")
    await say(world, SLOW)
    [after] = await insights(world)
    shown = [after[name] for name in ("id", "title", "reviewState", "quoteCount")]
    assert shown == [found["id"], "No problem", "rejected", 2]


async def test_a_rejected_statement_is_not_made_again_when_all_who_said_it_are_gone(world: World) -> None:
    signals = [await say(world, SLOW), await say(world, SLOW)]
    [found] = await insights(world)
    await review(world, found, reviewState="rejected")
    for signal in signals:
        assert (await world.client.delete(f"/signals/{signal['id']}")).status_code == 200
    assert await insights(world) == []
    again = await say(world, SLOW.upper())
    assert (again["status"], await insights(world)) == ("processed", [])
    [gone] = (await world.client.get("/deletions", params={"kind": "insight"})).json()
    assert gone["id"] == found["id"]


async def test_the_last_quote_takes_its_insight_along(world: World) -> None:
    signals = [await say(world, SLOW), await say(world, SLOW)]
    await world.client.delete(f"/signals/{signals[0]['id']}")
    [left] = await insights(world)
    assert quoted(left) == [signals[1]["id"]]
    await world.client.delete(f"/signals/{signals[1]['id']}")
    assert await insights(world) == []
    await say(world, SLOW)
    [made] = await insights(world)
    assert made["id"] != left["id"]


@pytest.mark.parametrize("kept", ["accepted", "edited", "linked", "target of a merge"])
async def test_an_insight_of_a_person_outlives_its_quotes(world: World, kept: str) -> None:
    signal = await say(world, SLOW)
    [found] = await insights(world)
    match kept:
        case "accepted":
            await review(world, found, reviewState="accepted")
        case "edited":
            await review(world, found, description="Finance says so.")
        case "linked":
            idea = {"description": "Faster exports.", "insightIds": [found["id"]]}
            assert (await world.client.post("/ideas", json=idea)).status_code == 201
        case _:
            await world.add(insights=[{"key": "same", "title": "Same"}])
            await review(world, {"id": (await world.ids("insights"))["same"]}, mergedIntoId=found["id"])
    await world.client.delete(f"/signals/{signal['id']}")
    left = (await world.client.get(f"/insights/{found['id']}")).json()
    assert (left["title"], left["extracts"], left["signalIds"]) == (SLOW, None, [])
    other = await say(world, SLOW)
    assert quoted((await world.client.get(f"/insights/{found['id']}")).json()) == [other["id"]]


async def test_a_quote_joins_the_insight_however_a_person_worded_it(world: World) -> None:
    await say(world, SLOW)
    [found] = await insights(world)
    await review(world, found, title="Exports are slow", category="context")
    await say(world, SLOW)
    [after] = await insights(world)
    assert (after["title"], after["category"], after["quoteCount"]) == ("Exports are slow", "context", 2)
    assert after["reviewState"] == "edited"


async def test_a_reviewed_quote_is_not_found_again_under_another_title(world: World) -> None:
    signal = await say(world, SLOW, title="Exports are slow")
    [found] = await insights(world)
    await review(world, found, reviewState="accepted")
    await world.client.post(f"/signals/{signal['id']}/process")
    reworded = DraftInsight("Exports take minutes", "request", [Quote(SLOW, 0, len(SLOW))])
    await process(world, signal, FixedEngine([reworded]))
    [after] = await insights(world)
    assert (after["id"], after["title"], after["quoteCount"]) == (found["id"], "Exports are slow", 1)


async def test_a_quote_of_a_merged_statement_joins_the_target(world: World) -> None:
    await say(world, SLOW)
    await say(world, "Exports hang.")
    merged, target = sorted(await insights(world), key=lambda one: str(one["title"]), reverse=True)
    await review(world, merged, mergedIntoId=target["id"])
    third = await say(world, SLOW)
    after = {one["id"]: one for one in await insights(world)}
    assert after.keys() == {merged["id"], target["id"]}
    assert quoted(after[target["id"]])[-1] == third["id"]
    assert (after[target["id"]]["quoteCount"], after[merged["id"]]["signalIds"]) == (3, [])


async def test_insights_of_a_file_are_left_as_they_are(world: World) -> None:
    await world.add(insights=[{"key": "own", "title": SLOW, "category": "problem"}])
    await say(world, SLOW)
    own, found = sorted(await insights(world), key=lambda one: str(one["origin"]))
    assert (own["origin"], own["extracts"], found["quoteCount"]) == ("manual", None, 1)
    assert (own["similarInsightIds"], found["similarInsightIds"]) == ([found["id"]], [own["id"]])


async def exported(world: World) -> bytes:
    pieces: list[bytes] = []
    await export_workspace(world.database, world.slug, pieces.append)
    return b"".join(pieces)


async def test_what_processing_found_elsewhere_is_found_again(world: World) -> None:
    """The words have their key where a file brings the insight; without the signal that it quoted here."""
    await world.add(insights=[{"key": "slow", "title": SLOW, "category": "problem", "origin": "processing"}])
    before = await exported(world)
    await world.add(insights=[{"key": "twin", "title": SLOW.upper(), "category": "problem", "origin": "processing"}])
    signal = await say(world, SLOW)
    assert b"twin" not in before
    [found] = await insights_of(world, signal)
    assert found["id"] == (await world.ids("insights"))["slow"]
    assert len(await insights(world)) == 2


async def test_a_file_that_prunes_signals_takes_their_quotes(world: World) -> None:
    signal = await say(world, SLOW)
    [found] = await insights(world)
    await world.add(signals=[{"key": "other", "name": "Other"}], prune=["signals"])
    assert (await world.client.get(f"/signals/{signal['id']}")).status_code == 404
    [left] = await insights(world)
    assert (left["id"], left["extracts"], left["signalIds"]) == (found["id"], None, [])
    assert left["updatedAt"] > found["updatedAt"]


async def test_statements_of_other_workspaces_are_their_own(world: World) -> None:
    await say(world, SLOW)
    async with world.stranger() as stranger:
        await say(stranger, SLOW)
        assert [one["quoteCount"] for one in await insights(stranger)] == [1]
    assert [one["quoteCount"] for one in await insights(world)] == [1]


async def test_the_trail_names_what_joined(world: World) -> None:
    await say(world, SLOW)
    await say(world, SLOW)
    [found] = await insights(world)
    async with world.database.autocommit() as tx:
        rows = await tx.connection.fetch(
            "SELECT action, actor_kind FROM changes WHERE workspace_id = $1 AND record_id = $2 ORDER BY at, id",
            world.workspace_id,
            UUID(found["id"]),
        )
    assert [tuple(row) for row in rows] == [("created", "job"), ("updated", "job")]
