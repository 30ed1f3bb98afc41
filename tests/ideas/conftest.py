"""A furnished workspace for each test of this folder, or for all of a file that is marked `one_workspace`."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from sightline.platform.db import Database
from tests.ideas.acme import Acme
from tests.ideas.workroom import furnished
from tests.world import World


@pytest_asyncio.fixture(scope="module")
async def shared_acme(database: Database, served: str) -> AsyncIterator[Acme]:
    """One workspace for all tests of a file, which make ideas of their own."""
    async with furnished(database, served) as acme:
        yield acme


@pytest_asyncio.fixture
async def own_acme(world: World) -> Acme:
    acme = Acme(world)
    await acme.furnish()
    return acme


@pytest.fixture
def acme(request: pytest.FixtureRequest) -> Acme:
    """The workspace of the file where it is marked `one_workspace`, else one of the test's own."""
    name = "shared_acme" if request.node.get_closest_marker("one_workspace") else "own_acme"
    acme: Acme = request.getfixturevalue(name)
    return acme
