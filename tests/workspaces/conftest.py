"""A workspace for each test of this folder, in its module's database."""

import pytest_asyncio

from sightline.platform.db import Database
from tests.workspaces.world import World, make_world


@pytest_asyncio.fixture
async def world(database_url: str, database: Database) -> World:
    return await make_world(database_url, database)
