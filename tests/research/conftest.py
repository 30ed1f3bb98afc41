"""The workspaces of the tests of research."""

from collections.abc import AsyncIterator

import pytest_asyncio

from sightline.platform.db import Database
from tests.research.lab import Lab
from tests.research.shop import Shop
from tests.sources.storefront import Storefront, opened
from tests.world import World

PRODUCTS = [{"key": "app", "name": "App"}, {"key": "site", "name": "Site"}]


@pytest_asyncio.fixture
async def lab(world: World) -> Lab:
    """A workspace of the test's own."""
    await world.add(products=PRODUCTS)
    return Lab(world)


@pytest_asyncio.fixture(scope="module")
async def shared_lab(database: Database, served: str) -> AsyncIterator[Lab]:
    """A workspace for all tests of a module, which look at nothing but their own response."""
    async with World(database, served) as world:
        await world.add(products=PRODUCTS)
        yield Lab(world)


@pytest_asyncio.fixture(scope="module")
async def front() -> AsyncIterator[Storefront]:
    async with opened() as front:
        yield front


@pytest_asyncio.fixture
async def shop(lab: Lab, front: Storefront) -> Shop:
    """In a module whose `served` has the address of the store."""
    return Shop(lab, front)
