"""The queue without a worker: who holds a job, and who ends it."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from math import inf
from typing import get_args

import pytest

from sightline.platform.jobs import JobKind, add_job
from sightline.platform.jobs.queue import STEADY_SECONDS, Job, Outcome, Queue
from tests.platform.jobs.conftest import Site
from tests.platform.jobs.entries import QUICK
from tests.waiting import until

KINDS = [QUICK]
WAITS = """
SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')"""


async def queue_of(site: Site) -> Queue:
    queue = Queue(site.db, timedelta(minutes=1))
    queue.away_at = -inf
    await take(queue, 0)
    return queue


async def take(queue: Queue, free: int = 10) -> list[Job]:
    return await queue.take(KINDS, free, running=())


async def expire(site: Site) -> None:
    await site.value("UPDATE jobs SET held_until = now() - interval '1 second'")


async def test_a_job_that_is_held_is_not_taken(site: Site) -> None:
    await site.add(QUICK, await site.record())
    queue = await queue_of(site)
    assert len(await take(queue)) == 1
    assert await take(queue) == []


async def test_a_kind_that_a_worker_does_not_know_is_left_to_others(site: Site) -> None:
    await site.add(QUICK, await site.record())
    queue = await queue_of(site)
    assert await queue.take([JobKind("test.other")], 10, running=()) == []
    assert len(await take(queue)) == 1


async def test_jobs_are_taken_in_the_order_in_which_they_became_due(site: Site) -> None:
    records = [await site.record() for _ in range(4)]
    for record in records:
        await site.add(QUICK, record)
    queue = await queue_of(site)
    assert [(await take(queue, 1))[0].record_id for _ in records] == records


async def test_a_worker_does_not_take_over_its_own_job(site: Site) -> None:
    await site.add(QUICK, await site.record())
    queue = await queue_of(site)
    [job] = await take(queue)
    await expire(site)
    assert await queue.take(KINDS, 10, running=[job.id]) == []
    assert await queue.beat([job]) == {job.id: None}


async def test_a_run_that_was_taken_over_cannot_hold_end_retry_or_return_the_job(site: Site) -> None:
    await site.add(QUICK, await site.record())
    queue = await queue_of(site)
    [lost] = await take(queue)
    assert await queue.beat([lost]) == {lost.id: None}
    await expire(site)
    [job] = await take(queue)
    assert (job.id, job.run, job.attempts) == (lost.id, 2, 2)
    assert await queue.beat([lost]) == {}
    for outcome in get_args(Outcome):
        assert not await queue.end(lost, outcome, 0.1, error="lost")
    assert await queue.beat([job]) == {job.id: None}
    assert await site.value("SELECT count(*) FROM job_totals") == 0
    assert await queue.end(job, "done", 0.1)
    assert await site.value("SELECT count(*) FROM jobs") == 0


async def test_a_job_that_was_taken_without_a_heartbeat_has_lost_no_attempt(site: Site) -> None:
    """The database took it, and went away before it answered."""
    await site.add(QUICK, await site.record())
    queue = await queue_of(site)
    for run in (1, 2, 3):
        [job] = await take(queue)
        assert (job.run, job.attempts) == (run, 1)
        await expire(site)


async def test_only_a_queue_that_had_its_database_for_a_heartbeat_takes_over_jobs(site: Site) -> None:
    for _ in range(2):
        await site.add(QUICK, await site.record())
    queue = await queue_of(site)
    assert len(await take(queue, 1)) == 1
    await site.value("UPDATE jobs SET held_until = now() - interval '1 second' WHERE state = 'running'")
    new = Queue(site.db, timedelta(seconds=1))
    assert [job.run for job in await take(new)] == [1]  # the one that waits
    await asyncio.sleep(STEADY_SECONDS + 0.1)
    assert await take(new) == []  # what it asked last was answered too long ago
    assert 2 in [job.run for job in await take(new)]


async def test_a_heartbeat_waits_for_no_transaction_that_adds_the_job(site: Site) -> None:
    records = [await site.record() for _ in range(2)]
    for record in records:
        await site.add(QUICK, record)
    queue = await queue_of(site)
    jobs = await take(queue)
    await expire(site)
    async with site.db.transaction() as tx:
        await add_job(tx, QUICK, site.workspace, records[0])
        async with asyncio.timeout(30):
            assert set(await queue.beat(jobs)) == {job.id for job in jobs}
        assert await take(queue) == []
    assert await site.value("SELECT array_agg(held_until > now() ORDER BY id) FROM jobs") == [False, True]


async def test_a_job_that_was_handed_back_has_lost_no_attempt(site: Site) -> None:
    await site.add(QUICK, await site.record())
    queue = await queue_of(site)
    for run in (1, 2, 3):
        [job] = await take(queue)
        assert (job.run, job.attempts) == (run, 1)
        await queue.end(job, "handed back", 0.1)


async def test_a_failed_job_that_was_added_during_its_run_waits_again_with_all_attempts(site: Site) -> None:
    record = await site.record()
    await site.add(QUICK, record)
    queue = await queue_of(site)
    [job] = await take(queue)
    await site.add(QUICK, record)
    await queue.end(job, "failed", 0.1, error="ValueError: broken")
    [again] = await take(queue)
    assert (again.id, again.attempts) == (job.id, 1)
    assert await site.value("SELECT jobs FROM job_totals WHERE outcome = 'failed'") == 1


@pytest.mark.parametrize("is_added", [True, False])
async def test_the_end_of_a_done_job_waits_for_a_transaction_that_adds_it(site: Site, is_added: bool) -> None:
    record = await site.record()
    await site.add(QUICK, record)
    queue = await queue_of(site)
    [job] = await take(queue)
    with suppress(ZeroDivisionError):
        async with site.db.transaction() as tx:
            await add_job(tx, QUICK, site.workspace, record)
            ending = asyncio.create_task(queue.end(job, "done", 0.1))
            await until(lambda: site.value(WAITS))
            1 / is_added  # rolls back
    assert await ending
    assert await site.value("SELECT array_agg(state) FROM jobs") == (["waiting"] if is_added else None)
    assert await site.value("SELECT jobs FROM job_totals WHERE outcome = 'done'") == 1
