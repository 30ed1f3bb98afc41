"""PATCH /insights/:id with mergedIntoId: one insight stands for another, and gathers what that one had."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from random import Random
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
import pytest_asyncio

from tests.waiting import until_blocked
from tests.world import World

Json = dict[str, Any]
DAY = "2026-01-02T00:00:00.000Z"
QUOTE = {"text": "It never ends.", "signal": "call"}
ARRAYS = """
SELECT count(*) FROM insights AS i
 WHERE i.workspace_id = $1
   AND (i.signal_ids IS DISTINCT FROM ARRAY(SELECT signal_id FROM insight_signals AS l WHERE l.workspace_id = $1
                                             AND l.insight_id = i.id ORDER BY link)
     OR i.account_ids IS DISTINCT FROM ARRAY(SELECT account_id FROM insight_accounts AS l WHERE l.workspace_id = $1
                                              AND l.insight_id = i.id ORDER BY link))"""
MERGED = """
SELECT count(*) FILTER (WHERE i.review_state = 'merged') AS merged,
       count(*) FILTER (WHERE target.merged_into IS NOT NULL) AS chained
  FROM insights AS i LEFT JOIN insights AS target ON (target.workspace_id, target.id) = (i.workspace_id, i.merged_into)
 WHERE i.workspace_id = $1"""


def insight(key: str, **fields: Any) -> Json:
    return {"key": key, "title": key.title(), "category": "problem", "createdAt": DAY, **fields}


@pytest_asyncio.fixture
async def ids(world: World) -> dict[str, str]:
    """Insights that overlap in what they rest on; an idea was inspired by one of them."""
    await world.add(
        accounts=[{"key": key, "name": key} for key in ("globex", "hooli")],
        signals=[{"key": key, "name": key} for key in ("call", "mail", "chat")],
        insights=[
            insight("slow", signals=["call", "mail"], accounts=["globex"], extracts=[QUOTE, {"text": "Hm."}]),
            insight("hang", signals=["mail", "chat"], accounts=["hooli", "globex"], extracts=[QUOTE]),
            insight("bare"),
        ],
        ideas=[{"key": "fast", "name": "Fast", "description": "Fast exports.", "insights": ["slow"]}],
    )
    return await world.ids("insights")


async def read(world: World, id: str) -> Json:
    found: Json = (await world.client.get(f"/insights/{id}")).json()
    return found


async def merge(world: World, id: str, target: str, **headers: str) -> httpx2.Response:
    return await world.client.patch(f"/insights/{id}", json={"mergedIntoId": target}, headers=headers)


async def row(world: World, statement: str) -> list[Any]:
    async with world.database.autocommit() as tx:
        return list(await tx.connection.fetchrow(statement, world.workspace_id) or ())


async def test_the_target_gathers_signals_accounts_and_quotes(world: World, ids: dict[str, str]) -> None:
    before, signals, accounts = await read(world, ids["hang"]), await world.ids("signals"), await world.ids("accounts")
    answer = await merge(world, ids["slow"], ids["hang"])
    assert answer.status_code == 200
    shown = [answer.json()[name] for name in ("title", "reviewState", "mergedIntoId", "signalIds", "accountIds")]
    assert shown == ["Slow", "merged", ids["hang"], [], []]
    assert [extract["text"] for extract in answer.json()["extracts"]] == ["It never ends.", "Hm."]
    target = await read(world, ids["hang"])
    assert set(target["signalIds"]) == set(signals.values())
    assert set(target["accountIds"]) == set(accounts.values())
    assert [extract["text"] for extract in target["extracts"]] == ["It never ends.", "Hm."]
    kept = {name: target[name] for name in ("id", "title", "category", "reviewState", "createdAt", "mergedIntoId")}
    assert kept == {name: before[name] for name in kept}
    assert target["updatedAt"] == answer.json()["updatedAt"] > before["updatedAt"]


async def test_signals_name_only_the_target_and_ideas_keep_their_links(world: World, ids: dict[str, str]) -> None:
    await merge(world, ids["slow"], ids["hang"])
    for signal in (await world.client.get("/signals")).json():
        assert signal["insightIds"] == [ids["hang"]]
    (idea,) = (await world.client.get("/ideas")).json()
    assert idea["insightIds"] == [ids["slow"]]
    account = (await world.ids("accounts"))["globex"]
    (found,) = (await world.client.get("/insights", params={"accountId": account})).json()
    assert found["id"] == ids["hang"]
    assert len((await world.client.get("/signals", params={"accountId": account})).json()) == 3


async def test_an_insight_without_anything_adds_nothing(world: World, ids: dict[str, str]) -> None:
    before = await read(world, ids["slow"])
    assert (await merge(world, ids["bare"], ids["slow"])).status_code == 200
    after = await read(world, ids["slow"])
    assert after == {**before, "updatedAt": after["updatedAt"]}


async def test_each_merge_leaves_a_line_for_both(world: World, ids: dict[str, str]) -> None:
    await merge(world, ids["slow"], ids["hang"])
    async with world.database.autocommit() as tx:
        rows = await tx.connection.fetch(
            "SELECT record_id, action, detail::text FROM changes WHERE workspace_id = $1 AND actor_kind = 'key'",
            world.workspace_id,
        )
    assert {(str(row[0]), row[1]): httpx2.Response(200, text=row[2]).json() for row in rows} == {
        (ids["slow"], "merged"): {"into": ids["hang"]},
        (ids["hang"], "updated"): {"fields": ["extracts", "signals", "accounts"]},
    }


async def test_what_was_merged_into_the_merged_follows(world: World, ids: dict[str, str]) -> None:
    await merge(world, ids["slow"], ids["hang"])
    tag = (await world.client.get(f"/insights/{ids['slow']}")).headers["etag"]
    assert (await merge(world, ids["hang"], ids["bare"])).status_code == 200
    assert [(await read(world, ids[key]))["mergedIntoId"] for key in ("slow", "hang")] == [ids["bare"]] * 2
    assert (await world.client.get(f"/insights/{ids['slow']}")).headers["etag"] != tag
    assert len((await read(world, ids["bare"]))["signalIds"]) == 3


async def test_only_another_unmerged_insight_of_the_workspace_can_be_the_target(
    world: World, ids: dict[str, str]
) -> None:
    await merge(world, ids["bare"], ids["hang"])
    async with world.stranger() as stranger:
        await stranger.add(insights=[insight("theirs")])
        foreign = (await stranger.ids("insights"))["theirs"]
        for target in (ids["slow"], ids["slow"].upper(), ids["bare"], foreign, str(uuid4())):
            answer = await merge(world, ids["slow"], target)
            refused = answer.status_code, answer.json()["code"], answer.json()["field"]
            assert refused == (400, "VALIDATION_FAILED", "mergedIntoId")
    assert (await read(world, ids["slow"]))["reviewState"] == "unreviewed"


async def test_a_merge_comes_alone(world: World, ids: dict[str, str]) -> None:
    for field in ({"title": "Slow"}, {"reviewState": "accepted"}):
        body = {"mergedIntoId": ids["hang"], **field}
        answer = await world.client.patch(f"/insights/{ids['slow']}", json=body)
        assert (answer.status_code, answer.json()["field"]) == (400, "mergedIntoId")


async def test_a_merged_insight_is_no_longer_changed(world: World, ids: dict[str, str]) -> None:
    await merge(world, ids["slow"], ids["hang"])
    for body in ({"title": "Slower"}, {"reviewState": "unreviewed"}, {"mergedIntoId": ids["bare"]}):
        answer = await world.client.patch(f"/insights/{ids['slow']}", json=body)
        refused = answer.status_code, answer.json()["code"], answer.json()["mergedIntoId"]
        assert refused == (409, "INSIGHT_MERGED", ids["hang"])


async def test_a_repeated_merge_changes_nothing(world: World, ids: dict[str, str]) -> None:
    first, second = [await merge(world, ids["slow"], ids["hang"]) for _ in range(2)]
    assert (second.status_code, second.json(), second.headers["etag"]) == (200, first.json(), first.headers["etag"])


async def test_only_the_version_that_if_match_names_is_merged(world: World, ids: dict[str, str]) -> None:
    tag = (await world.client.get(f"/insights/{ids['slow']}")).headers["etag"]
    await world.client.patch(f"/insights/{ids['slow']}", json={"title": "Slower"})
    assert (await merge(world, ids["slow"], ids["hang"], **{"If-Match": tag})).status_code == 412
    tag = (await world.client.get(f"/insights/{ids['slow']}")).headers["etag"]
    assert (await merge(world, ids["slow"], ids["hang"], **{"If-Match": tag})).status_code == 200


@pytest.mark.parametrize("turn", range(6))
async def test_of_two_that_are_merged_into_each_other_one_stays(world: World, ids: dict[str, str], turn: int) -> None:
    pair = [(ids["slow"], ids["hang"]), (ids["hang"], ids["slow"])]
    answers = await asyncio.gather(*(merge(world, *each) for each in (pair if turn % 2 else pair[::-1])))
    assert sorted(answer.status_code for answer in answers) == [200, 400]
    assert await row(world, MERGED) == [1, 0]
    states = {(await read(world, ids[key]))["reviewState"] for key in ("slow", "hang")}
    assert states == {"merged", "unreviewed"}


async def repeated(send: Callable[[], Awaitable[httpx2.Response]]) -> httpx2.Response:
    """The answer, after repeating what is refused while more requests wait for locks than there are connections."""
    answer = await send()
    while answer.status_code == 503:
        await asyncio.sleep(int(answer.headers["retry-after"]))
        answer = await send()
    return answer


async def test_concurrent_merges_end_without_chains_and_lose_nothing(world: World) -> None:
    await world.add(
        signals=[{"key": f"s{n}", "name": f"S{n}"} for n in range(12)],
        accounts=[{"key": f"a{n}", "name": f"A{n}"} for n in range(4)],
        insights=[insight(f"i{n}", signals=[f"s{n}", "s0"], accounts=[f"a{n % 4}"]) for n in range(12)],
    )
    ids, dice = list((await world.ids("insights")).values()), Random(7)
    pairs = [dice.sample(ids, 2) for _ in range(24)]
    answers = await asyncio.gather(
        *(repeated(partial(merge, world, *pair)) for pair in pairs),
        *(repeated(partial(world.client.patch, f"/insights/{id}", json={"title": "Renamed"})) for id in ids),
        world.add(insights=[{"key": f"i{n}", "signals": [f"s{n}", "s0"]} for n in range(12)]),
    )
    assert {answer.status_code for answer in answers[:-1]} <= {200, 400, 409}
    merged, chained = await row(world, MERGED)
    assert merged > 3
    assert (chained, await row(world, ARRAYS)) == (0, [0])
    for signal in (await world.client.get("/signals", params={"limit": 100})).json():
        assert signal["insightIds"]


async def test_a_target_removed_during_the_merge_is_refused(world: World, ids: dict[str, str]) -> None:
    async with world.database.transaction() as tx:
        await tx.connection.execute(
            "DELETE FROM insights WHERE workspace_id = $1 AND id = $2", world.workspace_id, UUID(ids["bare"])
        )
        merging = asyncio.create_task(merge(world, ids["slow"], ids["bare"]))
        await until_blocked(world.database)
    answer = await merging
    assert (answer.status_code, answer.json()["field"]) == (400, "mergedIntoId")
