"""One world for all tests of a module: nothing here changes what it holds."""

from collections.abc import AsyncIterator

import pytest_asyncio

from sightline.platform.db import Database
from tests.generated.made import Made
from tests.world import World


@pytest_asyncio.fixture(scope="module")
async def made(database: Database, served: str) -> AsyncIterator[Made]:
    async with World(database, served) as world:
        made = Made(world)
        await made.furnish()
        yield made
