"""A service with a model, and its worker's sweep."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from sightline.catalog.products.feature_maps import FeatureMaps
from sightline.ideas.readings.sweep import read_due
from sightline.intelligence.embedded import embedded_engine
from sightline.platform.db import Database
from tests.documents.test_model import tools_of
from tests.ideas.acme import Acme
from tests.intelligence.fake_model import FakeModel
from tests.world import serving


@pytest_asyncio.fixture(scope="module")
async def served(database_url: str) -> AsyncIterator[str]:
    """The API of a service with a model; what asks it is the sweep."""
    async with serving(database_url, model_url="http://127.0.0.1:9/v1", model_name="m") as address:
        yield address


@pytest_asyncio.fixture(autouse=True)
async def nothing_due(database: Database) -> None:
    """A sweep is one of all workspaces: those of other tests wait for nothing."""
    async with database.transaction() as tx:
        await tx.connection.execute("UPDATE ideas SET model_due_at = NULL WHERE model_due_at IS NOT NULL")


@pytest.fixture
def sweep(acme: Acme, tmp_path: Path) -> Callable[[FakeModel], Awaitable[None]]:
    """The worker's sweep, with this model."""

    async def sweep(fake: FakeModel) -> None:
        tools = {FeatureMaps: FeatureMaps(embedded_engine()), **tools_of(fake, tmp_path)}
        await read_due(acme.world.database, tools)

    return sweep
