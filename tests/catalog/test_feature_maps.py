"""How feature maps are read and cached."""

import asyncio
from collections.abc import Sequence
from functools import partial
from threading import Event, current_thread, main_thread
from uuid import UUID

import pytest

from sightline.catalog.products.feature_maps import FeatureMaps, VersionedMap
from sightline.intelligence.embedded import EmbeddedEngine
from sightline.intelligence.embedded.feature_map import EmbeddedFeatureMap
from sightline.intelligence.engine import FeatureText
from tests.waiting import until
from tests.world import World

MIB = 1024 * 1024
TINY = 1  # byte: every map is larger


class Reader(EmbeddedEngine):
    """The embedded engine; `read` has the names of the first feature of each map that it read."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []
        self.may_read_large = Event()
        self.may_read_large.set()

    def read_features(self, features: Sequence[FeatureText]) -> EmbeddedFeatureMap:
        assert current_thread() is not main_thread()
        self.read.append(features[0].name)
        if len(features[0].description) == MIB:
            assert self.may_read_large.wait(20)
        return super().read_features(features)


@pytest.fixture
def engine() -> Reader:
    return Reader()


async def products(world: World) -> dict[str, UUID]:
    await world.add(
        products=[
            {"key": name, "name": name, "features": [{"key": f"{name}-1", "name": f"Export {name}"}]}
            for name in ("one", "two")
        ]
    )
    return {name: UUID(id) for name, id in (await world.ids("products")).items()}


async def test_requests_at_once_read_a_map_once(world: World, engine: Reader) -> None:
    ids, maps = await products(world), FeatureMaps(engine)
    found = await asyncio.gather(*(maps.find(world.database, world.workspace_id, ids["one"]) for _ in range(4)))
    assert engine.read == ["Export one"]
    assert all(isinstance(each, VersionedMap) and each is found[0] for each in found)


async def test_a_map_over_the_capacity_is_kept_until_another_is_read(world: World, engine: Reader) -> None:
    ids, maps = await products(world), FeatureMaps(engine, TINY)
    for name in ("one", "one", "two", "two", "one"):
        await maps.find(world.database, world.workspace_id, ids[name])
    assert engine.read == ["Export one", "Export two", "Export one"]


async def test_a_small_map_is_read_while_a_large_one_is_and_kept_beside_it(world: World, engine: Reader) -> None:
    ids, maps = await products(world), FeatureMaps(engine, TINY)
    await world.add(
        products=[
            {"key": name, "name": name, "features": [{"key": name, "name": f"Import {name}", "description": "x" * MIB}]}
            for name in ("large", "huge")
        ]
    )
    large_ids = {name: UUID(id) for name, id in (await world.ids("products")).items()}
    find = partial(maps.find, world.database, world.workspace_id)
    await find(ids["one"])
    engine.may_read_large.clear()
    reading = [asyncio.create_task(find(large_ids["large"]))]
    await until(lambda: "Import large" in engine.read)
    reading += [asyncio.create_task(find(large_ids[name])) for name in ("huge", "large")]
    await find(ids["one"])
    await find(ids["two"])
    assert engine.read == ["Export one", "Import large", "Export two"]
    engine.may_read_large.set()
    await asyncio.gather(*reading)
    await find(ids["two"])
    assert engine.read == ["Export one", "Import large", "Export two", "Import huge"]


async def test_a_map_that_grows_is_read_again_and_kept_once(world: World, engine: Reader) -> None:
    ids, maps = await products(world), FeatureMaps(engine)
    for description in ("x", "x" * MIB, "y"):
        feature = {"key": "one-1", "name": f"Has {len(description)}", "description": description}
        await world.add(products=[{"key": "one", "name": "one", "features": [feature]}])
        for _ in range(2):
            await maps.find(world.database, world.workspace_id, ids["one"])
    assert engine.read == ["Has 1", f"Has {MIB}", "Has 1"]


async def test_a_changed_map_is_read_again(world: World, engine: Reader) -> None:
    ids, maps = await products(world), FeatureMaps(engine)
    await maps.find(world.database, world.workspace_id, ids["one"])
    await world.add(products=[{"key": "one", "name": "one", "features": [{"key": "one-1", "name": "Import one"}]}])
    await maps.find(world.database, world.workspace_id, ids["one"])
    assert engine.read == ["Export one", "Import one"]
