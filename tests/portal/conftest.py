"""A portal with sign-in, the customer's product that signs tokens, and browsers."""

from collections.abc import AsyncIterator

import pytest_asyncio

from sightline.platform.db import Database
from tests.portal.product import SERVER_SECRET, PortalWorld
from tests.world import serving


@pytest_asyncio.fixture(scope="module")
async def portal_address(database_url: str) -> AsyncIterator[str]:
    """The address of a server that has a secret; limits are off."""
    async with serving(database_url, secret=SERVER_SECRET, portal_limit="0", log_level="info") as address:
        yield address


@pytest_asyncio.fixture
async def world(database: Database, portal_address: str) -> AsyncIterator[PortalWorld]:
    """A workspace whose portal has sign-in."""
    async with PortalWorld(database, portal_address) as world:
        await world.open_portal()
        yield world
