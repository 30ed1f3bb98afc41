"""What is measured is answered by the real application, and its statements can be run again."""

import pytest
import pytest_asyncio

from sightline.app import create_app
from sightline.bench.capture import noting_pools, trace
from sightline.bench.inprocess import InProcess
from sightline.bench.operations import OPERATIONS, Operation
from sightline.bench.replay import learn
from sightline.bench.world import World, load
from sightline.settings import Settings

ENOUGH = 8


@pytest_asyncio.fixture(scope="module")
async def bench_world(database_url: str) -> World:
    return await load(database_url, 100)


def test_names_are_told_apart() -> None:
    assert len({operation.name for operation in OPERATIONS}) == len(OPERATIONS)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
async def test_an_operation_is_answered_and_its_statements_replayed(
    bench_world: World, database_url: str, operation: Operation
) -> None:
    requests = operation.requests(bench_world)[:ENOUGH]
    settings = Settings.read({"database_url": database_url, "secret": "s" * 64}, {})
    with noting_pools() as wishes:
        async with InProcess(create_app(settings)) as app:
            await trace(app, requests, bench_world.key)
            traces = await trace(app, requests, bench_world.key)
    replay = learn(traces)
    assert replay.steps
    async with wishes[0].open_bare() as pool, pool.acquire() as connection:
        await replay.check(connection)
