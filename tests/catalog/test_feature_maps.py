"""How feature maps are read and cached."""

import asyncio
from collections.abc import Sequence
from threading import current_thread, main_thread
from uuid import UUID

import pytest

from sightline.catalog.products.feature_maps import FeatureMaps, VersionedMap
from sightline.intelligence.embedded import EmbeddedEngine
from sightline.intelligence.engine import FeatureMap, FeatureText
from tests.world import World

TINY = 1  # byte: every map is larger


class Reader(EmbeddedEngine):
    """The embedded engine; `read` has the names of the first feature of each map that it read."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []

    def read_features(self, features: Sequence[FeatureText]) -> FeatureMap:  # type: ignore[override]  # it is static there
        assert current_thread() is not main_thread()
        self.read.append(features[0].name)
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


async def test_a_changed_map_is_read_again(world: World, engine: Reader) -> None:
    ids, maps = await products(world), FeatureMaps(engine)
    await maps.find(world.database, world.workspace_id, ids["one"])
    await world.add(products=[{"key": "one", "name": "one", "features": [{"key": "one-1", "name": "Import one"}]}])
    await maps.find(world.database, world.workspace_id, ids["one"])
    assert engine.read == ["Export one", "Import one"]
