"""The database dies and comes back while jobs are added and done."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest
import pytest_asyncio

from sightline.migrations import migrate
from sightline.platform.db import Database
from sightline.platform.db.embedded import EmbeddedServer
from tests.platform.embedded_world import QUICK as QUICK_SERVER
from tests.platform.embedded_world import kill_postmaster, open_place
from tests.platform.jobs.conftest import Site, until
from tests.platform.jobs.entries import COUNTED, QUICK, SLOW

pytestmark = pytest.mark.slow

AWAY = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)


class Restartable(Site):
    """Has a server of its own."""

    server: EmbeddedServer
    data_dir: Path

    async def restart(self) -> None:
        await asyncio.to_thread(kill_postmaster, self.data_dir)
        await asyncio.to_thread(self.server.ensure_running)

    async def insist(self, over: asyncio.Event) -> None:
        """Adds records with their jobs, again and again, at least 12 and some after it is over."""
        added = more = 0
        while added < 12 or more < 3:
            try:
                await self.add((QUICK, SLOW, COUNTED)[added % 3], await self.record(wanted=-1))
                added += 1
                more += over.is_set()
            except AWAY:
                await asyncio.sleep(0.1)
            await asyncio.sleep(0.03)


@pytest_asyncio.fixture
async def own(tmp_path: Path) -> AsyncIterator[Restartable]:
    with open_place() as place, EmbeddedServer(place / "data", settings=QUICK_SERVER) as server:
        url = server.start()
        await migrate(url)
        site = Restartable(await Database.connect(url, size=4), url, tmp_path / "workers.log")
        site.server, site.data_dir = server, place / "data"
        await site.make_tables()
        try:
            yield site
        finally:
            site.end()
            await site.db.close()
            print(site.said)  # noqa: T201 - for who reads a failure


@pytest.mark.parametrize("times", [1, pytest.param(6, marks=pytest.mark.torture)], ids=["once", "often"])
async def test_jobs_survive_restarts_of_the_database(own: Restartable, times: int) -> None:
    """Nothing that was committed is forgotten, nothing is done twice, and the worker is the same process."""
    worker = own.worker(tick=1)
    over = asyncio.Event()
    adding = asyncio.create_task(own.insist(over))
    for _ in range(times):
        await asyncio.sleep(1)
        await own.restart()
    over.set()
    await adding
    await until(lambda: no_more(own), 120)
    assert worker.poll() is None
    assert await own.value("SELECT count(*) FROM records WHERE status <> 'sealed'") == 0
    assert await own.value("SELECT count(DISTINCT record_id) = count(*) FROM effects WHERE what = 'sealed'")


async def no_more(site: Site) -> bool:
    try:
        is_over = await site.value(
            "SELECT NOT EXISTS (SELECT FROM jobs) AND NOT EXISTS (SELECT FROM records WHERE status = 'pending')"
        )
    except AWAY:
        return False
    return bool(is_over)


@pytest.mark.torture
async def test_a_worker_without_its_database_ends_on_sigterm(own: Restartable) -> None:
    worker, record = own.worker(), await own.record()
    await own.add(SLOW, record)
    await until(lambda: own.count(record, "started"))
    await asyncio.to_thread(kill_postmaster, own.data_dir)
    worker.terminate()
    assert await asyncio.to_thread(worker.wait, 20) == 0
    await asyncio.to_thread(own.server.ensure_running)
    own.worker()
    await until(lambda: own.is_gone(record))
    assert await own.count(record, "sealed") == 1
