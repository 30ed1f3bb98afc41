"""What operators see of jobs and do about them: list, retry, stop, and /metrics."""

import subprocess
import sys

import httpx2
import pytest
from prometheus_client import REGISTRY

from sightline.platform.errors import Conflict, NotFound
from sightline.platform.jobs.metrics import tell_jobs
from sightline.platform.jobs.overview import QueuedJob, list_jobs, retry_failed_job, stop_job
from tests.platform.jobs.conftest import Site, until
from tests.platform.jobs.entries import GATED, POISONED, QUICK
from tests.world import serving


async def listed(site: Site) -> list[QueuedJob]:
    async with site.db.read() as tx:
        return await list_jobs(tx)


async def stop(site: Site, id: int) -> QueuedJob:
    async with site.db.write() as tx:
        return await stop_job(tx, id, "ada")


async def retry(site: Site, id: int) -> QueuedJob:
    async with site.db.write() as tx:
        return await retry_failed_job(tx, id)


async def test_jobs_are_listed_with_what_they_are_about(site: Site) -> None:
    record = await site.record()
    await site.add(QUICK, record)
    [job] = await listed(site)
    assert (job.kind, job.state, job.record_id, job.attempts) == ("test.quick", "waiting", record, 0)
    assert (job.workspace, job.error, job.is_stopping) == (None, None, False)


async def test_a_stopped_job_that_runs_ends_as_failed_without_further_attempts(site: Site) -> None:
    site.worker()
    record = await site.record()
    await site.add(GATED, record)
    await until(lambda: site.told(record, "begun"))
    [job] = await listed(site)
    assert (await stop(site, job.id)).is_stopping
    assert await until(lambda: site.told(record, "dead")) < 2
    assert (await site.told(record, "begun"), await site.status(record)) == (1, "failed")
    await until(lambda: site.value("SELECT status = 'failed' FROM pgqueuer"))


async def test_a_stopped_job_that_waits_never_begins(site: Site) -> None:
    record = await site.record()
    await site.add(GATED, record)
    [job] = await listed(site)
    await stop(site, job.id)
    site.worker()
    await until(lambda: site.told(record, "dead"))
    assert await site.told(record, "begun") == 0
    assert await site.value("SELECT error FROM records") == "JobStopped: It was stopped by ada."


async def test_a_failed_job_can_be_retried_and_its_record_waits_again(site: Site) -> None:
    site.worker()
    record = await site.record()
    await site.add(POISONED, record)
    await until(lambda: site.value("SELECT status = 'failed' FROM pgqueuer"))
    [job] = await listed(site)
    assert (job.state, job.error, job.attempts) == ("failed", "ValueError: This never works.", 3)
    with pytest.raises(Conflict, match="is failed already"):
        await stop(site, job.id)
    await retry(site, job.id)
    await until(lambda: site.value("SELECT count(*) = 2 FROM effects WHERE what = 'dead'"))
    assert await site.told(record, "begun") == 6


async def test_a_retried_jobs_record_waits_again_before_the_handler_looks(site: Site) -> None:
    record = await site.record()
    await site.add(QUICK, record)
    [job] = await listed(site)
    await site.value("UPDATE pgqueuer SET status = 'failed'")
    await site.value("UPDATE records SET status = 'failed'")
    await retry(site, job.id)
    site.worker()
    await until(lambda: site.is_gone(record))
    assert await site.told(record, "sealed") == 1


async def test_only_what_has_failed_is_retried_and_only_if_nothing_newer_waits(site: Site) -> None:
    record = await site.record()
    await site.add(QUICK, record)
    [job] = await listed(site)
    with pytest.raises(Conflict, match="only a failed one"):
        await retry(site, job.id)
    with pytest.raises(NotFound):
        await retry(site, job.id + 1000)
    await site.value("UPDATE pgqueuer SET status = 'failed'")
    await site.add(QUICK, record)
    with pytest.raises(Conflict, match="newer job"):
        await retry(site, job.id)


async def test_metrics_tell_of_all_workers(site: Site) -> None:
    record = await site.record()
    await site.add(GATED, record)
    await tell_jobs(site.db)
    assert metric("sightline_jobs", state="waiting") == 1
    site.worker()
    await until(lambda: site.told(record, "begun"))
    await tell_jobs(site.db)
    assert (metric("sightline_jobs", state="waiting"), metric("sightline_jobs", state="running")) == (0, 1)
    await site.open_gate()
    await until(lambda: site.is_gone(record))
    await tell_jobs(site.db)
    assert (metric("sightline_jobs", state="running"), metric("sightline_jobs_finished", outcome="done")) == (0, 1)
    assert (metric("sightline_jobs_seconds") or 0) > 0


async def test_the_page_tells_them_in_every_api_process(site: Site) -> None:
    await site.add(QUICK, await site.record())
    async with serving(site.url) as address, httpx2.AsyncClient(verify=False) as client:
        told = (await client.get(f"{address}/metrics")).text
    assert 'sightline_jobs{kind="test.quick",state="waiting"} 1.0' in told
    assert 'sightline_jobs_late_seconds{kind="test.quick"}' in told


def metric(name: str, **labels: str) -> float | None:
    return REGISTRY.get_sample_value(name, {"kind": "test.gated", **labels})


def test_who_adds_jobs_loads_nothing_of_the_worker() -> None:
    heavy = {"pgqueuer", "pydantic", "croniter", "sightline.worker", "sightline.platform.jobs.running"}
    code = f"import sys, sightline.app; print(sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
