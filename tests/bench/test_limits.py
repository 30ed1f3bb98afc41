"""The limit of an operation is made of the statements that its requests run."""

from collections.abc import AsyncIterator, Sequence
from itertools import count
from urllib.parse import urlsplit

import pytest
import pytest_asyncio

from benchmarks.client import ask
from benchmarks.limits import Ask, Limit
from benchmarks.rows import ROWS, AsksOf
from benchmarks.world import World, load
from sightline.app import create_app
from sightline.platform.db import Database
from sightline.settings import Settings
from tests.statements import Traced, logged_pools
from tests.world import serving

SIZE = 3_000


class Asked:
    """The application over a small workspace."""

    def __init__(self, world: World, app: Traced, port: int) -> None:
        self.world, self._app, self._port = world, app, port

    async def statements(self, asks: Sequence[Ask]) -> tuple[str, ...]:
        """Those of the last of some requests, once caches are filled and the key is known."""
        for turn in count():
            await ask(self._port, asks[turn % len(asks)].request)
            seen = await self._app.statements()
            if turn >= 2 and "FROM api_keys" not in str(seen):
                return seen
        raise AssertionError


@pytest_asyncio.fixture(scope="module")
async def asked(database_url: str) -> AsyncIterator[Asked]:
    world = await load(database_url, SIZE)
    app = Traced(create_app(Settings.read({"database_url": database_url, "secret": "s" * 64}, {})))
    with logged_pools():
        async with serving(database_url, app) as address:
            yield Asked(world, app, urlsplit(address).port or 0)


@pytest.mark.parametrize("asks_of", [pytest.param(row.asks, id=row.name) for row in ROWS if row.asks])
async def test_the_limit_runs_the_statements_of_a_request(asked: Asked, database: Database, asks_of: AsksOf) -> None:
    asks = asks_of(asked.world)
    limit = Limit(database, asks)
    statements = await limit.prepare()
    assert tuple(statements) == await asked.statements(asks)
    assert (await limit.measure(connections=2, seconds=0)).requests == 1
    assert (await limit.measure(connections=2, seconds=0.05)).requests > 0
