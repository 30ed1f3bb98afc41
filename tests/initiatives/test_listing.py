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


async def test_equal_updates_are_told_apart_by_number(acme: World) -> None:
    at = {"createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-01T00:00:00Z"}
    await acme.add(initiatives=[{"key": f"k{n}", "name": f"I {n}", **at} for n in range(3)])
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
