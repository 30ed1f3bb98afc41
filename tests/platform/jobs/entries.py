"""Kinds of jobs that only tests have, and the tables they write to.

`records` is what jobs are about; `effects` says what was done, by which process. What may happen once only is written
under the seal of the record; `started` is written past every guard, to see what really ran.
"""

import asyncio
import os
from datetime import timedelta
from uuid import UUID

from sightline.platform.db import Database, Tx
from sightline.platform.jobs import JobKind, JobsOfRoom, Tick, Tools, Work, add_missing_jobs
from tests.waiting import hang, until

TABLES = """
CREATE TABLE records (workspace_id uuid, id uuid, wanted int NOT NULL DEFAULT 0, seen int NOT NULL DEFAULT 0,
                      status text NOT NULL DEFAULT 'pending', error text, PRIMARY KEY (workspace_id, id));
CREATE TABLE effects (at timestamptz DEFAULT clock_timestamp(), record_id uuid, what text, process int);
CREATE TABLE gates (name text)"""

SEAL = "UPDATE records SET status = 'sealed' WHERE workspace_id = $1 AND id = $2 AND status = 'pending'"
NOTE = "INSERT INTO effects (record_id, what, process) VALUES ($1, $2, $3)"
WANTED = "SELECT wanted FROM records WHERE workspace_id = $1 AND id = $2"
IS_OPEN = "SELECT EXISTS (SELECT FROM gates)"

QUICK = JobKind("test.quick")
SLOW = JobKind("test.slow")
GATED = JobKind("test.gated")
HELD = JobKind("test.held")
HUNG = JobKind("test.hung")
DEADLY = JobKind("test.deadly")
POISONED = JobKind("test.poisoned")
COUNTED = JobKind("test.counted")
UNRECORDED = JobKind("test.unrecorded")
CROWDED = JobKind("test.crowded")

SLOW_SECONDS = 1.2


async def note(tx: Tx, record: UUID, what: str) -> None:
    await tx.connection.execute(NOTE, record, what, os.getpid())


async def begin(db: Database, record: UUID) -> None:
    async with db.autocommit() as tx:
        await note(tx, record, "started")


async def quick(db: Database, _tools: Tools, workspace: UUID, record: UUID) -> None:
    async with db.transaction() as tx:
        if await tx.connection.execute(SEAL, workspace, record) == "UPDATE 1":
            await note(tx, record, "sealed")


async def slow(db: Database, tools: Tools, workspace: UUID, record: UUID) -> None:
    await begin(db, record)
    await asyncio.sleep(SLOW_SECONDS)
    await quick(db, tools, workspace, record)


async def gated(db: Database, _tools: Tools, workspace: UUID, record: UUID) -> None:
    """Looks at what is wanted, waits for the gate, and says what it saw, without a seal."""
    async with db.autocommit() as tx:
        wanted = await tx.connection.fetchval(WANTED, workspace, record)
    await begin(db, record)
    await gate(db)
    async with db.transaction() as tx:
        await tx.connection.execute("UPDATE records SET seen = $2 WHERE id = $1", record, wanted)
        await note(tx, record, "written")


async def gate(db: Database) -> None:
    async def is_open() -> bool:
        async with db.autocommit() as tx:
            return bool(await tx.connection.fetchval(IS_OPEN))

    await until(is_open, 600)


async def held(db: Database, _tools: Tools, workspace: UUID, record: UUID) -> None:
    """Stays inside a transaction for a while; a process that is frozen meanwhile has not committed."""
    await begin(db, record)
    async with db.transaction() as tx:
        if await tx.connection.execute(SEAL, workspace, record) == "UPDATE 1":
            await note(tx, record, "sealed")
        await asyncio.sleep(0.4)


async def hung(db: Database, _tools: Tools, _workspace: UUID, record: UUID) -> None:
    await begin(db, record)
    await hang()


async def deadly(db: Database, _tools: Tools, _workspace: UUID, record: UUID) -> None:
    await begin(db, record)
    os._exit(9)


async def poisoned(db: Database, _tools: Tools, _workspace: UUID, record: UUID) -> None:
    await begin(db, record)
    raise ValueError("This never works.")


async def crowded(db: Database, _tools: Tools, _workspace: UUID, record: UUID) -> None:
    """Finds the disk of the database full until the gate is open."""
    await begin(db, record)
    async with db.transaction() as tx:
        if not await tx.connection.fetchval(IS_OPEN):
            await tx.connection.execute("DO $$ BEGIN RAISE disk_full; END $$")
        await note(tx, record, "written")


async def counted(db: Database, _tools: Tools, _workspace: UUID, record: UUID) -> None:
    async with db.transaction() as tx:
        await tx.connection.execute("UPDATE records SET seen = seen + 1 WHERE id = $1", record)


async def on_dead(db: Database, _workspace: UUID, record: UUID, error: Exception) -> None:
    said = f"{type(error).__name__}: {error}"
    async with db.transaction() as tx:
        await note(tx, record, "dead")
        await tx.connection.execute(
            "UPDATE records SET status = 'failed', error = $2 WHERE id = $1 AND status = 'pending'", record, said
        )


async def on_dead_at_last(db: Database, workspace: UUID, record: UUID, error: Exception) -> None:
    """Fails the first time."""
    async with db.autocommit() as tx:
        await note(tx, record, "reported")
        times = await tx.connection.fetchval(
            "SELECT count(*) FROM effects WHERE record_id = $1 AND what = 'reported'", record
        )
    if times == 1:
        raise ValueError("The failure cannot be stored.")
    await on_dead(db, workspace, record, error)


async def revive(db: Database, _workspace: UUID, record: UUID) -> None:
    async with db.transaction() as tx:
        await tx.connection.execute("UPDATE records SET status = 'pending' WHERE id = $1 AND status = 'failed'", record)


async def sweep(db: Database, _tools: Tools) -> None:
    await add_missing_jobs(
        db, QUICK, "SELECT workspace_id, id, NULL::timestamptz FROM records WHERE status = 'pending' AND wanted = -1"
    )


async def break_down(_db: Database, _tools: Tools) -> None:
    raise ValueError("This tick never works.")


HANDLERS = {
    QUICK: quick,
    SLOW: slow,
    GATED: gated,
    HELD: held,
    HUNG: hung,
    DEADLY: deadly,
    POISONED: poisoned,
    COUNTED: counted,
    UNRECORDED: poisoned,
    CROWDED: crowded,
}


def works(kind: JobKind) -> Work:
    limit = timedelta(seconds=1) if kind is HUNG else timedelta(hours=1)
    wait = timedelta(milliseconds=50)
    dead = on_dead_at_last if kind is UNRECORDED else on_dead
    return Work(kind, HANDLERS[kind], dead, attempts=3, first_wait=wait, time_limit=limit, revive=revive)


JOBS = JobsOfRoom(
    work=[works(kind) for kind in HANDLERS],
    ticks=[Tick("test.hung", hang), Tick("test.broken", break_down), Tick("test.sweep", sweep)],
)
