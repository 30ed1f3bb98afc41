"""Behind a pooler in transaction mode: refused without the database's own address, served with it."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import asyncpg
import pytest
import pytest_asyncio

from sightline.platform.db import Database
from sightline.platform.db.horizon import find_horizon
from tests.cli.command import SECRET, run, serving, status
from tests.cli.pooler import pooling
from tests.cli.test_refusals import fresh
from tests.waiting import next_moment

pytestmark = pytest.mark.slow


@pytest_asyncio.fixture
async def direct(database_server: str) -> AsyncIterator[str]:
    """A migrated database."""
    url = await fresh(database_server, "pooled")
    assert run("migrate", "--database-url", url).code == 0
    yield url


@pytest.mark.parametrize("listen", ["", "the pooler"])
async def test_a_pooler_without_the_databases_own_address_is_refused(direct: str, listen: str) -> None:
    with pooling(direct) as url:
        settings = {"DATABASE_URL": url, "SECRET": SECRET, "LISTEN_URL": url if listen else ""}
        assert "SIGHTLINE_LISTEN_URL" in run("serve", "--port", "0", cwd=None, **settings).refusal
        done = run("doctor", cwd=None, **settings)
    assert done.code == 1
    [wrong] = [line for line in done.out.splitlines() if line.startswith("WRONG")]
    assert "SIGHTLINE_LISTEN_URL" in wrong


async def test_the_address_of_another_database_is_refused(direct: str, database_server: str) -> None:
    other = await fresh(database_server, "elsewhere")
    assert run("migrate", "--database-url", other).code == 0
    settings = {"DATABASE_URL": direct, "LISTEN_URL": other, "SECRET": SECRET}
    assert "SIGHTLINE_LISTEN_URL" in run("serve", "--port", "0", cwd=None, **settings).refusal


async def test_a_pooler_with_the_databases_own_address_is_served(direct: str, place: Path) -> None:
    with pooling(direct) as url:
        settings = {"DATABASE_URL": url, "LISTEN_URL": direct, "SECRET": SECRET}
        words = ("init", "--slug", "acme", "--name", "Acme", "--owner", "ada@acme.test", "--json")
        key = run(*words, cwd=None, **settings).json["key"]
        assert run("doctor", cwd=None, **settings).code == 0
        exported = [run("workspace", "export", "acme", cwd=None, **settings) for _ in range(2)]
        assert exported[0].json == exported[1].json
        assert [run("audit", "--workspace", "acme", cwd=None, **settings).code for _ in range(2)] == [0, 0]
        with serving(place / "log", "serve", **settings) as server:
            address = server.wait_ready()
            assert [status(address, key) for _ in range(20)] == [200] * 20


async def test_transactions_through_a_pooler_hold_up_the_horizon_whoever_had_their_session_before(direct: str) -> None:
    with pooling(direct) as url:
        looking = await asyncpg.connect(url, statement_cache_size=0, server_settings={"application_name": "psql"})
        assert await looking.fetchval("SELECT 1") == 1
        await looking.close()
        async with AsyncExitStack() as ends:
            pooled = await Database.connect(url, size=1, through_pooler=True)
            ends.push_async_callback(pooled.close)
            other = await Database.connect(direct, size=1)
            ends.push_async_callback(other.close)
            async with pooled.transaction() as writing, other.autocommit() as reading:
                await next_moment()
                horizon = await find_horizon(reading)
            assert horizon < writing.now
