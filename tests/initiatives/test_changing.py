"""PATCH /initiatives/:id. Specification: Initiatives and teams; decisions: Initiatives."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest

from sightline.migrations import SQL
from tests.initiatives.conftest import Create, refused
from tests.world import World

AT = "/initiatives/INITIATIVE-1"
ALL_DAYS = {"startDate": "0001-01-01", "finishDate": "9999-12-31"}


async def test_sent_fields_change_and_omitted_fields_stay(acme: World, create: Create, teams: dict[str, str]) -> None:
    before = await create(description="Why", priority="HIGH")
    change = {
        "status": "IN_PROGRESS",
        "startDate": "2026-01-01",
        "finishDate": "2026-02-01",
        "teamIds": [teams["apps"]],
    }
    after = (await acme.client.patch(AT, json=change)).json()
    assert after["teams"] == [{"id": teams["apps"], "name": "Apps"}]
    assert after["updatedAt"] > before["updatedAt"]
    kept = ("id", "name", "description", "priority", "productId", "createdAt")
    assert [after[name] for name in kept] == [before[name] for name in kept]
    assert (after["status"], after["startDate"], after["finishDate"]) == ("IN_PROGRESS", "2026-01-01", "2026-02-01")


@pytest.mark.parametrize("body", [{}, {"name": " "}, {"name": None}, {"description": None}, {"status": None}])
async def test_an_empty_or_nulled_change_is_refused(acme: World, create: Create, body: dict[str, Any]) -> None:
    await create()
    refused(await acme.client.patch(AT, json=body), 400, "VALIDATION_FAILED")


@pytest.mark.parametrize(
    "body",
    [
        {"status": "DONE"},
        {"priority": None},
        {"teamIds": None},
        {"teamIds": []},
        {"startDate": "2026-1-1"},
        {"startDate": "2026-02-30"},
        {"finishDate": "2026-01-01T00:00:00Z"},
        {"description": "x" * 60_001},
        {"questions": []},
    ],
)
async def test_a_wrong_value_is_refused(acme: World, create: Create, body: dict[str, Any]) -> None:
    await create()
    refused(await acme.client.patch(AT, json=body), 400, "VALIDATION_FAILED")


async def test_product_and_dates_can_be_cleared(acme: World, create: Create) -> None:
    products = await acme.ids("products")
    await create(productId=products["app"])
    await acme.client.patch(AT, json={"startDate": "2026-01-01"})
    cleared = (await acme.client.patch(AT, json={"productId": None, "startDate": None})).json()
    assert (cleared["productId"], cleared["startDate"]) == (None, None)


async def test_dates_are_compared_with_the_stored_ones(acme: World, create: Create) -> None:
    await create()
    await acme.client.patch(AT, json={"startDate": "2026-05-01"})
    refused(await acme.client.patch(AT, json={"finishDate": "2026-04-30"}), 400, "VALIDATION_FAILED", "finishDate")
    assert (await acme.client.patch(AT, json={"finishDate": "2026-05-01"})).status_code == 200


async def test_the_first_and_the_last_day_of_all_come_back_as_they_were_sent(acme: World, create: Create) -> None:
    """Programs send the last one for no end; the driver alone would store it as infinity."""
    await create()
    changed = (await acme.client.patch(AT, json=ALL_DAYS)).json()
    assert changed.items() >= ALL_DAYS.items()
    assert (await acme.client.patch(AT, json=ALL_DAYS)).json() == changed, "no change"
    (listed,) = (await acme.client.get("/initiatives")).json()
    assert listed == (await acme.client.get(AT)).json() == changed


async def test_a_file_brings_the_first_and_the_last_day_of_all(acme: World) -> None:
    for name in ("New", "Changed"):
        await acme.add(initiatives=[{"key": "far", "name": name, **ALL_DAYS}])
        assert (await acme.client.get(AT)).json().items() >= ({"name": name} | ALL_DAYS).items()


async def test_the_migration_shows_days_that_were_stored_as_infinity(acme: World, create: Create) -> None:
    before, other = await create(), await create()
    async with acme.database.transaction() as tx:
        set_days = "UPDATE initiatives SET start_date = '-infinity', finish_date = 'infinity' WHERE id = $1"
        await tx.connection.execute(set_days, before["id"])
    hidden = await acme.client.get(AT)
    assert hidden.json() == before
    async with acme.database.transaction() as tx:
        await tx.connection.execute((SQL / "0033" / "02_last_days.sql").read_text())
    after = await acme.client.get(AT)
    assert after.json() == before | ALL_DAYS | {"updatedAt": after.json()["updatedAt"]}
    assert after.json()["updatedAt"] > before["updatedAt"]
    assert after.headers["ETag"] != hidden.headers["ETag"]
    assert (await acme.client.get("/initiatives/INITIATIVE-2")).json() == other


async def test_an_unchanged_initiative_keeps_its_date(acme: World, create: Create, teams: dict[str, str]) -> None:
    before = await create()
    same = {"name": " Exports ", "status": "PENDING", "teamIds": [teams["core"]]}
    assert (await acme.client.patch(AT, json=same)).json() == before


async def test_teams_and_product_have_to_be_of_the_workspace(
    acme: World, create: Create, teams: dict[str, str]
) -> None:
    await create()
    for ids in ([str(uuid4())], [teams["core"], teams["core"]]):
        refused(await acme.client.patch(AT, json={"teamIds": ids}), 400, "VALIDATION_FAILED", "teamIds")
    refused(await acme.client.patch(AT, json={"productId": str(uuid4())}), 404, "NOT_FOUND", "productId")


async def test_a_product_that_conflicts_with_features_is_refused(acme: World) -> None:
    products = await acme.ids("products")
    await acme.add(initiatives=[{"key": "one", "name": "One", "product": "app", "features": ["export"], "number": 1}])
    refused(await acme.client.patch(AT, json={"productId": products["web"]}), 400, "PRODUCT_CONFLICT")
    assert (await acme.client.patch(AT, json={"productId": products["app"]})).status_code == 200


async def test_reactivating_meets_the_active_limit_and_changes_nothing(acme: World, create: Create) -> None:
    await create()
    await acme.client.patch(AT, json={"status": "COMPLETED"})
    await create()
    await acme.add({"plan": {"activeInitiativeLimit": 1}})
    before = (await acme.client.get(AT)).json()
    problem = refused(await acme.client.patch(AT, json={"status": "PLANNED", "name": "X"}), 402, "PLAN_LIMIT_EXCEEDED")
    assert (problem["used"], problem["limit"]) == (1, 1)
    assert (await acme.client.get(AT)).json() == before
    other = await acme.client.patch("/initiatives/INITIATIVE-2", json={"status": "IN_PROGRESS"})
    assert (other.status_code, other.json()["status"]) == (200, "IN_PROGRESS")
    assert (await acme.client.patch(AT, json={"status": "ARCHIVED"})).status_code == 200


async def test_the_active_limit_holds_against_32_reactivations(acme: World) -> None:
    ended = [{"key": f"i{n}", "name": f"I {n}", "status": "ARCHIVED"} for n in range(32)]
    await acme.add({"plan": {"activeInitiativeLimit": 5}}, initiatives=ended)
    ids = await acme.ids("initiatives")
    changes = (acme.client.patch(f"/initiatives/{id}", json={"status": "PLANNED"}) for id in ids.values())
    answers = await asyncio.gather(*changes)
    assert sorted(answer.status_code for answer in answers) == [200] * 5 + [402] * 27


async def test_an_unknown_initiative_is_not_found(acme: World) -> None:
    for ref in (uuid4(), "INITIATIVE-99", "IDEA-1"):
        refused(await acme.client.patch(f"/initiatives/{ref}", json={"name": "X"}), 404, "NOT_FOUND")


async def test_if_match_holds_a_change_to_the_version_that_was_seen(acme: World, create: Create) -> None:
    await create()
    tag = (await acme.client.get(AT)).headers["ETag"]
    await acme.client.patch(AT, json={"name": "First"})
    late = await acme.client.patch(AT, json={"name": "Second"}, headers={"If-Match": tag})
    refused(late, 412, "PRECONDITION_FAILED")
