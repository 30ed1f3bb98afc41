"""Adding jobs, in the transaction that causes them."""

from datetime import datetime, timedelta
from uuid import UUID

from sightline.platform.db import Database, Tx
from sightline.platform.jobs import queries
from sightline.platform.jobs.kinds import JobKind

BATCH = 500


async def add_job(
    tx: Tx, kind: JobKind, workspace_id: UUID, record_id: UUID, *, run_after: datetime | None = None
) -> None:
    """Queues a job; a worker anywhere starts within milliseconds of the commit. Without a commit there is no job.

    If a job of the same kind and record waits, no second one is added: it runs at the earlier of both times, or when
    its next attempt is due. If one runs, it runs once more afterwards. Locks that job until the end of the transaction:
    call it last, and for several records in the order of their ids.
    """
    # The queue uses the server's clock, so a time of our clock is sent as an interval from now.
    wait = max(run_after - tx.now, timedelta(0)) if run_after else timedelta(0)
    await tx.run(queries.ADD, kind=kind.name, workspace_id=workspace_id, record_id=record_id, wait=wait)


async def add_missing_jobs(db: Database, kind: JobKind, pending: str) -> int:
    """Adds a job for every pending record that has none; called by a Tick, so that a restored database continues.

    `pending` is a constant SELECT of workspace id, record id and the moment to run after (or null), in this order.
    Returns how many were added.
    """
    added, batch = 0, BATCH
    while batch == BATCH:
        async with db.transaction() as tx:
            batch = await tx.run(queries.add_missing(pending), kind=kind.name, limit=BATCH)
            if batch:
                await tx.run(queries.WAKE)
        added += batch
    return added
