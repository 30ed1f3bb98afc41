"""What every test can ask for: a workspace of its own, in a world that answers HTTP.

One embedded PostgreSQL serves a whole run, however many processes the run has. Each process has a database, whose
workspaces know nothing of each other, and a server on it; a file that is marked `own_database` has its own. Databases
are copies of a migrated template. Commits are real; nothing is patched.
"""

import asyncio
import gc
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
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
from tests.folders import RUN, data_folder
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


def pytest_configure(config: pytest.Config) -> None:
    """The first process makes the folder."""
    if not hasattr(config, "workerinput"):
        folder = Path(tempfile.mkdtemp(prefix="sightline-tests-", dir=data_folder()))
        folder.chmod(0o755)  # the servers in it may run as another user
        os.environ[RUN] = str(folder)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Imports no file in which all tests are slow, unless they run: what such a file imports is slow too."""
    if collection_path.suffix == ".py" and "not slow" in config.option.markexpr:
        return "\npytestmark = pytest.mark.slow\n" in collection_path.read_text() or None
    return None


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """The event loop of the servers' processes, which also takes less time than that of asyncio."""
    return {"uvloop": uvloop.new_event_loop}


def pytest_collection() -> None:
    """Collects no garbage meanwhile: thousands of tests are made, and none goes."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Lets no further collection of garbage look at the thousands of tests, and lets one come seldom."""
    gc.freeze()
    gc.set_threshold(20_000, 20)
    gc.enable()


def pytest_unconfigure(config: pytest.Config) -> None:
    """The first process removes the folder after the others have ended."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ[RUN], ignore_errors=True)


@pytest.fixture(scope="session")
def database_server() -> Iterator[str]:
    """The address of the server, with a database `template_migrated` in it."""
    server = EmbeddedServer(Path(os.environ[RUN], "shared"), settings=UNSAFE)
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


@dataclass(frozen=True)
class Service:
    """A migrated database, and the API that serves it on a port of 127.0.0.1."""

    database_url: str
    database: Database
    address: str


@asynccontextmanager
async def _new_service(server: str) -> AsyncIterator[Service]:
    async with new_database(server) as url, serving(url) as address:
        database = await Database.connect(url, size=10)
        try:
            yield Service(url, database, address)
        finally:
            await database.close()


@pytest_asyncio.fixture(scope="session")
async def shared_service(database_server: str) -> AsyncIterator[Service]:
    async with _new_service(database_server) as service:
        yield service


@pytest_asyncio.fixture(scope="module")
async def own_service(database_server: str) -> AsyncIterator[Service]:
    async with _new_service(database_server) as service:
        yield service


def has_own_database(module: pytest.Item | pytest.Collector) -> bool:
    """Whether it is marked `own_database`. Slow tests fill a database, or make it fail: they have their own too."""
    return any(map(module.get_closest_marker, ("own_database", "slow", "torture", "fuzz")))


@pytest.fixture(scope="module")
def service(request: pytest.FixtureRequest) -> Service:
    """That of all tests of this process, or one of the module's own."""
    name = "own_service" if has_own_database(request.node) else "shared_service"
    service: Service = request.getfixturevalue(name)
    return service


@pytest.fixture(scope="module")
def database_url(service: Service) -> str:
    return service.database_url


@pytest.fixture(scope="module")
def database(service: Service) -> Database:
    return service.database


@pytest.fixture(scope="module")
def served(service: Service) -> str:
    """The address of the API."""
    return service.address


@pytest_asyncio.fixture
async def world(database: Database, served: str) -> AsyncIterator[World]:
    """A workspace of this test's own with an owner's key."""
    async with World(database, served) as world:
        yield world
