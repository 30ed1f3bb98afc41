"""Workers that die, freeze and end in the middle of work. Each test kills only what it started."""

import asyncio
import signal
import subprocess
import time

import pytest

from sightline.platform.jobs.overview import list_jobs
from tests.line import open_line
from tests.platform.jobs.conftest import HEARTBEAT, Site
from tests.platform.jobs.entries import DEADLY, GATED, HELD, QUICK, SLOW
from tests.waiting import until

pytestmark = pytest.mark.slow


async def test_a_killed_workers_job_is_taken_over_within_two_heartbeats(site: Site) -> None:
    heartbeat = 3.0
    first = site.worker(heartbeat=heartbeat)
    record = await site.record()
    await site.add(GATED, record)
    await until(lambda: site.count(record, "started"))
    second = site.worker(heartbeat=heartbeat)
    first.kill()
    waited = await until(lambda: site.value("SELECT count(*) = 2 FROM effects WHERE what = 'started'"))
    assert waited < 2 * heartbeat
    await site.open_gate()
    await until(lambda: site.is_gone(record))
    assert await site.processes(record, "started") == {first.pid, second.pid}
    assert await site.processes(record, "written") == {second.pid}
    assert await site.count(record, "written") == 1


async def test_a_frozen_worker_that_wakes_up_writes_nothing(site: Site) -> None:
    """Also where the handler has no seal of its own, and the job is done meanwhile or still runs."""
    first = site.worker()
    record, again = await site.record(wanted=3), await site.record(wanted=3)
    await site.add(GATED, record)
    await site.add(GATED, again)
    await until(lambda: site.value("SELECT count(*) = 2 FROM effects WHERE what = 'started'"))
    first.send_signal(signal.SIGSTOP)
    second = site.worker()
    await until(lambda: site.value("SELECT count(*) = 4 FROM effects WHERE what = 'started'"))
    await site.value("UPDATE records SET wanted = 9")
    await site.open_gate()
    await until(lambda: site.is_gone(record))
    first.send_signal(signal.SIGCONT)
    await until(lambda: site.value("SELECT count(*) = 0 FROM jobs"))
    await until(lambda: said(site, "Job left to another worker", 2))
    for one in (record, again):
        assert await site.processes(one, "written") == {second.pid}
        assert await site.count(one, "written") == 1


async def test_a_job_that_returns_to_a_frozen_worker_is_another_run(site: Site) -> None:
    """What that worker began before it froze neither writes nor ends what it may begin now."""
    first, record = site.worker(), await site.record(wanted=3)
    await site.add(GATED, record)
    await until(lambda: site.count(record, "started"))
    first.send_signal(signal.SIGSTOP)
    second = site.worker()
    await until(lambda: site.value("SELECT count(*) = 2 FROM effects WHERE what = 'started'"))
    second.terminate()
    assert second.wait(20) == 0
    first.send_signal(signal.SIGCONT)
    await until(lambda: site.value("SELECT count(*) = 3 FROM effects WHERE what = 'started'"))
    await site.open_gate()
    await until(lambda: site.is_gone(record))
    assert await site.count(record, "written") == 1


async def said(site: Site, line: str, times: int) -> bool:
    return site.said.count(line) >= times


async def test_the_job_of_a_worker_frozen_inside_a_transaction_is_taken_over(site: Site) -> None:
    first = site.worker()
    record = await site.record()
    await site.add(HELD, record)
    await until(lambda: site.value("SELECT count(*) = 1 FROM pg_locks WHERE relation = 'effects'::regclass"))
    first.send_signal(signal.SIGSTOP)
    second = site.worker()
    await until(lambda: site.count(record, "sealed"))
    first.send_signal(signal.SIGCONT)
    await until(lambda: site.is_gone(record))
    assert await site.processes(record, "sealed") == {second.pid}


async def test_a_worker_that_wakes_up_takes_new_jobs(site: Site) -> None:
    worker = site.worker()
    worker.send_signal(signal.SIGSTOP)
    record = await site.record()
    await site.add(SLOW, record)
    await asyncio.sleep(1.5 * HEARTBEAT)
    worker.send_signal(signal.SIGCONT)
    await until(lambda: site.is_gone(record))
    assert await site.count(record, "sealed") == 1


async def test_a_job_that_ran_during_a_backup_continues_after_the_restore(site: Site) -> None:
    record = await site.record()
    await site.add(SLOW, record)
    await site.value("UPDATE jobs SET state = 'running', run = 1, attempts = 1, held_until = now()")
    site.worker()
    await until(lambda: site.is_gone(record))
    assert await site.count(record, "sealed") == 1


async def test_a_job_that_kills_its_worker_ends_as_failed(site: Site) -> None:
    record = await site.record()
    await site.add(DEADLY, record)
    for times in range(1, 4):
        assert site.worker(heartbeat=0.4).wait(60) == 9
        assert await site.count(record, "started") == times
    site.worker(heartbeat=0.4)
    await until(lambda: site.count(record, "dead"))
    assert str(await site.value("SELECT error FROM records WHERE id = $1", record)).startswith("WorkerDied")
    assert await site.count(record, "started") == 3


async def test_a_job_that_kills_its_worker_fails_alone(site: Site) -> None:
    """Those that run beside it lose their attempts too at first."""
    deadly, *others = [await site.record() for _ in range(4)]
    await site.add(DEADLY, deadly)
    for record in others:
        await site.add(SLOW, record)
    for _ in range(3):
        assert site.worker(heartbeat=0.4).wait(60) == 9
    site.worker(heartbeat=0.4)
    await until(lambda: site.count(deadly, "dead"))
    await until(lambda: site.value("SELECT bool_and(state = 'failed') FROM jobs"))
    assert [await site.status(record) for record in others] == ["sealed"] * 3


async def test_sigterm_hands_unfinished_jobs_back_at_once(site: Site) -> None:
    """Another one begins long before a heartbeat is over, and no attempt is counted."""
    first, records = site.worker(heartbeat=60), [await site.record() for _ in range(5)]
    for record in records:
        await site.add(GATED, record)
    await until(lambda: site.value("SELECT count(*) = 5 FROM effects WHERE what = 'started'"))
    second = site.worker(heartbeat=60)
    first.send_signal(signal.SIGTERM)
    waited = await until(lambda: site.value("SELECT count(*) = 10 FROM effects WHERE what = 'started'"))
    assert waited < 3
    async with site.db.autocommit() as tx:
        assert {job.attempts for job in await list_jobs(tx)} == {1}
    assert first.wait(20) == 0
    await site.open_gate()
    await until(lambda: site.value("SELECT count(*) = 0 FROM jobs"))
    for record in records:
        assert await site.processes(record, "written") == {second.pid}
        assert await site.count(record, "written") == 1


async def test_sigterm_ends_an_idle_worker(site: Site) -> None:
    worker = site.worker()
    began = time.monotonic()
    worker.terminate()
    assert worker.wait(20) == 0
    assert time.monotonic() - began < 8


async def kill_and_replace(site: Site, seconds: float) -> None:
    """Workers come and are killed, frozen or asked to end, one after the other; one is left in the end."""
    deadline = time.monotonic() + seconds
    blows = [signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP]
    fallen: list[subprocess.Popen[bytes]] = []
    while time.monotonic() < deadline:
        worker = site.worker(heartbeat=0.5, concurrency=4)
        await asyncio.sleep(0.4)
        worker.send_signal(blows[len(fallen) % 3])
        fallen.append(worker)
    for worker in fallen:
        worker.send_signal(signal.SIGCONT)
    site.worker(heartbeat=0.5)


@pytest.mark.parametrize(
    "seconds", [3, pytest.param(60, marks=pytest.mark.torture)], ids=["for a moment", "for a minute"]
)
async def test_each_job_has_its_effect_once_while_workers_are_killed_and_frozen(site: Site, seconds: float) -> None:
    records = [await site.record() for _ in range(int(seconds * 8))]
    for place, record in enumerate(records):
        await site.add((SLOW, HELD)[place % 2], record)
    await kill_and_replace(site, seconds)
    await until(lambda: site.value("SELECT count(*) = 0 FROM jobs WHERE state <> 'failed'"), 60)
    assert await site.value("SELECT count(*) FROM effects WHERE what = 'sealed'") == await site.value(
        "SELECT count(*) FROM records WHERE status = 'sealed'"
    )
    assert await site.value("SELECT count(*) FROM records WHERE status = 'pending'") == 0


async def test_a_pooler_that_stands_still_uses_up_no_attempt(site: Site) -> None:
    async with open_line(site.url) as pooler:
        await asyncio.to_thread(site.worker, pooler=pooler.url)
        await site.add(GATED, record := await site.record())
        await until(lambda: site.count(record, "started"))
        pooler.stop()
        await until(lambda: "Job met an outage of the database" in site.said)
        assert "TimeoutError: no answer in time" in site.said
        await site.add(QUICK, other := await site.record())
        looked = pooler.connections
        await until(lambda: pooler.connections > looked + 1)
        pooler.resume()
        await site.open_gate()
        await until(lambda: site.is_gone(record))
        await until(lambda: site.is_gone(other))
    assert "Job failed" not in site.said
    assert site.said.count("Job met an outage") == 1, "no other job was taken meanwhile"
    assert await site.count(record, "written") == 1
