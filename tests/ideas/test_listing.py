"""GET /ideas: order, pages and totals."""

from typing import Any

from tests.ideas.acme import Acme, refused

LARGEST_OFFSET = 2**31 - 1


def imported(count: int, **fields: Any) -> list[dict[str, Any]]:
    """Ideas of a workspace file; without a date in `fields` each is a day younger than the one before."""
    return [
        {
            "key": f"idea-{n}",
            "name": f"Idea {n}",
            "description": f"The idea with the number {n}.",
            "createdAt": f"2021-{1 + n // 28:02}-{1 + n % 28:02}T00:00:00.000Z",
            **fields,
        }
        for n in range(count)
    ]


def paging(answer: Any) -> tuple[str, ...]:
    return tuple(answer.headers[f"x-{name}"] for name in ("total-count", "limit", "offset", "has-more"))


async def test_an_empty_list_says_so(acme: Acme) -> None:
    answer = await acme.client.get("/ideas")
    assert (answer.status_code, answer.json(), paging(answer)) == (200, [], ("0", "20", "0", "false"))


async def test_the_newest_idea_comes_first(acme: Acme) -> None:
    first, second, third = [await acme.create() for _ in range(3)]
    assert [idea["id"] for idea in await acme.list()] == [third["id"], second["id"], first["id"]]


async def test_the_date_of_creation_decides_and_not_the_number(acme: Acme) -> None:
    days = ["2021-02-02", "2021-02-03", "2021-02-01"]
    ideas = imported(3)
    for idea, day in zip(ideas, days, strict=True):
        idea["createdAt"] = f"{day}T00:00:00.000Z"
    await acme.world.add(ideas=ideas)
    assert [idea["name"] for idea in await acme.list()] == ["Idea 1", "Idea 0", "Idea 2"]


async def test_among_ideas_of_the_same_time_the_higher_number_comes_first(acme: Acme) -> None:
    numbers = [7, 30, 4, 21]
    ideas = imported(4, createdAt="2021-02-02T00:00:00.000Z")
    await acme.world.add(ideas=[{**idea, "number": number} for idea, number in zip(ideas, numbers, strict=True)])
    assert [idea["publicId"] for idea in await acme.list()] == ["IDEA-30", "IDEA-21", "IDEA-7", "IDEA-4"]


async def test_an_update_does_not_move_an_idea(acme: Acme) -> None:
    first = await acme.create(sourceKey="desk", externalId="1")
    second = await acme.create()
    await acme.create(sourceKey="desk", externalId="1", name="Renamed")
    assert [idea["id"] for idea in await acme.list()] == [second["id"], first["id"]]


async def test_twenty_are_shown_unless_more_are_requested(acme: Acme) -> None:
    await acme.world.add(ideas=imported(23))
    answer = await acme.client.get("/ideas")
    assert (len(answer.json()), paging(answer)) == (20, ("23", "20", "0", "true"))
    answer = await acme.client.get("/ideas?limit=23")
    assert (len(answer.json()), paging(answer)) == (23, ("23", "23", "0", "false"))


async def test_at_most_a_hundred_are_shown(acme: Acme) -> None:
    await acme.world.add(ideas=imported(101))
    for limit in ["100", "101", "1000", "9999999999", "0101"]:
        answer = await acme.client.get("/ideas", params={"limit": limit})
        assert (len(answer.json()), paging(answer)) == (100, ("101", "100", "0", "true"))


async def test_the_offset_skips(acme: Acme) -> None:
    await acme.world.add(ideas=imported(5))
    answer = await acme.client.get("/ideas?limit=2&offset=2")
    assert [idea["name"] for idea in answer.json()] == ["Idea 2", "Idea 1"]
    assert paging(answer) == ("5", "2", "2", "true")
    answer = await acme.client.get("/ideas?limit=2&offset=3")
    assert [idea["name"] for idea in answer.json()] == ["Idea 1", "Idea 0"]
    assert paging(answer) == ("5", "2", "3", "false")


async def test_a_page_beyond_the_end_is_empty_and_has_the_total(acme: Acme) -> None:
    await acme.world.add(ideas=imported(5, sourceKey=None, createdSource="app"))
    for offset in [5, 6, LARGEST_OFFSET]:
        for query in ({}, {"q": "idea"}):
            answer = await acme.client.get("/ideas", params={"offset": offset, **query})
            assert (answer.json(), paging(answer)) == ([], ("5", "20", str(offset), "false"))


async def test_a_limit_is_a_whole_number_from_one(acme: Acme) -> None:
    for wrong in ["", "0", "00", "-1", "+5", "1.0", "1_0", "1e1", " 5", "5 ", "five", "\u0665", "0x5"]:
        refused(await acme.client.get("/ideas", params={"limit": wrong}), 400, "VALIDATION_FAILED", "limit")


async def test_an_offset_is_a_whole_number(acme: Acme) -> None:
    for wrong in ["", "-1", "+5", "1.0", "1_0", " 5", "five", "\u0665", str(LARGEST_OFFSET + 1), "9" * 5000]:
        refused(await acme.client.get("/ideas", params={"offset": wrong}), 400, "VALIDATION_FAILED", "offset")


async def test_wrong_limit_and_offset_are_named_together(acme: Acme) -> None:
    problem = refused(await acme.client.get("/ideas?limit=0&offset=x&include=raw"), 400, "VALIDATION_FAILED")
    assert {fault["path"] for fault in problem["errors"]} == {"limit", "offset", "include"}


async def test_the_list_has_only_ideas_of_the_workspace(acme: Acme) -> None:
    ours = await acme.create(sourceKey="desk", externalId="1")
    async with acme.world.stranger() as stranger:
        body = {"description": "Theirs", "sourceKey": "desk", "externalId": "1"}
        theirs = (await stranger.client.post("/ideas", json=body)).json()
        for query in ("", "?sourceKey=desk&externalId=1", "?q=theirs", "?updatedSince=2000-01-01"):
            answer = await stranger.client.get(f"/ideas{query}")
            assert ([idea["id"] for idea in answer.json()], paging(answer)[0]) == ([theirs["id"]], "1")
        assert [idea["id"] for idea in await acme.list()] == [ours["id"]]


async def test_the_total_counts_file_and_api_alike(acme: Acme) -> None:
    await acme.world.add(ideas=imported(3))
    for _ in range(2):
        await acme.create()
    assert await acme.total() == 5


async def test_an_update_by_identity_is_not_counted_again(acme: Acme) -> None:
    for _ in range(3):
        await acme.create(sourceKey="desk", externalId="1")
    assert await acme.total() == await acme.total(sourceKey="desk") == 1


async def test_a_list_shows_what_the_detail_shows(acme: Acme) -> None:
    for n in range(3):
        await acme.create(
            sourceKey=f"desk-{n}",
            productId=acme.products["app"],
            insightIds=list(acme.insights.values())[:n],
            accountIds=list(acme.accounts.values())[n:],
            classifications=[{"groupKey": "theme", "optionValues": ["speed", "trust"][:n]}],
        )
    for query in ({}, {"include": "classifications"}):
        assert await acme.list(**query) == [await acme.read(idea, **query) for idea in await acme.list()]


async def test_the_next_page_is_linked(acme: Acme) -> None:
    await acme.world.add(ideas=imported(3, externalId="a b"))
    answer = await acme.client.get("/ideas", params={"externalId": "a b", "limit": 2})
    following = await acme.client.get(answer.links["next"]["url"])
    assert [idea["name"] for idea in following.json()] == ["Idea 0"]
    assert "next" not in following.links
