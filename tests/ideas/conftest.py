"""A furnished workspace for each test of this folder."""

import pytest_asyncio

from tests.ideas.acme import Acme
from tests.world import World


@pytest_asyncio.fixture
async def acme(world: World) -> Acme:
    acme = Acme(world)
    await acme.furnish()
    return acme
