"""Real PostgreSQL servers of the tests' own: the embedded one, and the oldest supported where it is installed."""

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from sightline.migrations import BASELINE, migrate, migrate_within
from sightline.platform.db.embedded import EmbeddedServer
from sightline.platform.db.embedded.programs import Programs, find_programs
from tests.first_database import lay_database
from tests.folders import data_folder

SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "deadlock_timeout": "100ms",
}
OLDEST = Path("/usr/lib/postgresql/15/bin")

_numbers = count(1)


def on_database(url: str, name: str, *, user: str = "sightline") -> str:
    """The same server, another database."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"{user}@{parts.netloc.rpartition('@')[2]}", path=f"/{name}"))


@asynccontextmanager
async def connected(url: str) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    connection = await asyncpg.connect(url)
    try:
        yield connection
    finally:
        await connection.close()


async def new_database(server_url: str, *, template: str = "template1") -> str:
    """A database of the caller's own; returns its URL."""
    name = f"t{next(_numbers)}"
    async with connected(on_database(server_url, "postgres")) as connection:
        await connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    return on_database(server_url, name)


async def leave_to_alembic(url: str, revision: str) -> None:
    """Makes an empty database one that Alembic brought to this revision."""
    async with connected(url) as connection:
        await migrate_within(connection, BASELINE)
        await connection.execute("DROP TABLE schema_revisions; CREATE TABLE alembic_version (version_num text)")
        await connection.execute("INSERT INTO alembic_version VALUES ($1)", revision)


async def with_template(server_url: str) -> str:
    """Migrates the server's database `migrated`, from which tests take copies."""
    async with connected(on_database(server_url, "postgres")) as connection:
        await connection.execute("CREATE DATABASE migrated")
    await migrate(on_database(server_url, "migrated"))
    return server_url


@contextmanager
def folder_for_a_server() -> Iterator[Path]:
    """A short path that the server's account may enter; for root that is another user."""
    folder = Path(tempfile.mkdtemp(prefix="sl-", dir=data_folder()))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def embedded_server() -> Iterator[str]:
    with folder_for_a_server() as folder:
        lay_database(folder / "data")
        with EmbeddedServer(folder / "data", settings=SETTINGS) as server:
            yield server.start()


@contextmanager
def oldest_server() -> Iterator[str]:
    """PostgreSQL 15 from the system's packages."""
    if not (OLDEST / "postgres").exists():
        pytest.skip(f"NOT RUN on the oldest supported PostgreSQL: there is none in {OLDEST}. Install postgresql-15.")
    with folder_for_a_server() as folder:
        programs = find_programs(folder / "data")._replace(folder=OLDEST)
        programs.own(folder)
        options = " ".join(f"-c {name}={value}" for name, value in SETTINGS.items())
        options += f" -c listen_addresses= -c unix_socket_directories={folder}"
        place = f"--pgdata={folder / 'data'}"
        log = f"--log={folder / 'log'}"
        _run(programs, folder, "initdb", place, "--username=sightline", "--auth=trust", "--encoding=UTF8", "--no-sync")
        _run(programs, folder, "pg_ctl", "start", place, "--wait", "--silent", log, f"--options={options}")
        try:
            yield f"postgresql://sightline@/postgres?host={folder}"
        finally:
            _run(programs, folder, "pg_ctl", "stop", place, "--mode=immediate", "--silent")


def _run(programs: Programs, folder: Path, *words: str) -> None:
    done = programs.run(*words, cluster=folder)
    assert not done.returncode, done.stdout
