"""The database dies and comes back while jobs are added and done."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from uuid import UUID

import asyncpg
import pytest
import pytest_asyncio

from sightline.migrations import migrate
from sightline.platform.db import Database
from sightline.platform.db.embedded import EmbeddedServer
from tests.platform.embedded_world import QUICK as QUICK_SERVER
from tests.platform.embedded_world import frozen, kill_postmaster, living, open_place, postmaster
from tests.platform.jobs.conftest import Site
from tests.platform.jobs.entries import COUNTED, GATED, POISONED, QUICK, SLOW, UNRECORDED
from tests.waiting import until

pytestmark = pytest.mark.slow

AWAY = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)
ATTEMPTS = 3  # of the tests' jobs
SLOW_HEARTBEAT = 3.0
END_OTHER_SESSIONS = """
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
 WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"""


class Restartable(Site):
    """Has a server of its own."""

    server: EmbeddedServer
    data_dir: Path

    async def restart(self) -> None:
        await asyncio.to_thread(kill_postmaster, self.data_dir)
        await asyncio.to_thread(self.server.ensure_running)

    async def stop(self) -> None:
        """Ends all sessions at once, and starts again when workers with `SLOW_HEARTBEAT` hold no job any more."""
        pid = postmaster(self.data_dir)
        os.kill(pid, signal.SIGQUIT)
        await until(lambda: asyncio.to_thread(lambda: pid not in living(self.data_dir)))
        await asyncio.sleep(1.5 * SLOW_HEARTBEAT)
        await asyncio.to_thread(self.server.ensure_running)

    async def freeze(self) -> None:
        """Stands still for longer than workers with `SLOW_HEARTBEAT` hold their jobs."""
        with frozen(self.data_dir):
            await asyncio.sleep(1.5 * SLOW_HEARTBEAT)

    async def attempts(self, record: UUID) -> int:
        return int(await self.value("SELECT attempts FROM jobs WHERE record_id = $1", record))

    async def count_is(self, record: UUID, what: str, number: int) -> bool:
        return await self.count(record, what) == number

    async def answers(self) -> bool:
        try:
            return bool(await self.value("SELECT true"))
        except AWAY:
            return False

    async def insist(self, over: asyncio.Event) -> None:
        """Adds records with their jobs, again and again, at least 12 and some after it is over."""
        added = more = 0
        while added < 12 or more < 3:
            try:
                await self.add((QUICK, SLOW, COUNTED)[added % 3], await self.record(wanted=-1))
                added += 1
                more += over.is_set()
            except AWAY:
                await until(self.answers)
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


@pytest.mark.parametrize(("outage", "times"), [("restart", 2 * ATTEMPTS), ("stop", ATTEMPTS + 1)])
async def test_outages_use_up_no_attempt(own: Restartable, outage: str, times: int) -> None:
    """There are more of them than attempts; a job that always fails still ends as failed after these."""
    for _ in range(2):
        own.worker(heartbeat=SLOW_HEARTBEAT)
    await own.add(GATED, record := await own.record())
    for starts in range(1, times + 1):
        await until(partial(own.count_is, record, "started", starts))
        assert await own.attempts(record) == 1
        await getattr(own, outage)()
        await until(own.answers)
    await own.open_gate()
    await until(lambda: own.is_gone(record))
    assert (await own.count(record, "written"), await own.count(record, "dead")) == (1, 0)
    await own.add(POISONED, poisoned := await own.record())
    await until(lambda: own.count(poisoned, "dead"))
    assert await own.count(poisoned, "started") == ATTEMPTS


async def test_workers_keep_their_jobs_when_the_database_freezes(own: Restartable) -> None:
    """For longer than a heartbeat, so that each could take over the jobs of the others."""
    workers = [own.worker(heartbeat=SLOW_HEARTBEAT) for _ in range(2)]
    records = [await own.record() for _ in range(4)]
    for record in records:
        await own.add(GATED, record)
    for _ in range(ATTEMPTS + 1):
        await until(lambda: all_are_held(own, records))
        await own.freeze()
    await until(lambda: all_are_held(own, records))
    for record in records:
        assert (await own.count(record, "started"), await own.attempts(record)) == (1, 1)
    await own.open_gate()
    for record in records:
        await until(partial(own.is_gone, record))
        assert await own.count(record, "written") == 1
    assert [worker.poll() for worker in workers] == [None, None]


async def test_a_worker_waits_while_the_database_is_read_only(own: Restartable) -> None:
    """As after a switchover, when its connections still lead to the former primary."""
    worker, record = own.worker(), await own.record()
    await own.value("ALTER DATABASE sightline SET default_transaction_read_only = on")
    await own.value(END_OTHER_SESSIONS)
    await asyncio.sleep(1)
    await own.value("SET default_transaction_read_only = off")
    await own.add(QUICK, record)
    await asyncio.sleep(2)
    assert (worker.poll(), await own.attempts(record)) == (None, 0)
    await own.value("ALTER DATABASE sightline RESET default_transaction_read_only")
    await until(lambda: own.is_gone(record))
    assert await own.count(record, "sealed") == 1


async def test_ticks_say_nothing_of_an_outage(own: Restartable) -> None:
    """It is logged once for taking jobs and once for all ticks."""
    own.worker(tick=0.2)
    await until(lambda: "This tick never works." in own.said)
    await own.stop()
    await until(own.answers)
    await own.add(QUICK, record := await own.record())
    await until(lambda: own.is_gone(record))
    await own.record(wanted=-1)
    await until(lambda: own.value("SELECT count(*) = 2 FROM effects WHERE what = 'sealed'"))  # ticks go on
    assert own.said.count("The database does not answer and is asked again") in (1, 2)
    assert own.said.count("A tick failed") == own.said.count("tick=test.broken")


async def all_are_held(own: Restartable, records: list[UUID]) -> bool:
    held = "SELECT count(*) FROM jobs WHERE record_id = ANY($1) AND attempts > 0 AND held_until > now()"
    return bool(await own.value(held, records) == len(records))


async def test_a_job_that_fails_during_an_outage_still_ends_as_failed(own: Restartable) -> None:
    """Its room records that once, though an outage comes in between."""
    own.worker()
    records = [await own.record() for _ in range(6)]
    for record in records:
        await own.add(UNRECORDED, record)
    for _ in range(3):
        await own.restart()
        await until(own.answers)
    await until(lambda: own.value("SELECT count(*) = 6 FROM effects WHERE what = 'dead'"))
    for record in records:
        assert await own.status(record) == "failed"
        assert await own.count(record, "dead") == 1


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
