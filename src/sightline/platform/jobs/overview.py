"""What operators see of the jobs that wait, run or have failed, also in `/metrics`, and what they can do with them."""

import asyncio
from functools import partial
from typing import Literal
from uuid import UUID

import asyncpg
import msgspec
from prometheus_client import Gauge

from sightline.platform.checks import Check
from sightline.platform.db import Database, Tx
from sightline.platform.errors import Conflict, NotFound
from sightline.platform.jobs import queries

State = Literal["waiting", "running", "failed"]

LATE_SECONDS = 5
METRICS_SECONDS = 2.0

# Each is set on request, by the process that answers it: of several values the newest counts.
_gauge = partial(Gauge, multiprocess_mode="mostrecent")
_STATES = _gauge("sightline_jobs", "Jobs that wait, run or have failed.", ["kind", "state"])
_LATE = _gauge("sightline_jobs_late_seconds", "For how long the oldest waiting job has been due.", ["kind"])
_FINISHED = _gauge("sightline_jobs_finished", "Attempts that ended; only increases.", ["kind", "outcome"])
_SECONDS = _gauge("sightline_jobs_seconds", "Total duration of attempts; only increases.", ["kind"])
_known: set[str] = set()  # kinds of which there was a job


class QueuedJob(msgspec.Struct, rename="camel"):
    """A job as `sightline jobs` shows it. `workspace` is the slug, null when the workspace is gone.

    `since` is when it started to wait or to run, or when it failed. `error` says why its last attempt failed.
    """

    id: int
    kind: str
    state: State
    workspace: str | None
    record_id: UUID
    attempts: int
    added_at: str
    run_after: str
    since: str
    error: str | None
    is_stopping: bool


async def list_jobs(tx: Tx, *, state: State | None = None, workspace_id: UUID | None = None) -> list[QueuedJob]:
    """Running jobs first, then waiting, then failed ones, each by due time; at most 1,000."""
    return [QueuedJob(*row) for row in await tx.rows(queries.LIST, state=state, workspace_id=workspace_id)]


async def retry_failed_job(tx: Tx, id: int) -> QueuedJob:
    """Queues a failed job again, with all its attempts. Raises NotFound, or Conflict when it has not failed."""
    job = await _find(tx, id)
    if job.state != "failed":
        raise Conflict(f"Job {id} is {job.state}: only a failed one can be retried.")
    try:
        await tx.run(queries.RETRY_FAILED, id=id)
    except asyncpg.UniqueViolationError:
        raise Conflict(f"A newer job for the same record exists already, so job {id} is not needed.") from None
    return await _find(tx, id)


async def stop_job(tx: Tx, id: int, operator: str) -> QueuedJob:
    """Stops a job, without further attempts, as soon as a worker sees it; its record is then marked as failed.

    A running one is stopped within a third of a heartbeat. Raises NotFound, or Conflict when it has failed already.
    """
    if not await tx.run(queries.STOP, id=id, message=f"It was stopped by {operator}."):
        job = await _find(tx, id)
        raise Conflict(f"Job {id} is {job.state} already.")
    return await _find(tx, id)


async def _find(tx: Tx, id: int) -> QueuedJob:
    row = await tx.row(queries.FIND, id=id)
    if row is None:
        raise NotFound(f"There is no job {id}: it is done or never existed.")
    return QueuedJob(*row)


async def check_jobs(tx: Tx) -> Check:
    """Warns when jobs are late and no worker is connected to the database."""
    late = max((row["late_seconds"] for row in await tx.rows(queries.TOTALS)), default=0)
    workers = await tx.value(queries.COUNT_WORKERS, name=queries.WORKER)
    if late > LATE_SECONDS and not workers:
        message = f"The oldest has waited for {late:.0f} s and no worker runs: start `sightline worker`."
        return Check("jobs", True, message, warning=True)
    return Check("jobs", True, "a worker runs" if workers else "none is late")


async def refresh_job_gauges(db: Database) -> None:
    """Reads the gauges from the database. They keep their values while the database does not answer within 2 s."""
    try:
        async with asyncio.timeout(METRICS_SECONDS), db.autocommit() as tx:
            waiting, finished = await tx.rows(queries.TOTALS), await tx.rows(queries.FINISHED)
    except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError):
        return
    _known.update(row["kind"] for row in (*waiting, *finished))
    for kind in _known:
        jobs = {row["state"]: row for row in waiting if row["kind"] == kind}
        for state in ("waiting", "running", "failed"):
            _STATES.labels(kind, state).set(jobs[state]["jobs"] if state in jobs else 0)
        _LATE.labels(kind).set(max(jobs["waiting"]["late_seconds"], 0) if "waiting" in jobs else 0)
        _SECONDS.labels(kind).set(sum(row["seconds"] for row in finished if row["kind"] == kind))
    for row in finished:
        _FINISHED.labels(row["kind"], row["outcome"]).set(row["jobs"])
