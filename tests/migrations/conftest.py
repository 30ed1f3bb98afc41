"""Each test here runs twice: on the embedded PostgreSQL and on the oldest supported one."""

from collections.abc import AsyncIterator

import asyncpg
import pytest
import pytest_asyncio

from tests.migrations.servers import embedded_server, new_database, oldest_server, with_template


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def newest() -> AsyncIterator[str]:
    with embedded_server() as url:
        yield await with_template(url)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def oldest() -> AsyncIterator[str]:
    with oldest_server() as url:
        yield await with_template(url)


@pytest.fixture(params=["newest", "oldest"])
def server(request: pytest.FixtureRequest) -> str:
    """The address of a server."""
    return str(request.getfixturevalue(request.param))


@pytest_asyncio.fixture
async def empty(server: str) -> str:
    """The address of a database with nothing in it."""
    return await new_database(server)


@pytest_asyncio.fixture
async def migrated(server: str) -> str:
    """The address of a database of this version that is the test's own, without rows."""
    return await new_database(server, template="migrated")


_shared: dict[str, str] = {}


@pytest_asyncio.fixture(scope="module")
async def connections() -> AsyncIterator[dict[str, "asyncpg.Connection[asyncpg.Record]"]]:
    """One for each database: what a connection has planned once costs nothing again."""
    opened: dict[str, asyncpg.Connection[asyncpg.Record]] = {}
    yield opened
    for connection in opened.values():
        await connection.close()


@pytest_asyncio.fixture
async def database(server: str, connections: dict[str, "asyncpg.Connection[asyncpg.Record]"]) -> str:
    """The address of a database of this version that tests share, without rows; they leave its tables as they are."""
    if server not in _shared:
        _shared[server] = await new_database(server, template="migrated")
    url = _shared[server]
    if url not in connections:
        connections[url] = await asyncpg.connect(url)
    await connections[url].execute("DELETE FROM ideas; DELETE FROM signals; DELETE FROM workspaces")
    return url


@pytest_asyncio.fixture
async def connection(
    database: str, connections: dict[str, "asyncpg.Connection[asyncpg.Record]"]
) -> "asyncpg.Connection[asyncpg.Record]":
    return connections[database]
