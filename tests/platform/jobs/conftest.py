"""A database of each test's own with the tables of the tests' jobs, and workers as processes."""

import subprocess
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest_asyncio

from sightline.platform.db import Database
from sightline.platform.jobs import JobKind, add_job
from sightline.platform.jobs.worker import Pace
from tests.conftest import new_database
from tests.platform.jobs.entries import TABLES
from tests.workers import Workers

HEARTBEAT = 1.0
NEW = "INSERT INTO records (workspace_id, id, wanted) VALUES ($1, $2, $3)"


class Site(Workers):
    """The database as a test sees it, and the workers it starts on it."""

    def __init__(self, db: Database, url: str, log: Path) -> None:
        super().__init__(log)
        self.db = db
        self.url = url
        self.workspace = uuid4()

    async def make_tables(self) -> None:
        async with self.db.autocommit() as tx:
            await tx.connection.execute(TABLES)

    def worker(
        self, *, concurrency: int = 10, heartbeat: float = HEARTBEAT, tick: float = 60, pooler: str = ""
    ) -> "subprocess.Popen[bytes]":
        """A worker that takes jobs; heartbeat and tick in seconds. Its jobs reach the database by way of `pooler`."""
        beat, minute = timedelta(seconds=heartbeat), timedelta(seconds=tick)
        pace = msgspec.json.encode(Pace(concurrency=concurrency, heartbeat=beat, tick=minute)).decode()
        return self.start("tests.platform.jobs.worker_process", self.url, pooler or self.url, pace)

    async def record(self, *, wanted: int = 0) -> UUID:
        record = uuid4()
        async with self.db.transaction() as tx:
            await tx.connection.execute(NEW, self.workspace, record, wanted)
        return record

    async def open_gate(self) -> None:
        async with self.db.transaction() as tx:
            await tx.connection.execute("INSERT INTO gates VALUES ('open')")

    async def add(self, kind: JobKind, record: UUID, **options: Any) -> None:
        async with self.db.transaction() as tx:
            await add_job(tx, kind, self.workspace, record, **options)

    async def value(self, statement: str, *values: Any) -> Any:
        async with self.db.autocommit() as tx:
            return await tx.connection.fetchval(statement, *values)

    async def count(self, record: UUID, what: str) -> int:
        return int(await self.value("SELECT count(*) FROM effects WHERE record_id = $1 AND what = $2", record, what))

    async def processes(self, record: UUID, what: str) -> set[int]:
        """Which processes did it."""
        async with self.db.autocommit() as tx:
            rows = await tx.connection.fetch(
                "SELECT process FROM effects WHERE record_id = $1 AND what = $2", record, what
            )
        return {row[0] for row in rows}

    async def status(self, record: UUID) -> str:
        return str(await self.value("SELECT status FROM records WHERE id = $1", record))

    async def jobs(self, record: UUID) -> int:
        return int(await self.value("SELECT count(*) FROM jobs WHERE record_id = $1", record))

    async def is_gone(self, record: UUID) -> bool:
        return await self.jobs(record) == 0


@pytest_asyncio.fixture
async def site(database_server: str, tmp_path: Path) -> AsyncIterator[Site]:
    """On a database of the test's own."""
    async with new_database(database_server) as url:
        db = await Database.connect(url, size=10)
        site = Site(db, url, tmp_path / "workers.log")
        await site.make_tables()
        yield site
        site.end()
        await db.close()
