"""What waits, runs and has failed; and what an operator can do about it."""

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

    `since` is when it began to wait, to run, or when it failed. `error`: why its last attempt failed.
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
    """What runs comes first, then what waits, then what has failed; each in the order of its turn. At most 1,000."""
    return [QueuedJob(*row) for row in await tx.rows(queries.LIST, state, workspace_id)]


async def retry_failed_job(tx: Tx, id: int) -> QueuedJob:
    """Lets a failed job begin anew, with all its attempts. Raises NotFound, or Conflict when it has not failed."""
    job = await _find(tx, id)
    if job.state != "failed":
        raise Conflict(f"Job {id} is {job.state}: only a failed one can be retried.")
    try:
        await tx.run(queries.REVIVE, id)
    except asyncpg.UniqueViolationError:
        raise Conflict(f"A newer job for the same record is there already, so that {id} is not needed.") from None
    await tx.run(queries.WAKE)
    return await _find(tx, id)


async def stop_job(tx: Tx, id: int, who: str) -> QueuedJob:
    """Ends a job without further attempts, as soon as a worker sees it; its record then says that it failed.

    A running one is ended within half a heartbeat. Raises NotFound, or Conflict when it has failed already.
    """
    if not await tx.run(queries.STOP, id, f"It was stopped by {who}."):
        job = await _find(tx, id)
        raise Conflict(f"Job {id} is {job.state} already.")
    await tx.run(queries.WAKE)
    return await _find(tx, id)


async def _find(tx: Tx, id: int) -> QueuedJob:
    row = await tx.row(queries.FIND, id)
    if row is None:
        raise NotFound(f"There is no job {id}: it is done, or never was.")
    return QueuedJob(*row)
