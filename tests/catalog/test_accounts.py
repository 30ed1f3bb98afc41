"""GET /accounts and /accounts/:id: the customers, and their people."""

from typing import Any

import pytest

from tests.catalog.conftest import Listed
from tests.waiting import next_moment
from tests.world import World

GLOBEX = {
    "key": "globex",
    "name": "Globex Corporation",
    "externalId": "crm-7",
    "domain": "Globex.test",
    "createdAt": "2026-01-02T03:04:05.678Z",
    "updatedAt": "2026-02-03T00:00:00Z",
    "contacts": [{"email": "hank@globex.test", "name": "Hank"}, {"email": "carl@globex.test"}],
}
INITECH = {"key": "initech", "name": "Initech", "createdAt": "2026-01-03", "updatedAt": "2026-02-02"}
HOOLI = {"key": "hooli", "name": "Hooli", "domain": "hooli.test", "createdAt": "2026-01-03", "updatedAt": "2026-02-03"}


@pytest.fixture(autouse=True)
async def customers(world: World) -> None:
    await world.add_earlier(accounts=[GLOBEX, INITECH, HOOLI])


async def named(listed: Listed, **query: Any) -> list[str]:
    return [account["name"].split()[0] for account in await listed("/accounts", **query)]


async def test_an_account_is_shown_with_its_contacts(world: World) -> None:
    id = (await world.ids("accounts"))["globex"]
    assert (await world.client.get(f"/accounts/{id}")).json() == {
        "id": id,
        "name": "Globex Corporation",
        "externalId": "crm-7",
        "domain": "Globex.test",
        "createdAt": "2026-01-02T03:04:05.678Z",
        "updatedAt": "2026-02-03T00:00:00.000Z",
        "contacts": [{"name": "Hank", "email": "hank@globex.test"}, {"name": "", "email": "carl@globex.test"}],
    }
    initech = await world.client.get(f"/accounts/{(await world.ids('accounts'))['initech']}")
    assert [initech.json()[name] for name in ("externalId", "domain", "contacts")] == [None, None, []]


async def test_people_are_not_listed(world: World, listed: Listed) -> None:
    id = (await world.ids("accounts"))["globex"]
    shown = (await world.client.get(f"/accounts/{id}")).json()
    del shown["contacts"]
    assert (await listed("/accounts"))[-1] == shown


async def test_accounts_are_listed_newest_first(world: World, listed: Listed) -> None:
    ids = await world.ids("accounts")
    order = [*sorted([ids["initech"], ids["hooli"]], reverse=True), ids["globex"]]
    assert [account["id"] for account in await listed("/accounts")] == order
    assert [(await listed("/accounts", limit=1, offset=n))[0]["id"] for n in range(3)] == order
    assert (await world.client.get("/accounts", params={"limit": 1})).headers["x-total-count"] == "3"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"externalId": "crm-7"}, ["Globex"]),
        ({"externalId": "CRM-7"}, []),
        ({"domain": "globex.test"}, ["Globex"]),
        ({"domain": "HOOLI.TEST"}, ["Hooli"]),
        ({"domain": "oli.test"}, []),
        ({"domain": ""}, []),
        ({"q": "corporation GLOBEX"}, ["Globex"]),
        ({"q": "hooli.test"}, ["Hooli"]),
        ({"q": "corporation initech"}, []),
        ({"q": "glob"}, []),
        ({"externalId": "crm-7", "domain": "hooli.test"}, []),
        ({"updatedSince": "2026-02-03T00:00:00.001Z"}, []),
        ({"updatedSince": "2026-02-02", "q": "initech"}, ["Initech"]),
    ],
)
async def test_accounts_are_filtered(world: World, listed: Listed, query: dict[str, str], found: list[str]) -> None:
    assert await named(listed, **query) == found
    total = (await world.client.get("/accounts", params=query)).headers["x-total-count"]
    assert int(total) == len(found)


async def test_changes_are_listed_oldest_change_first(world: World, listed: Listed) -> None:
    ids = await world.ids("accounts")
    later = sorted([ids["globex"], ids["hooli"]])
    assert [one["id"] for one in await listed("/accounts", updatedSince="2026-02-02")] == [ids["initech"], *later]
    assert [one["id"] for one in await listed("/accounts", updatedSince="2026-02-03")] == later


async def test_no_change_is_listed_before_an_earlier_one_that_is_still_open(world: World, listed: Listed) -> None:
    async with world.database.transaction():
        await next_moment()
        await world.add(accounts=[{"key": "umbrella", "name": "Umbrella"}])
        assert "Umbrella" in await named(listed)
        assert "Umbrella" not in await named(listed, updatedSince="2026-02-01")
    assert (await named(listed, updatedSince="2026-02-01"))[-1] == "Umbrella"


@pytest.mark.parametrize(
    "change",
    [
        {"name": "Globex"},
        {"domain": None},
        {"contacts": [{"email": "carl@globex.test", "name": "Carl"}]},
        {"contacts": [{"email": "new@globex.test"}]},
    ],
    ids=str,
)
async def test_every_change_of_an_account_or_its_people_is_another_version(
    world: World, change: dict[str, Any]
) -> None:
    path = f"/accounts/{(await world.ids('accounts'))['globex']}"
    tag = (await world.client.get(path)).headers["etag"]
    assert (await world.client.get(path, headers={"If-None-Match": tag})).status_code == 304
    await world.add(accounts=[{"key": "globex", **change}])
    assert (await world.client.get(path, headers={"If-None-Match": tag})).status_code == 200


async def test_accounts_are_read_with_their_own_scope_in_their_own_workspace(world: World) -> None:
    path = f"/accounts/{(await world.ids('accounts'))['globex']}"
    for scopes, status in ((("accounts:read",), 200), (("ideas:read", "products:read"), 403)):
        client = await world.client_with(*scopes)
        assert {(await client.get(each)).status_code for each in (path, "/accounts")} == {status}
    async with world.stranger() as stranger:
        assert (await stranger.client.get(path)).status_code == 404
        assert (await stranger.client.get("/accounts", params={"externalId": "crm-7"})).json() == []
