"""A portal with sign-in, the customer's product that signs tokens, and browsers."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager

import pytest
import pytest_asyncio

from sightline.platform.db import Database
from tests.conftest import Service, has_own_database
from tests.portal.product import SERVER_SECRET, PortalWorld
from tests.world import serving


def _portal(database_url: str) -> AbstractAsyncContextManager[str]:
    return serving(database_url, secret=SERVER_SECRET, portal_limit="0", log_level="info")


@pytest_asyncio.fixture(scope="session")
async def shared_portal(shared_service: Service) -> AsyncIterator[str]:
    async with _portal(shared_service.database_url) as address:
        yield address


@pytest_asyncio.fixture(scope="module")
async def own_portal(own_service: Service) -> AsyncIterator[str]:
    async with _portal(own_service.database_url) as address:
        yield address


@pytest.fixture(scope="module")
def portal_address(request: pytest.FixtureRequest) -> str:
    """The address of a server that has a secret; limits are off."""
    address: str = request.getfixturevalue("own_portal" if has_own_database(request.node) else "shared_portal")
    return address


@pytest_asyncio.fixture
async def world(database: Database, portal_address: str) -> AsyncIterator[PortalWorld]:
    """A workspace whose portal has sign-in."""
    async with PortalWorld(database, portal_address) as world:
        await world.open_portal()
        yield world
