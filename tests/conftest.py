"""What every test can ask for: a fresh database for its module, and a world that answers HTTP.

One embedded PostgreSQL serves a whole run, however many processes the run has. Databases are copies of a migrated
template. Commits are real; nothing is patched.
"""

import asyncio
import gc
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
import pytest_asyncio
import uvloop
from hypothesis import settings as hypothesis_settings

from sightline.migrations import migrate
from sightline.platform.db import Database
from sightline.platform.db.embedded import EmbeddedServer
from tests.folders import data_folder
from tests.world import World, serving

# A run tries the same few examples as the run before; `make fuzz` and --hypothesis-profile=search look for new ones.
# An example has no time limit: on a busy machine any may take long.
hypothesis_settings.register_profile("search", deadline=None)
hypothesis_settings.register_profile("same", derandomize=True, deadline=None, max_examples=50)
hypothesis_settings.load_profile("same")

# Tests may lose their data when the machine fails.
UNSAFE = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "max_connections": "300",
}

_RUN = "TESTS_RUN_FOLDER"  # the environment variable with the folder that all processes of a run share


def pytest_configure(config: pytest.Config) -> None:
    """The first process makes the folder."""
    if not hasattr(config, "workerinput"):
        os.environ[_RUN] = tempfile.mkdtemp(prefix="sightline-tests-", dir=data_folder())


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Imports no file in which all tests are slow, unless they run: what such a file imports is slow too."""
    if collection_path.suffix == ".py" and "not slow" in config.option.markexpr:
        return "\npytestmark = pytest.mark.slow\n" in collection_path.read_text() or None
    return None


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """The event loop of the servers' processes, which also takes less time than that of asyncio."""
    return {"uvloop": uvloop.new_event_loop}


def pytest_collection_finish() -> None:
    """Lets no further collection of garbage look at the thousands of tests."""
    gc.freeze()


def pytest_unconfigure(config: pytest.Config) -> None:
    """The first process removes the folder after the others have ended."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ[_RUN], ignore_errors=True)


@pytest.fixture(scope="session")
def database_server() -> Iterator[str]:
    """The address of the server, with a database `template_migrated` in it."""
    server = EmbeddedServer(Path(os.environ[_RUN]), settings=UNSAFE)
    url = server.start()
    try:
        asyncio.run(_make_template(url))
        yield url
    finally:
        server.stop()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Lets a worker count reruns itself, not ask the first process about each test.

    pytest-rerunfailures asks in order to run a test again that ended its worker, which `--dist loadfile` does not do.
    A question takes longer than most tests: 40 ms where two small writes wait for a delayed acknowledgement.
    """
    config: Any = session.config
    plugin = config.pluginmanager.getplugin("rerunfailures")
    if hasattr(plugin, "StatusDB") and hasattr(config, "workerinput"):
        config.failures_db.sock.close()
        config.failures_db = plugin.StatusDB()


async def _make_template(url: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("SELECT pg_advisory_lock(1)")
        if not await connection.fetchval("SELECT EXISTS (SELECT FROM pg_database WHERE datname = 'template_ready')"):
            await connection.execute("DROP DATABASE IF EXISTS template_migrated")
            await connection.execute("CREATE DATABASE template_migrated")
            await migrate(_at(url, "template_migrated"))
            await connection.execute("ALTER DATABASE template_migrated RENAME TO template_ready")
    finally:
        await connection.close()


def _at(url: str, database: str) -> str:
    head, _, tail = url.partition("/sightline?")
    return f"{head}/{database}?{tail}"


@pytest_asyncio.fixture(scope="module")
async def database_url(database_server: str) -> AsyncIterator[str]:
    """The address of a migrated, empty database of this module's own."""
    async with new_database(database_server) as url:
        yield url


@asynccontextmanager
async def new_database(server: str) -> AsyncIterator[str]:
    """The address of a migrated, empty database, which is dropped afterwards."""
    name = f"t_{uuid4().hex}"
    await _run(server, f"CREATE DATABASE {name} TEMPLATE template_ready STRATEGY file_copy")
    try:
        yield _at(server, name)
    finally:
        await _run(server, f"DROP DATABASE {name} WITH (FORCE)")


async def _run(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


@pytest_asyncio.fixture(scope="module")
async def database(database_url: str) -> AsyncIterator[Database]:
    database = await Database.connect(database_url, size=10)
    yield database
    await database.close()


@pytest_asyncio.fixture(scope="module")
async def served(database_url: str) -> AsyncIterator[str]:
    """The address of the API, on a port of 127.0.0.1."""
    async with serving(database_url) as address:
        yield address


@pytest_asyncio.fixture
async def world(database: Database, served: str) -> AsyncIterator[World]:
    """A workspace of this test's own with an owner's key, in the module's database."""
    async with World(database, served) as world:
        yield world
