"""`sightline jobs`: background work that waits, runs or has failed."""

from typing import Annotated

from sightline.cli.options import argument, option
from sightline.cli.output import table
from sightline.cli.site import Site, operator, site_command
from sightline.platform.jobs import overview
from sightline.platform.jobs.overview import QueuedJob, State
from sightline.workspaces.tenants import find_workspace

JobId = Annotated[int, argument("ID", "The job's number, as `jobs list` shows it.", min=1, max=2**63 - 1)]


def _state(job: QueuedJob) -> str:
    return "stopping" if job.is_stopping else job.state


_print = table("id", "kind", "state", "workspace", "record_id", "attempts", "run_after", "since", "error", state=_state)


@site_command("jobs list", show=_print)
async def list_(
    site: Site,
    state: Annotated[State | None, option("waiting, running or failed.", "--state", metavar="STATE")] = None,
    workspace: Annotated[str | None, option("The workspace's slug.")] = None,
) -> list[QueuedJob]:
    """Lists jobs that wait, run or have failed. At most 1,000; done jobs are not kept."""
    async with site.db.autocommit() as tx:
        found = await find_workspace(tx, workspace) if workspace else None
        return await overview.list_jobs(tx, state=state, workspace_id=found.id if found else None)


@site_command("jobs retry", show=_print)
async def retry(site: Site, job: JobId) -> list[QueuedJob]:
    """Queues a failed job again, with all its attempts."""
    async with site.db.transaction() as tx:
        return [await overview.retry_failed_job(tx, job)]


@site_command("jobs stop", show=_print)
async def stop(site: Site, job: JobId) -> list[QueuedJob]:
    """Stops a job, without further attempts. It ends within seconds; its record is then marked as failed."""
    async with site.db.transaction() as tx:
        return [await overview.stop_job(tx, job, operator().id)]
