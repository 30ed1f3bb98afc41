"""Jobs as rooms see them: added with their cause, run once at a time, retried, given up."""

import asyncio
import time
from datetime import timedelta
from functools import partial
from uuid import UUID

import pytest

from sightline.platform.db import Database
from sightline.platform.jobs import JobKind, JobsOfRoom, Tools, Work, add_job, add_missing_jobs
from sightline.platform.jobs.queue import HeldDatabase, HoldLost
from sightline.platform.jobs.worker import Pace, Worker
from tests.line import open_line
from tests.platform.jobs.conftest import HEARTBEAT, Site
from tests.platform.jobs.entries import (
    COUNTED,
    CROWDED,
    GATED,
    HUNG,
    POISONED,
    QUICK,
    SLOW,
    UNRECORDED,
    begin,
    on_dead,
    quick,
)
from tests.waiting import hang, until, until_blocked


async def test_a_job_runs_and_is_gone(site: Site) -> None:
    site.worker()
    record = await site.record()
    await site.add(QUICK, record)
    await until(lambda: site.is_gone(record))
    assert await site.count(record, "sealed") == 1


async def test_a_rollback_leaves_no_job(site: Site) -> None:
    record = await site.record()

    async def change_ones_mind() -> None:
        async with site.db.transaction() as tx:
            await add_job(tx, QUICK, site.workspace, record)
            raise ValueError("I changed my mind.")

    with pytest.raises(ValueError, match="changed my mind"):
        await change_ones_mind()
    assert await site.is_gone(record)


async def test_adding_a_job_many_times_at_once_makes_one(site: Site) -> None:
    record = await site.record()
    await asyncio.gather(*(site.add(COUNTED, record) for _ in range(32)))
    assert await site.jobs(record) == 1
    site.worker()
    await until(lambda: site.is_gone(record))
    assert await site.value("SELECT seen FROM records WHERE id = $1", record) == 1


async def test_a_job_waits_for_its_moment_and_runs_at_the_earlier_one(site: Site) -> None:
    site.worker()
    late, early = await site.record(), await site.record()
    for record in (late, early):
        await site.add(QUICK, record, run_after=site.db.clock.now() + timedelta(hours=1))
    began = time.monotonic()
    await site.add(QUICK, early, run_after=site.db.clock.now() + timedelta(seconds=1))
    await until(lambda: site.is_gone(early))
    assert time.monotonic() - began > 0.9
    assert await site.status(late) == "pending"
    await site.add(QUICK, late)
    await until(lambda: site.is_gone(late))


async def test_a_poisoned_job_ends_as_failed_after_its_attempts(site: Site) -> None:
    site.worker()
    record = await site.record()
    await site.add(POISONED, record)
    await until(lambda: site.value("SELECT state = 'failed' FROM jobs"))
    assert (await site.count(record, "started"), await site.count(record, "dead")) == (3, 1)
    assert await site.value("SELECT error FROM records WHERE id = $1", record) == "ValueError: This never works."
    assert await site.value("SELECT jobs FROM job_totals WHERE outcome = 'failed'") == 1
    assert await site.value("SELECT jobs FROM job_totals WHERE outcome = 'retried'") == 2


async def test_a_full_disk_of_the_database_uses_up_no_attempt(site: Site) -> None:
    site.worker()
    await site.add(CROWDED, record := await site.record())
    await until(lambda: site.value("SELECT count(*) > 4 FROM effects WHERE what = 'started'"))
    await site.open_gate()
    await until(lambda: site.is_gone(record))
    assert (await site.count(record, "written"), await site.count(record, "dead")) == (1, 0)


async def test_a_failure_that_cannot_be_recorded_is_recorded_later(site: Site) -> None:
    site.worker()
    record = await site.record()
    await site.add(UNRECORDED, record)
    await until(lambda: site.value("SELECT state = 'failed' FROM jobs"))
    counts = [await site.count(record, what) for what in ("started", "reported", "dead")]
    assert (counts, await site.status(record)) == ([3, 2, 1], "failed")


async def test_an_attempt_past_its_time_limit_counts_as_failed(site: Site) -> None:
    site.worker()
    record = await site.record()
    await site.add(HUNG, record)
    await until(lambda: site.count(record, "dead"))
    assert str(await site.value("SELECT error FROM records WHERE id = $1", record)).startswith("TookTooLong")
    assert await site.count(record, "started") == 3


async def test_a_wake_up_during_a_run_is_not_lost(site: Site) -> None:
    """A job that is added after the run has read its record makes it run again, in whatever order the two commit."""
    site.worker()
    record = await site.record()
    await site.add(GATED, record)
    await until(lambda: site.count(record, "started"))
    async with site.db.transaction() as tx:
        await tx.connection.execute("UPDATE records SET wanted = 7 WHERE id = $1", record)
        await add_job(tx, GATED, site.workspace, record)
        await site.open_gate()
        await until_blocked(tx.connection)  # the run ends meanwhile and waits for this commit
    await until(lambda: site.value("SELECT seen = 7 FROM records WHERE id = $1", record))
    await until(lambda: site.is_gone(record))
    assert await site.count(record, "started") == 2


async def test_a_wake_up_of_a_waiting_job_is_not_lost(site: Site) -> None:
    """No worker takes the job and finishes before the transaction that wakes it commits."""
    record = await site.record()
    await site.open_gate()
    await site.add(GATED, record)
    async with site.db.transaction() as tx:
        await tx.connection.execute("UPDATE records SET wanted = 7 WHERE id = $1", record)
        await add_job(tx, GATED, site.workspace, record)
        site.worker()
        await asyncio.sleep(0.5)
    await until(lambda: site.value("SELECT seen = 7 FROM records WHERE id = $1", record))


async def test_after_many_wake_ups_the_last_change_was_seen(site: Site) -> None:
    site.worker()
    records = [await site.record() for _ in range(4)]
    await site.open_gate()

    async def storm(number: int) -> None:
        record = records[number % 4]
        for _ in range(25):
            async with site.db.transaction() as tx:
                await tx.connection.execute("UPDATE records SET wanted = wanted + 1 WHERE id = $1", record)
                await add_job(tx, GATED, site.workspace, record)

    await asyncio.gather(*(storm(number) for number in range(8)))
    await until(lambda: site.value("SELECT count(*) = 0 FROM jobs"))
    assert await site.value("SELECT array_agg(DISTINCT (wanted, seen)::text) FROM records") == ["(50,50)"]


async def test_a_tick_adds_jobs_for_pending_records_without_one(site: Site) -> None:
    """Whatever another tick does."""
    site.worker(tick=0.3)
    records = [await site.record(wanted=-1) for _ in range(3)]
    for record in records:
        await until(lambda record=record: site.count(record, "sealed"))  # type: ignore[misc]  # bound now
    assert "This tick never works." in site.said


async def test_missing_jobs_are_added_in_several_statements(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sightline.platform.jobs.AT_ONCE", 2)
    for _ in range(5):
        await site.record()
    await site.add(QUICK, await site.record())
    await add_missing_jobs(site.db, QUICK, "SELECT workspace_id, id, NULL::timestamptz FROM records")
    assert await site.value("SELECT count(*) = 6 AND count(DISTINCT record_id) = 6 FROM jobs")


async def test_a_handler_that_holds_no_job_writes_nothing(site: Site) -> None:
    record = await site.record()
    stranger = HeldDatabase(site.db, 1, 1, timedelta(seconds=HEARTBEAT))
    with pytest.raises(HoldLost):
        async with stranger.transaction() as tx:
            await tx.connection.execute("UPDATE records SET status = 'sealed' WHERE id = $1", record)
    assert await site.status(record) == "pending"


async def test_no_more_jobs_run_at_once_than_a_worker_may(site: Site) -> None:
    site.worker(concurrency=1)
    records = [await site.record() for _ in range(3)]
    for record in records:
        await site.add(SLOW, record)
    await until(lambda: site.value("SELECT count(*) = 2 FROM effects WHERE what = 'sealed'"))
    assert await site.value("SELECT count(*) FROM effects WHERE what = 'started'") <= 3
    assert await site.value("SELECT count(*) FROM jobs WHERE state = 'running'") <= 1


async def test_the_log_names_workspace_and_record_of_a_done_job(site: Site) -> None:
    site.worker()
    record = await site.record()
    await site.add(QUICK, record)
    await until(lambda: "Job done" in site.said)
    [line] = [line for line in site.said.splitlines() if "Job done" in line]
    assert f"workspace={site.workspace} record={record}" in line


async def test_an_outage_of_the_pooler_alone_uses_up_no_attempt(site: Site) -> None:
    """Jobs reach the database through it, the worker's queue does not."""
    async with open_line(site.url) as pooler:
        await asyncio.to_thread(site.worker, pooler=pooler.url)
        await site.add(GATED, record := await site.record())
        await until(lambda: site.count(record, "started"))
        pooler.cut()
        await until(lambda: "Job met an outage of the database" in site.said)
        await pooler.open()
        await site.open_gate()
        await until(lambda: site.is_gone(record))
    assert (await site.count(record, "written"), await site.count(record, "dead")) == (1, 0)


async def test_connections_that_fall_silent_use_up_no_attempt(site: Site) -> None:
    """New ones work, so the database is not away; it happens more often than a job has attempts."""
    async with open_line(site.url) as pooler:
        await asyncio.to_thread(site.worker, pooler=pooler.url)
        await site.add(GATED, record := await site.record())
        for starts in range(1, 5):
            await until(partial(has_started, site, record, starts))
            pooler.silence()
        await until(partial(has_started, site, record, 5))
        await site.open_gate()
        await until(lambda: site.is_gone(record))
    assert (await site.count(record, "written"), await site.count(record, "dead")) == (1, 0)
    assert "Job failed" not in site.said


async def has_started(site: Site, record: UUID, times: int) -> bool:
    return await site.count(record, "started") == times


async def test_a_job_that_took_too_long_in_an_outage_starts_again_as_the_same_attempt(site: Site) -> None:
    """Though the database is back before that is stored. It has one attempt only."""
    record, kind = await site.record(), JobKind("test.interrupted")

    async def interrupted(db: Database, tools: Tools, workspace: UUID, record: UUID) -> None:
        if await site.count(record, "started"):
            await quick(db, tools, workspace, record)
            return
        await begin(db, record)
        pooler.stop()
        await hang()

    class Resumed(Worker):
        async def reaches(self) -> bool:
            reaches = await super().reaches()
            pooler.resume()
            return reaches

    async with open_line(site.url) as pooler:
        db, ending = await Database.connect(pooler.url, size=2), asyncio.Event()
        work = Work(kind, interrupted, on_dead, attempts=1, time_limit=timedelta(seconds=1))
        worker = Resumed(db, site.url, [JobsOfRoom(work=[work])], {}, Pace(heartbeat=timedelta(seconds=HEARTBEAT)))
        running = asyncio.create_task(worker.run(ending, on_ready=lambda: None))
        await site.add(kind, record)
        await until(lambda: site.is_gone(record))
        ending.set()
        await running
        await db.close()
    assert (await site.count(record, "sealed"), await site.count(record, "dead")) == (1, 0)
