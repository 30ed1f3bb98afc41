"""Jobs as rooms see them: added with their cause, run once at a time, retried, given up."""

from tests.platform.jobs.conftest import Site, until
from tests.platform.jobs.entries import POISONED, QUICK


async def test_a_job_runs_and_is_gone(site: Site) -> None:
    site.worker()
    record = await site.record()
    await site.add(QUICK, record)
    await until(lambda: site.told(record, "sealed"))
    await until(lambda: site.is_gone(record))
    assert await site.told(record, "sealed") == 1


async def test_a_poisoned_job_ends_as_failed_after_its_attempts(site: Site) -> None:
    site.worker()
    record = await site.record()
    await site.add(POISONED, record)
    await until(lambda: site.value("SELECT status = 'failed' FROM pgqueuer"))
    assert (await site.told(record, "begun"), await site.told(record, "dead")) == (3, 1)
    assert await site.value("SELECT error FROM records WHERE id = $1", record) == "ValueError: This never works."
