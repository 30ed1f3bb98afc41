"""GET /signals?accountId: signals of the account and of the insights linked to it. Specification: Signals."""

import asyncio
from typing import Any

import pytest
import pytest_asyncio

from tests.signals.conftest import Json, listed, walked
from tests.signals.test_creating import create
from tests.signals.test_processing import process
from tests.signals.test_statements import SLOW, accounts, insights, review, say
from tests.world import World

OTHER = "Search is broken."


@pytest_asyncio.fixture
async def ids(world: World) -> dict[str, str]:
    names = ("globex", "hooli", "initech")
    return dict(zip(names, await accounts(world, *names), strict=True))


async def of(world: World, *accounts: str, **query: Any) -> list[str]:
    """The signals of these accounts; the total says how many, and a walk in pages of one shows the same."""
    query |= {"accountId": ",".join(accounts)}
    answer = await world.client.get("/signals", params={**query, "limit": 100})
    assert answer.status_code == 200, answer.text
    found = [one["id"] for one in answer.json()]
    assert answer.headers["x-total-count"] == str(len(found)) == str(len(set(found)))
    assert [one["id"] for one in await walked(world.client, {**query, "limit": 1})] == found
    return found


async def test_what_others_say_in_the_same_words_is_found_by_each_account(world: World, ids: Json) -> None:
    first, second = await say(world, SLOW, ids["globex"]), await say(world, SLOW, ids["hooli"])
    third, nobodys = await say(world, OTHER, ids["hooli"]), await say(world, SLOW)
    both = [nobodys["id"], second["id"], first["id"]]
    assert await of(world, ids["globex"]) == both
    assert await of(world, ids["hooli"]) == [both[0], third["id"], *both[1:]]
    assert await of(world, ids["initech"]) == []
    assert [one["accountIds"] for one in await listed(world.client, accountId=ids["globex"])] == [
        *([], [ids["hooli"]], [ids["globex"]])
    ]


async def test_a_signal_of_many_insights_and_accounts_is_counted_and_shown_once(world: World, ids: Json) -> None:
    text = f"{SLOW}\n{OTHER}\nThe page crashes when we sort."
    made = [await create(world, text=text, accountIds=[*ids.values()]) for _ in range(3)]
    for one in made:
        await process(world, one)
    everyone = ",".join([*ids.values()] + [f"00000000-0000-4000-8000-{n:012}" for n in range(60)])
    expected = [one["id"] for one in reversed(made)]
    assert await of(world, *ids.values()) == await of(world, everyone) == expected
    for offset in range(4):
        assert [one["id"] for one in await listed(world.client, accountId=everyone, limit=1, offset=offset)] == (
            expected[offset : offset + 1]
        )


async def test_changes_of_an_account_have_those_of_its_insights(world: World, ids: Json) -> None:
    first, second = await say(world, SLOW, ids["globex"]), await say(world, SLOW, ids["hooli"])
    third = await say(world, OTHER, ids["globex"])
    await world.client.patch(f"/signals/{first['id']}", json={"name": "Renamed"})
    changed = [second["id"], third["id"], first["id"]]
    assert await of(world, ids["globex"], updatedSince="2000-01-01") == changed
    assert await of(world, ids["globex"], updatedSince=third["updatedAt"]) == changed[1:]
    assert await of(world, ids["hooli"], updatedSince="2000-01-01") == [second["id"], first["id"]]


async def test_other_filters_hold_for_what_insights_bring(world: World, ids: Json) -> None:
    first = await say(world, SLOW, ids["globex"], providerType="zoom")
    second = await say(world, SLOW, ids["hooli"], providerType="desk", externalId="x1")
    waiting = await create(world, text=SLOW, accountIds=[ids["hooli"]])
    assert await of(world, ids["hooli"], status="processed") == [second["id"], first["id"]]
    assert await of(world, ids["hooli"], status="pending") == [waiting["id"]]
    assert await of(world, ids["hooli"], sourceType="zoom") == [first["id"]]
    assert await of(world, ids["globex"], externalId="x1") == [second["id"]]
    assert await of(world, ids["initech"], sourceType="zoom") == []


async def test_a_new_text_leaves_the_accounts_that_say_the_old_one(world: World, ids: Json) -> None:
    first, second = await say(world, SLOW, ids["globex"]), await say(world, SLOW, ids["hooli"])
    await world.client.patch(f"/signals/{second['id']}", json={"text": OTHER})
    await process(world, second)
    assert await of(world, ids["globex"]) == [first["id"]]
    assert await of(world, ids["hooli"]) == [second["id"]]
    await world.client.patch(f"/signals/{second['id']}", json={"text": SLOW})
    await process(world, second)
    assert await of(world, ids["globex"]) == await of(world, ids["hooli"]) == [second["id"], first["id"]]


@pytest.mark.parametrize("gone", ["signal", "insight", "account"])
async def test_what_is_deleted_brings_no_signals(world: World, ids: Json, gone: str) -> None:
    first, second = await say(world, SLOW, ids["globex"]), await say(world, SLOW, ids["hooli"])
    [insight] = await insights(world)
    assert await of(world, ids["globex"]) == [second["id"], first["id"]]
    match gone:
        case "signal":
            assert (await world.client.delete(f"/signals/{second['id']}")).status_code == 200
        case "insight":
            assert (await world.client.delete(f"/insights/{insight['id']}")).status_code == 200
        case _:
            await world.add(accounts=[{"key": "hooli", "name": "hooli"}], prune=["accounts"])
            assert await of(world, ids["globex"]) == []
            assert await of(world, ids["hooli"]) == [second["id"], first["id"]]
            return
    assert await of(world, ids["globex"]) == [first["id"]]
    assert await of(world, ids["hooli"]) == ([] if gone == "signal" else [second["id"]])


@pytest.mark.parametrize("state", ["accepted", "rejected"])
async def test_a_review_leaves_links_as_they_are(world: World, ids: Json, state: str) -> None:
    first, second = await say(world, SLOW, ids["globex"]), await say(world, SLOW, ids["hooli"])
    [insight] = await insights(world)
    await review(world, insight, reviewState=state)
    assert await of(world, ids["globex"]) == [second["id"], first["id"]]


async def test_a_merge_brings_the_signals_of_both_to_the_accounts_of_both(world: World, ids: Json) -> None:
    first, second = await say(world, SLOW, ids["globex"]), await say(world, OTHER, ids["hooli"])
    slow, broken = sorted(await insights(world), key=lambda one: str(one["title"]), reverse=True)
    assert await of(world, ids["globex"]) == [first["id"]]
    await review(world, slow, mergedIntoId=broken["id"])
    assert await of(world, ids["globex"]) == await of(world, ids["hooli"]) == [second["id"], first["id"]]


async def test_a_link_of_an_insight_to_an_account_moves_the_total_and_no_date(world: World, ids: Json) -> None:
    """Without a change of a signal: the total that was kept is another one."""
    await world.add(signals=[{"key": "call", "name": "Call"}])
    call = (await world.ids("signals"))["call"]
    insight = {"key": "slow", "title": "Slow", "signals": ["call"]}
    await world.add(insights=[insight])
    before = (await world.client.get(f"/signals/{call}")).json()
    assert await of(world, ids["globex"]) == []
    await world.add(insights=[insight | {"accounts": ["globex"]}])
    assert await of(world, ids["globex"]) == [call]
    await world.add(insights=[insight | {"accounts": ["hooli"]}])
    assert (await of(world, ids["globex"]), await of(world, ids["hooli"])) == ([], [call])
    assert (await world.client.get(f"/signals/{call}")).json() == before


async def test_each_link_of_a_signal_is_a_row_however_many_say_the_same(world: World) -> None:
    names = await accounts(world, *(f"a{n}" for n in range(9)))
    made = [await say(world, SLOW, name) for name in names]
    assert len(await of(world, names[0])) == len(made)
    async with world.database.autocommit() as tx:
        count = "SELECT count(*) FROM linked_signals WHERE workspace_id = $1"
        assert await tx.connection.fetchval(count, world.workspace_id) == 2 * len(made)


async def test_jobs_and_deletions_at_once_leave_each_account_its_signals(world: World, ids: Json) -> None:
    names = [*ids.values()]
    made = [await create(world, text=f"{SLOW}\n{OTHER}", accountIds=[names[n % 3]]) for n in range(12)]
    await asyncio.gather(
        *(process(world, one) for one in made),
        *(world.client.delete(f"/signals/{one['id']}") for one in made[::4]),
        *(world.client.patch(f"/signals/{one['id']}", json={"name": "Renamed"}) for one in made[1::4]),
    )
    left = [one["id"] for n, one in enumerate(made) if n % 4]
    assert [one["signalIds"] for one in await insights(world) if set(one["signalIds"]) != set(left)] == []
    for account in names:
        assert set(await of(world, account)) == set(left)
        assert set(await of(world, account, updatedSince="2000-01-01")) == set(left)


async def test_a_corrected_account_is_corrected_in_what_its_signal_says(world: World, ids: Json) -> None:
    wrong, right, other = ids["globex"], ids["hooli"], ids["initech"]
    signal, another = await say(world, SLOW, wrong), await say(world, SLOW, other)
    [before] = await insights(world)
    await world.client.patch(f"/signals/{signal['id']}", json={"accountIds": [right]})
    [after] = await insights(world)
    assert (after["accountIds"], after["accountCount"]) == ([other, right], 2)
    assert after["updatedAt"] > before["updatedAt"]
    assert await of(world, wrong) == []
    assert await of(world, right) == [another["id"], signal["id"]]
    await world.client.post(f"/signals/{signal['id']}/process")
    await process(world, signal)
    assert (await insights(world))[0]["accountIds"] == [other, right]


async def test_an_account_that_another_signal_has_stays_with_what_both_say(world: World, ids: Json) -> None:
    first, second = await say(world, SLOW, ids["globex"]), await say(world, SLOW, ids["globex"])
    [before] = await insights(world)
    await world.client.patch(f"/signals/{first['id']}", json={"accountIds": []})
    assert await insights(world) == [before]
    assert await of(world, ids["globex"]) == [second["id"], first["id"]]
