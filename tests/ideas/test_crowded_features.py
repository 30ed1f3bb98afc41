"""Ideas of products with many features whose names share words: matched beside the requests of others."""

import asyncio
from itertools import combinations
from threading import Event

from sightline.platform.beside import run_beside
from sightline.platform.db import Database
from tests.ideas.acme import Json
from tests.world import World

WORDS = ["Order", "Invoice", "Report", "Export", "List", "Filter"]
NAMES = [" ".join(three) for three in combinations(WORDS, 3)]
FEATURES = [{"key": f"f{n}", "name": NAMES[n % len(NAMES)]} for n in range(400)]
TEXT = f"We want {', '.join(WORDS).lower()}. " * 8  # short, and the map is small


async def add_crowded(world: World) -> Json:
    """A product whose features share words and whose map is read. Returns the body of an idea of it."""
    await world.add(products=[{"key": "app", "name": "App", "features": FEATURES}])
    body = {"description": TEXT, "productId": (await world.ids("products"))["app"]}
    created = await world.client.post("/ideas", json=body)
    assert created.json()["featureMatching"]["status"] == "needs_review"
    return body


async def test_creations_that_wait_for_matching_hold_no_connection(database: Database, served: str) -> None:
    is_free = Event()
    async with World(database, served) as one, World(database, served) as two, World(database, served) as other:
        crowded = [(world, await add_crowded(world)) for world in (one, two)]
        busy = asyncio.create_task(run_beside(is_free.wait))
        waiting = [asyncio.create_task(w.client.post("/ideas", json=body)) for w, body in crowded for _ in range(8)]
        try:
            for _ in range(20):
                assert (await other.client.post("/ideas", json={"description": TEXT})).status_code == 201
            assert not any(each.done() for each in waiting)
        finally:
            is_free.set()
            await busy
        assert {answer.status_code for answer in await asyncio.gather(*waiting)} == {201}
