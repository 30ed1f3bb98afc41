"""The jobs that wait, run or have failed, and what an operator can do with them."""

from typing import Literal
from uuid import UUID

import asyncpg
import msgspec

from sightline.platform.db import Tx
from sightline.platform.errors import Conflict, NotFound
from sightline.platform.jobs import queries

State = Literal["waiting", "running", "failed"]


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
    await tx.run(queries.WAKE)
    return await _find(tx, id)


async def stop_job(tx: Tx, id: int, operator: str) -> QueuedJob:
    """Stops a job, without further attempts, as soon as a worker sees it; its record is then marked as failed.

    A running one is stopped within a third of a heartbeat. Raises NotFound, or Conflict when it has failed already.
    """
    if not await tx.run(queries.STOP, id=id, message=f"It was stopped by {operator}."):
        job = await _find(tx, id)
        raise Conflict(f"Job {id} is {job.state} already.")
    await tx.run(queries.WAKE)
    return await _find(tx, id)


async def _find(tx: Tx, id: int) -> QueuedJob:
    row = await tx.row(queries.FIND, id=id)
    if row is None:
        raise NotFound(f"There is no job {id}: it is done or never existed.")
    return QueuedJob(*row)
