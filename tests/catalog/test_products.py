"""GET /products and /products/:id: what a workspace makes, with its features."""

from typing import Any

from tests.catalog.conftest import Listed
from tests.world import World

MAP = [
    {"key": "tables", "name": "Tables", "description": "All data in rows."},
    {"key": "export", "name": "CSV export", "parent": "tables"},
    {"key": "alerts", "name": "Alerts"},
]
DATES = {"createdAt": "2026-01-02T03:04:05.678Z", "updatedAt": "2026-01-03T00:00:00Z"}


async def tag_of(world: World, path: str) -> str:
    return str((await world.client.get(path)).headers["etag"])


async def test_a_product_is_shown_with_its_features_in_their_order(world: World) -> None:
    await world.add_earlier(products=[{"key": "app", "name": "App", "description": "Ours.", "features": MAP, **DATES}])
    product, features = (await world.ids("products"))["app"], await world.ids("features")
    answer = await world.client.get(f"/products/{product}")
    assert answer.json() == {
        "id": product,
        "name": "App",
        "description": "Ours.",
        "features": [
            {"id": features["tables"], "name": "Tables", "description": "All data in rows.", "parentId": None},
            {"id": features["export"], "name": "CSV export", "description": "", "parentId": features["tables"]},
            {"id": features["alerts"], "name": "Alerts", "description": "", "parentId": None},
        ],
        "createdAt": "2026-01-02T03:04:05.678Z",
        "updatedAt": "2026-01-03T00:00:00.000Z",
    }
    assert (await world.client.get("/products")).json() == [answer.json()]


async def test_products_are_listed_newest_first_page_by_page(world: World, listed: Listed) -> None:
    dates = ["2026-01-02", "2026-01-03", "2026-01-02", "2026-01-01"]
    await world.add(products=[{"key": f"p{n}", "name": f"P{n}", "createdAt": day} for n, day in enumerate(dates)])
    ids = await world.ids("products")
    same = sorted([ids["p0"], ids["p2"]], reverse=True)
    order = [ids["p1"], *same, ids["p3"]]
    assert [product["id"] for product in await listed("/products")] == order
    assert [(await listed("/products", limit=1, offset=n))[0]["id"] for n in range(4)] == order
    headers = (await world.client.get("/products", params={"limit": 3})).headers
    shown = {name: headers[name] for name in ("x-total-count", "x-limit", "x-offset", "x-has-more")}
    assert shown == {"x-total-count": "4", "x-limit": "3", "x-offset": "0", "x-has-more": "true"}
    assert "limit=3&offset=3" in headers["link"]
    assert (await world.client.get("/products", params={"offset": 9})).headers["x-total-count"] == "4"


async def test_every_change_of_a_product_or_its_features_is_another_version(world: World) -> None:
    await world.add(products=[{"key": "app", "name": "App", "features": MAP}])
    path = f"/products/{(await world.ids('products'))['app']}"
    changes: list[dict[str, Any]] = [
        {"name": "Application"},
        {"description": "Ours."},
        {"features": [{"key": "alerts", "name": "Warnings"}]},
        {"features": [{"key": "alerts", "parent": "tables"}]},
        {"features": [{"key": "search", "name": "Search"}]},
    ]
    seen = [await tag_of(world, path)]
    for change in changes:
        await world.add(products=[{"key": "app", **change}])
        seen.append(await tag_of(world, path))
    assert len(set(seen)) == len(seen)
    assert (await world.client.get(path, headers={"If-None-Match": seen[-1]})).status_code == 304
    assert (await world.client.get(path, headers={"If-None-Match": seen[0]})).status_code == 200


async def test_products_are_read_with_their_own_scope_in_their_own_workspace(world: World) -> None:
    await world.add(products=[{"key": "app", "name": "App"}])
    path = f"/products/{(await world.ids('products'))['app']}"
    for scopes, status in ((("products:read",), 200), (("ideas:read", "accounts:read"), 403)):
        client = await world.client_with(*scopes)
        assert {(await client.get(each)).status_code for each in (path, "/products")} == {status}
    async with world.stranger() as stranger:
        assert (await stranger.client.get(path)).status_code == 404
        assert (await stranger.client.get("/products")).json() == []


async def test_a_product_has_no_public_id(world: World) -> None:
    for wrong in ("PRODUCT-1", "app", "1"):
        answer = await world.client.get(f"/products/{wrong}")
        assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REFERENCE")
