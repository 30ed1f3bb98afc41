"""GET /opportunities and /opportunities/:id."""

from typing import Any

from tests.world import World

OPPORTUNITIES: list[dict[str, Any]] = [
    {
        "key": "retention",
        "name": "Retention",
        "description": "Who leaves, leaves early.",
        "createdAt": "2026-01-02T03:04:05.678Z",
        "updatedAt": "2026-02-03",
    },
    {"key": "reach", "name": "Reach", "createdAt": "2026-01-03", "updatedAt": "2026-02-03"},
    {"key": "price", "name": "Price", "createdAt": "2026-01-03", "updatedAt": "2026-02-02"},
]


def idea(key: str, *opportunities: str) -> dict[str, Any]:
    return {"key": key, "name": key, "description": key, "opportunities": list(opportunities)}


async def test_an_opportunity_is_shown_with_the_ideas_that_address_it(world: World) -> None:
    both = [idea("one", "retention", "reach"), idea("two", "retention")]
    await world.add_earlier(opportunities=OPPORTUNITIES, ideas=both)
    opportunity, ideas = (await world.ids("opportunities"))["retention"], await world.ids("ideas")
    answer = await world.client.get(f"/opportunities/{opportunity}")
    assert sorted(answer.json()["ideaIds"]) == sorted(ideas.values())
    assert answer.json() == {
        "id": opportunity,
        "name": "Retention",
        "description": "Who leaves, leaves early.",
        "ideaIds": answer.json()["ideaIds"],
        "createdAt": "2026-01-02T03:04:05.678Z",
        "updatedAt": "2026-02-03T00:00:00.000Z",
    }
    assert answer.json() in (await world.client.get("/opportunities")).json()


async def test_another_idea_is_another_version(world: World) -> None:
    await world.add_earlier(opportunities=OPPORTUNITIES)
    path = f"/opportunities/{(await world.ids('opportunities'))['reach']}"
    tags = [(await world.client.get(path)).headers["etag"]]
    for lists in (
        {"ideas": [idea("one", "reach")]},
        {"ideas": [idea("one", "price")]},
        {"ideas": [idea("two", "reach")]},
        {"opportunities": [{"key": "reach", "name": "Far reach"}]},
    ):
        await world.add(**lists)
        assert (await world.client.get(path, headers={"If-None-Match": tags[-1]})).status_code == 200
        tags.append((await world.client.get(path)).headers["etag"])
        assert (await world.client.get(path, headers={"If-None-Match": tags[-1]})).status_code == 304


async def test_opportunities_are_listed_newest_first_or_oldest_change_first(world: World) -> None:
    await world.add_earlier(opportunities=OPPORTUNITIES)
    ids = await world.ids("opportunities")

    async def listed(**query: str) -> list[str]:
        answer = await world.client.get("/opportunities", params=query)
        assert answer.headers["x-total-count"] == str(len(answer.json()))
        return [opportunity["id"] for opportunity in answer.json()]

    newest = [*sorted([ids["reach"], ids["price"]], reverse=True), ids["retention"]]
    latest = sorted([ids["reach"], ids["retention"]])
    assert await listed() == newest
    assert await listed(updatedSince="2026-02-01") == [ids["price"], *latest]
    assert await listed(updatedSince="2026-02-03") == latest
    last = await world.client.get("/opportunities", params={"limit": 2, "offset": 2})
    assert [one["id"] for one in last.json()] == newest[2:]


async def test_opportunities_are_read_with_their_own_scope_in_their_own_workspace(world: World) -> None:
    await world.add_earlier(opportunities=OPPORTUNITIES)
    path = f"/opportunities/{(await world.ids('opportunities'))['reach']}"
    for scopes, status in ((("opportunities:read",), 200), (("insights:read", "ideas:read"), 403)):
        client = await world.client_with(*scopes)
        assert {(await client.get(each)).status_code for each in (path, "/opportunities")} == {status}
    async with world.stranger() as stranger:
        assert (await stranger.client.get(path)).status_code == 404
        assert (await stranger.client.get("/opportunities")).json() == []
