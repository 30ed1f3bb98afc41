"""What happens later: a document is written."""

import asyncio
from uuid import UUID

from sightline.documents import queries, queries_material
from sightline.documents.kinds import WRITE_DOCUMENT
from sightline.documents.records import Failure, Writer
from sightline.intelligence.engine import Engine
from sightline.platform.access import Actor
from sightline.platform.db import Database
from sightline.platform.jobs import JobsOfRoom, JobStopped, Tick, Tools, Work, add_missing_jobs
from sightline.workspaces.changes import log_change

_PENDING = "SELECT workspace_id, id, run_after FROM document_generations WHERE status = 'pending'"


async def write_document(db: Database, tools: Tools, workspace_id: UUID, generation_id: UUID) -> None:
    """Reads, writes, seals. A generation that is sealed, by whomever, is left alone.

    When it was asked for again while it was written, what was read may be old: then it is read and written anew.
    """
    engine: Engine = tools[Engine]
    while True:
        async with db.snapshot() as tx:
            pending = await queries.find_pending(tx, workspace_id, generation_id)
            if pending is None:
                return
            material = await queries_material.gather(tx, workspace_id, pending.initiative_id)
        draft = await asyncio.to_thread(engine.write_document, pending.type, material)
        async with db.write() as tx:
            if await queries.complete(tx, workspace_id, generation_id, pending.wishes):
                await queries.store(tx, workspace_id, pending, draft, Writer(engine.name, engine.version))
                actor = Actor(workspace_id, "job", str(generation_id))
                await log_change(tx, actor, "document", pending.document_id, None, "written", type=pending.type)
                return


async def give_up(db: Database, workspace_id: UUID, generation_id: UUID, error: Exception) -> None:
    """Lets the receipt say that nothing was written; what went wrong inside stands in the log."""
    message = "Somebody stopped it." if isinstance(error, JobStopped) else "The document could not be written."
    async with db.write() as tx:
        await queries.fail(tx, workspace_id, generation_id, Failure(message, retryable=True))


async def revive(db: Database, workspace_id: UUID, generation_id: UUID) -> None:
    """Lets a failed generation wait again, unless the same document was asked for since."""
    async with db.write() as tx:
        await queries.revive(tx, workspace_id, generation_id)


async def resume(db: Database, tools: Tools) -> None:
    """Finds generations without a job, as after a restore."""
    await add_missing_jobs(db, WRITE_DOCUMENT, _PENDING)


JOBS = JobsOfRoom(
    work=[Work(WRITE_DOCUMENT, write_document, give_up, revive=revive)], ticks=[Tick("documents.resume", resume)]
)
