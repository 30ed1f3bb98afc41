"""Adding jobs, in the transaction that causes them."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

import msgspec

from sightline.platform.db import Database, Tx
from sightline.platform.jobs import queries
from sightline.platform.jobs.kinds import JobKind

BATCH = 500


class Wanted(NamedTuple):
    """A record that waits for a job, at once or not before a moment."""

    workspace_id: UUID
    record_id: UUID
    run_after: datetime | None


class Payload(msgspec.Struct, rename="camel"):
    """What stands in a job."""

    workspace_id: UUID
    record_id: UUID


async def add_job(
    tx: Tx, kind: JobKind, workspace_id: UUID, record_id: UUID, *, run_after: datetime | None = None
) -> None:
    """Queues a job; a worker anywhere starts within milliseconds of the commit. Without a commit there is no job.

    While one of the same kind and record waits, no second is made: it runs at the earlier moment of both, or when its
    next attempt is due. While one runs, it runs once more afterwards. Locks that job until the end of the transaction:
    call it last, and for several records in the order of their ids.
    """
    await _add(tx, kind, [Wanted(workspace_id, record_id, run_after)])


async def add_missing_jobs(db: Database, kind: JobKind, pending: str) -> int:
    """Adds a job for every pending record that has none, for a Tick: a restored database goes on, nothing is forgotten.

    `pending` is a constant SELECT of workspace id, record id and the moment to run after (or null), in this order.
    Returns how many were added.
    """
    added = 0
    while True:
        async with db.write() as tx:
            rows = await tx.rows(queries.without_job(pending), kind.name, BATCH)
            await _add(tx, kind, [Wanted(*row) for row in rows])
        added += len(rows)
        if len(rows) < BATCH:
            return added


async def _add(tx: Tx, kind: JobKind, wanted: Sequence[Wanted]) -> None:
    """The queue counts in the server's own time, so a moment of our clock travels as a distance from now."""
    if not wanted:
        return
    waits = [max(one.run_after - tx.now, timedelta(0)) if one.run_after else timedelta(0) for one in wanted]
    payloads = [msgspec.json.encode(Payload(one.workspace_id, one.record_id)) for one in wanted]
    keys = [kind.key(one.workspace_id, one.record_id) for one in wanted]
    await tx.run(queries.ADD, kind.name, keys, payloads, waits)
