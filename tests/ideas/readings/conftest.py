"""A service with a model, and its worker's sweep."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from sightline.ideas import jobs as ideas
from sightline.platform.db import Database
from sightline.settings import Settings
from sightline.worker import open_tools
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
    """The worker's sweep, with the worker's own tools and this model."""

    async def sweep(fake: FakeModel) -> None:
        given = {"model_url": fake.url, "model_name": "m", "data_dir": tmp_path}
        [tick] = ideas.JOBS.ticks
        async with open_tools(Settings.read(given, environment={}, file=tmp_path / "none")) as tools:
            await tick.act(acme.world.database, tools)

    return sweep
