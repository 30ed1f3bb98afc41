"""What operators see of jobs and do about them: list, retry, stop, and /metrics."""

import subprocess
import sys

import httpx2
import pytest
from prometheus_client import REGISTRY

from sightline.platform.errors import Conflict, NotFound
from sightline.platform.jobs.overview import QueuedJob, list_jobs, refresh_job_gauges, retry_failed_job, stop_job
from tests.platform.jobs.conftest import Site
from tests.platform.jobs.entries import GATED, POISONED, QUICK
from tests.waiting import until
from tests.world import serving


async def listed(site: Site) -> list[QueuedJob]:
    async with site.db.autocommit() as tx:
        return await list_jobs(tx)


async def stop(site: Site, id: int) -> QueuedJob:
    async with site.db.transaction() as tx:
        return await stop_job(tx, id, "ada")


async def retry(site: Site, id: int) -> QueuedJob:
    async with site.db.transaction() as tx:
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
    await until(lambda: site.count(record, "started"))
    [job] = await listed(site)
    assert (await stop(site, job.id)).is_stopping
    await until(lambda: site.count(record, "dead"))
    assert (await site.count(record, "started"), await site.status(record)) == (1, "failed")
    await until(lambda: site.value("SELECT state = 'failed' FROM jobs"))


async def test_a_stopped_job_that_waits_never_starts(site: Site) -> None:
    record = await site.record()
    await site.add(GATED, record)
    [job] = await listed(site)
    await stop(site, job.id)
    site.worker()
    await until(lambda: site.count(record, "dead"))
    assert await site.count(record, "started") == 0
    assert await site.value("SELECT error FROM records") == "JobStopped: It was stopped by ada."


async def test_a_failed_job_can_be_retried_with_all_its_attempts(site: Site) -> None:
    site.worker()
    record = await site.record()
    await site.add(POISONED, record)
    await until(lambda: site.value("SELECT state = 'failed' FROM jobs"))
    [job] = await listed(site)
    assert (job.state, job.error, job.attempts) == ("failed", "ValueError: This never works.", 3)
    with pytest.raises(Conflict, match="is failed already"):
        await stop(site, job.id)
    await retry(site, job.id)
    await until(lambda: site.value("SELECT count(*) = 2 FROM effects WHERE what = 'dead'"))
    assert await site.count(record, "started") == 6


async def test_a_retried_job_revives_its_record_before_the_handler_runs(site: Site) -> None:
    record = await site.record()
    await site.add(QUICK, record)
    [job] = await listed(site)
    await site.value("UPDATE jobs SET state = 'failed'")
    await site.value("UPDATE records SET status = 'failed'")
    await retry(site, job.id)
    site.worker()
    await until(lambda: site.is_gone(record))
    assert await site.count(record, "sealed") == 1


async def test_only_a_failed_job_without_a_newer_one_is_retried(site: Site) -> None:
    record = await site.record()
    await site.add(QUICK, record)
    [job] = await listed(site)
    with pytest.raises(Conflict, match="only a failed one"):
        await retry(site, job.id)
    with pytest.raises(NotFound):
        await retry(site, job.id + 1000)
    await site.value("UPDATE jobs SET state = 'failed'")
    await site.add(QUICK, record)
    with pytest.raises(Conflict, match="newer job"):
        await retry(site, job.id)


async def test_metrics_count_the_jobs_of_all_workers(site: Site) -> None:
    record = await site.record()
    await site.add(GATED, record)
    await refresh_job_gauges(site.db)
    assert metric("sightline_jobs", state="waiting") == 1
    site.worker()
    await until(lambda: site.count(record, "started"))
    await refresh_job_gauges(site.db)
    assert (metric("sightline_jobs", state="waiting"), metric("sightline_jobs", state="running")) == (0, 1)
    await site.open_gate()
    await until(lambda: site.is_gone(record))
    await refresh_job_gauges(site.db)
    assert (metric("sightline_jobs", state="running"), metric("sightline_jobs_finished", outcome="done")) == (0, 1)
    assert (metric("sightline_jobs_seconds") or 0) > 0


async def test_the_metrics_of_an_api_process_show_jobs(site: Site) -> None:
    await site.add(QUICK, await site.record())
    async with serving(site.url) as address, httpx2.AsyncClient(verify=False) as client:
        page = (await client.get(f"{address}/metrics")).text
    assert 'sightline_jobs{kind="test.quick",state="waiting"} 1.0' in page
    assert 'sightline_jobs_late_seconds{kind="test.quick"}' in page


def metric(name: str, **labels: str) -> float | None:
    return REGISTRY.get_sample_value(name, {"kind": "test.gated", **labels})


def test_adding_jobs_does_not_import_the_worker() -> None:
    heavy = {"sightline.worker", "sightline.platform.jobs.worker"}
    code = f"import sys, sightline.app; print(sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
