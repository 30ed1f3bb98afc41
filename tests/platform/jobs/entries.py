"""Kinds of jobs that only tests have, and the table they write to.

Each handler leaves a row in `effects` for what it did; the unique `effect` is what may happen once only.
"""

import asyncio
from datetime import timedelta
from uuid import UUID

from sightline.platform.db import Database
from sightline.platform.jobs import JobKind, JobsOfRoom, Tick, Tools, Work, add_missing_jobs
from sightline.platform.jobs.kinds import Handler

TABLES = """
CREATE TABLE records (workspace_id uuid, id uuid, wanted int NOT NULL DEFAULT 0, seen int NOT NULL DEFAULT 0,
                      status text NOT NULL DEFAULT 'pending', error text, PRIMARY KEY (workspace_id, id));
CREATE TABLE effects (at timestamptz DEFAULT clock_timestamp(), record_id uuid, what text, worker int);
CREATE TABLE gates (name text PRIMARY KEY)"""

SEAL = "UPDATE records SET status = 'sealed' WHERE workspace_id = $1 AND id = $2 AND status = 'pending'"
TELL = "INSERT INTO effects (record_id, what, worker) VALUES ($1, $2, pg_backend_pid())"

QUICK = JobKind("test.quick")
SLOW = JobKind("test.slow")
GATED = JobKind("test.gated")
POISONED = JobKind("test.poisoned")
COUNTED = JobKind("test.counted")


async def tell(db: Database, record_id: UUID, what: str) -> None:
    """Outside of the fence: what really ran, whoever it was."""
    async with db.read() as tx:
        await tx.run(TELL, record_id, what)


async def seal(db: Database, workspace_id: UUID, record_id: UUID) -> None:
    async with db.write() as tx:
        if await tx.run(SEAL, workspace_id, record_id):
            await tx.run(TELL, record_id, "sealed")


async def quick(db: Database, _tools: Tools, workspace_id: UUID, record_id: UUID) -> None:
    await seal(db, workspace_id, record_id)


async def slow(db: Database, _tools: Tools, workspace_id: UUID, record_id: UUID) -> None:
    await tell(db, record_id, "begun")
    await asyncio.sleep(1.5)
    await seal(db, workspace_id, record_id)


async def gated(db: Database, _tools: Tools, workspace_id: UUID, record_id: UUID) -> None:
    """Waits until the gate named `open` stands in the table, then looks at what is wanted."""
    async with db.read() as tx:
        wanted = await tx.value(
            "SELECT wanted FROM records WHERE workspace_id = $1 AND id = $2", workspace_id, record_id
        )
    await tell(db, record_id, "begun")
    while True:
        async with db.read() as tx:
            if await tx.value("SELECT EXISTS (SELECT FROM gates WHERE name = 'open')"):
                break
        await asyncio.sleep(0.02)
    async with db.write() as tx:
        await tx.run(
            "UPDATE records SET seen = $3 WHERE workspace_id = $1 AND id = $2", workspace_id, record_id, wanted
        )


async def poisoned(db: Database, _tools: Tools, _workspace_id: UUID, record_id: UUID) -> None:
    await tell(db, record_id, "begun")
    raise ValueError("This never works.")


async def counted(db: Database, _tools: Tools, workspace_id: UUID, record_id: UUID) -> None:
    async with db.write() as tx:
        await tx.run("UPDATE records SET seen = seen + 1 WHERE workspace_id = $1 AND id = $2", workspace_id, record_id)


async def on_dead(db: Database, workspace_id: UUID, record_id: UUID, error: Exception) -> None:
    async with db.write() as tx:
        await tx.run(TELL, record_id, "dead")
        await tx.run(
            "UPDATE records SET status = 'failed', error = $3 WHERE workspace_id = $1 AND id = $2",
            workspace_id,
            record_id,
            f"{type(error).__name__}: {error}",
        )


async def sweep(db: Database, _tools: Tools) -> None:
    """Those whose status says that they wait for it."""
    await add_missing_jobs(db, QUICK, "SELECT workspace_id, id, NULL::timestamptz FROM records WHERE status = 'lost'")


def _work(kind: JobKind, handler: Handler) -> Work:
    return Work(kind, handler, on_dead, attempts=3, first_wait=timedelta(milliseconds=50))


JOBS = JobsOfRoom(
    work=[
        _work(QUICK, quick),
        _work(SLOW, slow),
        _work(GATED, gated),
        _work(POISONED, poisoned),
        _work(COUNTED, counted),
    ],
    ticks=[Tick("test.sweep", sweep)],
)
