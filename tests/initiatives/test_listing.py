"""GET /initiatives, GET /initiatives/:id, GET /teams. Specification: Initiatives and teams."""

import pytest

from tests.initiatives.conftest import Create, refused
from tests.world import World


async def names(acme: World, query: str = "") -> list[str]:
    answer = await acme.client.get(f"/initiatives?{query}")
    assert answer.status_code == 200, answer.text
    return [each["name"] for each in answer.json()]


async def test_the_latest_update_comes_first(acme: World, create: Create) -> None:
    for name in ("One", "Two", "Three"):
        await create(name=name)
    await acme.client.patch("/initiatives/INITIATIVE-1", json={"name": "Uno"})
    assert await names(acme) == ["Uno", "Three", "Two"]


async def test_equal_updates_are_ordered_by_number(acme: World) -> None:
    at = {"createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-01T00:00:00Z"}
    await acme.add_earlier(initiatives=[{"key": f"k{n}", "name": f"I {n}", **at} for n in range(3)])
    assert await names(acme) == ["I 2", "I 1", "I 0"]


async def test_filters_hold_together(acme: World, create: Create, teams: dict[str, str]) -> None:
    products = await acme.ids("products")
    await create(name="Exports", productId=products["app"], teamIds=[teams["core"], teams["apps"]])
    await create(name="Imports", productId=products["app"])
    await create(name="Pages", productId=products["web"], teamIds=[teams["apps"]])
    await acme.client.patch("/initiatives/INITIATIVE-2", json={"status": "PLANNED"})
    assert await names(acme, f"productId={products['app']}") == ["Imports", "Exports"]
    assert await names(acme, f"teamId={teams['apps']}") == ["Pages", "Exports"]
    assert await names(acme, f"teamId={teams['core']}&status=PLANNED") == ["Imports"]
    assert await names(acme, "q=exports") == ["Exports"]
    assert await names(acme, "updatedSince=2020-01-01") == ["Exports", "Pages", "Imports"]


async def test_words_are_found_whatever_sign_stands_between_them(acme: World, create: Create) -> None:
    await create(name="CSV/Excel over TLS-1.3", description="See https://docs.test/faq_old.")
    for q in ("excel", "CSV/Excel", "1.3", "tls-1.3", "docs.test", "old"):
        assert await names(acme, f"q={q}") == ["CSV/Excel over TLS-1.3"]


async def test_a_text_of_many_words_without_spaces_is_saved(create: Create) -> None:
    """Which PostgreSQL would read as one word, for longer than a request may take."""
    await create(name="Signs", description="_x" * 29_000)


@pytest.mark.parametrize("query", ["status=planned", "teamId=x", "productId=1", "limit=0", "limit=101", "offset=-1"])
async def test_a_wrong_parameter_is_refused(acme: World, query: str) -> None:
    refused(await acme.client.get(f"/initiatives?{query}"), 400, "VALIDATION_FAILED", query.split("=")[0])


async def test_an_unknown_team_gives_an_empty_page(acme: World, create: Create) -> None:
    await create()
    answer = await acme.client.get(f"/initiatives?teamId={acme.workspace_id}")
    assert (answer.status_code, answer.json(), answer.headers["X-Total-Count"]) == (200, [], "0")


async def test_both_references_name_an_initiative(acme: World, create: Create) -> None:
    made = await create()
    for ref in (made["id"], made["id"].upper(), "initiative-1", "INITIATIVE-1"):
        assert (await acme.client.get(f"/initiatives/{ref}")).json() == made


async def test_teams_are_listed_by_name(acme: World, teams: dict[str, str]) -> None:
    answer = await acme.client.get("/teams?limit=1")
    assert answer.json() == [{"id": teams["apps"], "name": "Apps"}]
    assert (answer.headers["X-Total-Count"], answer.headers["X-Has-More"]) == ("2", "true")
    refused(await acme.client.get("/teams?limit=101"), 400, "VALIDATION_FAILED", "limit")


async def test_the_total_counts_what_the_filters_leave_and_an_offset_past_the_end_gives_nothing(
    acme: World, teams: dict[str, str]
) -> None:
    made = [{"key": f"k{n}", "name": f"Export {n}", "teams": [("core", "apps")[n % 2]]} for n in range(7)]
    await acme.add(initiatives=made)
    queries = {"": 7, f"teamId={teams['core']}": 4, "q=export": 7, "q=export 3": 1, "status=PLANNED": 0}
    for query, total in queries.items():
        for offset in (0, 5, 2**31 - 1):
            answer = await acme.client.get(f"/initiatives?limit=2&offset={offset}&{query}")
            assert answer.headers["X-Total-Count"] == str(total)
            assert len(answer.json()) == max(0, min(2, total - offset))
            assert answer.headers["X-Has-More"] == ("true" if offset + 2 < total else "false")


@pytest.mark.parametrize("query", ["", "updatedSince=2020-01-01", "q=export"])
async def test_pages_hold_every_initiative_once_also_where_all_were_updated_at_one_moment(
    acme: World, query: str
) -> None:
    at = {"createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-01T00:00:00Z"}
    await acme.add_earlier(initiatives=[{"key": f"k{n}", "name": f"Export {n}", **at} for n in range(7)])
    whole = (await acme.client.get(f"/initiatives?{query}")).json()
    parts = [await acme.client.get(f"/initiatives?limit=3&offset={offset}&{query}") for offset in (0, 3, 6)]
    assert [each for part in parts for each in part.json()] == whole
    assert len({each["id"] for each in whole}) == 7


async def test_teams_products_and_initiatives_of_another_workspace_are_unknown(
    acme: World, create: Create, teams: dict[str, str]
) -> None:
    mine = await create(productId=(await acme.ids("products"))["app"])
    async with acme.stranger() as stranger:
        await stranger.add(teams=[{"key": "core", "name": "Theirs"}])
        theirs = (await stranger.ids("teams"))["core"]
        body = {"clientRequestId": theirs, "name": "Ours", "teamIds": [teams["core"]]}
        refused(await stranger.client.post("/initiatives", json=body), 400, "VALIDATION_FAILED", "teamIds")
        body = {**body, "teamIds": [theirs], "productId": mine["productId"]}
        refused(await stranger.client.post("/initiatives", json=body), 404, "NOT_FOUND", "productId")
        for query in (f"teamId={teams['core']}", f"productId={mine['productId']}", "q=exports"):
            assert (await stranger.client.get(f"/initiatives?{query}")).headers["X-Total-Count"] == "0"
        unknown = await stranger.client.get(f"/initiatives/{stranger.workspace_id}")
        foreign = await stranger.client.get(f"/initiatives/{mine['id']}")
        assert {**foreign.json(), "requestId": 0} == {**unknown.json(), "requestId": 0}
        refused(await stranger.client.patch(f"/initiatives/{mine['id']}", json={"name": "X"}), 404, "NOT_FOUND")


async def test_an_initiative_that_did_not_change_is_not_sent_again(acme: World, create: Create) -> None:
    made = await create()
    seen = {"If-None-Match": (await acme.client.get("/initiatives/INITIATIVE-1")).headers["ETag"]}
    for ref in ("INITIATIVE-1", made["id"].upper()):
        assert (await acme.client.get(f"/initiatives/{ref}", headers=seen)).status_code == 304
        head = await acme.client.head(f"/initiatives/{ref}")
        assert (head.status_code, head.content, head.headers["ETag"]) == (200, b"", seen["If-None-Match"])
    await acme.client.patch("/initiatives/INITIATIVE-1", json={"priority": "LOW"})
    assert (await acme.client.get("/initiatives/INITIATIVE-1", headers=seen)).status_code == 200


async def test_a_hundred_teams_are_taken_and_shown_in_their_order_and_one_more_is_not(
    acme: World, create: Create
) -> None:
    await acme.add(teams=[{"key": f"t{n:03}", "name": f"Team {n:03}"} for n in range(99)])
    ids = sorted((await acme.ids("teams")).values())
    assert len(ids) == 101
    made = await create(teamIds=ids[:100])
    assert [team["id"] for team in made["teams"]] == ids[:100]
    refused(await acme.client.patch("/initiatives/INITIATIVE-1", json={"teamIds": ids}), 400, "VALIDATION_FAILED", None)
    after = (await acme.client.patch("/initiatives/INITIATIVE-1", json={"teamIds": ids[1:]})).json()
    assert {team["id"] for team in after["teams"]} == set(ids[1:])
