"""The limit of an operation is made of the statements that its requests run."""

from collections.abc import AsyncIterator
from itertools import count

import httpx2
import pytest
import pytest_asyncio

from benchmarks.client import FRESH
from benchmarks.limits import LIMITS, Limit
from benchmarks.operations import OPERATIONS, Ask, Operation
from benchmarks.world import World, load
from sightline.app import create_app
from sightline.platform.db import Database
from sightline.platform.ids import new_id
from sightline.settings import Settings
from tests.statements import Traced, logged_pools
from tests.world import serving

SIZE = 3_000


class Asked:
    """The application over a small workspace."""

    def __init__(self, world: World, app: Traced, client: httpx2.AsyncClient) -> None:
        self.world, self._app, self._client = world, app, client

    async def statements(self, asks: list[Ask]) -> tuple[str, ...]:
        """Those of the last of some requests, once caches are filled and the key is known."""
        for turn in count():
            request = asks[turn % len(asks)].request
            body = request.body.replace(FRESH, str(new_id()).encode())
            answer = await self._client.request(request.method, request.path, content=body)
            assert answer.status_code < 300, answer.text
            seen = await self._app.statements()
            if turn >= 2 and "FROM api_keys" not in str(seen):
                return seen
        raise AssertionError


@pytest_asyncio.fixture(scope="module")
async def asked(database_url: str) -> AsyncIterator[Asked]:
    world = await load(database_url, SIZE)
    app = Traced(create_app(Settings.read({"database_url": database_url, "secret": "s" * 64}, {})))
    headers = {"Authorization": f"Bearer {world.key}", "Content-Type": "application/json"}
    with logged_pools():
        async with (
            serving(database_url, app) as address,
            httpx2.AsyncClient(base_url=address, headers=headers, timeout=30, verify=False) as client,
        ):
            yield Asked(world, app, client)


def test_every_operation_has_a_limit() -> None:
    assert list(LIMITS.keys() - {operation.name for operation in OPERATIONS}) == []
    assert len({operation.name for operation in OPERATIONS}) == len(OPERATIONS) == len(LIMITS)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
async def test_the_limit_runs_the_statements_of_a_request(
    asked: Asked, database: Database, operation: Operation
) -> None:
    limit = Limit(database, asked.world, operation)
    statements = await limit.prepare()
    assert tuple(statements) == await asked.statements(operation.asks(asked.world))
    assert (await limit.round(connections=2, seconds=0)).requests == 0
    assert (await limit.round(connections=2, seconds=0.05)).requests > 0
