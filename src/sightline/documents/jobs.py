"""The jobs of documents: a worker writes what was requested."""

from uuid import UUID

from sightline.documents.generations.generate import WRITE_DOCUMENT
from sightline.documents.generations.records import GenerationFailure
from sightline.documents.material.queries import find_requested
from sightline.documents.queries import store_document
from sightline.documents.records import DocumentWriter
from sightline.intelligence.embedded import EmbeddedEngine
from sightline.intelligence.material import DocumentType, Draft, Material
from sightline.intelligence.model.choice import ENGINE_JOBS, Made, make
from sightline.intelligence.model.documents import add_sentences
from sightline.intelligence.model.session import Task
from sightline.intelligence.tracing import keep_sourced
from sightline.platform.access import Actor
from sightline.platform.db import Database, sql
from sightline.platform.jobs import JobsOfRoom, JobStopped, Tick, Tools, Work, add_missing_jobs

_PENDING = "SELECT workspace_id, id, run_after FROM document_generations WHERE status = 'pending'"
_FAIL = sql("""
UPDATE document_generations SET status = 'failed', failure = :failure, updated_at = :now
 WHERE workspace_id = :workspace_id AND id = :id AND status = 'pending'""")
_REVIVE = sql("""
UPDATE document_generations AS g SET status = 'pending', failure = NULL, updated_at = :now
 WHERE workspace_id = :workspace_id AND id = :id AND status = 'failed'
   AND NOT EXISTS (SELECT FROM document_generations AS newer
                    WHERE newer.workspace_id = :workspace_id AND newer.initiative_id = g.initiative_id
                      AND newer.type = g.type AND (newer.created_at, newer.id) > (g.created_at, g.id))""")


async def write_document(db: Database, tools: Tools, workspace_id: UUID, generation_id: UUID) -> None:
    """Reads the material, drafts, stores. Leaves a completed or failed generation unchanged.

    If another request joins before the document is stored, it reads and drafts again.
    """
    while True:
        async with db.autocommit() as tx:
            requested = await find_requested(tx, workspace_id, generation_id)
        if requested is None:
            return
        pending, material = requested
        made = await _draft(db, tools, Task(workspace_id, WRITE_DOCUMENT, generation_id), pending.type, material)
        writer, actor = DocumentWriter(made.engine, made.version), Actor(workspace_id, "job", str(generation_id))
        async with db.transaction() as tx:
            if await store_document(tx, actor, generation_id, pending.requests, made.value, writer):
                return


async def _draft(db: Database, tools: Tools, task: Task, type: DocumentType, material: Material) -> Made[Draft]:
    """Returns the draft of the embedded engine, or that with sentences of the model, after the same check."""
    engine: EmbeddedEngine = tools[EmbeddedEngine]
    recorded = await ENGINE_JOBS.run_job(task.workspace_id, engine.write_document, type, material)
    made = await make(
        db,
        tools,
        task,
        lambda model, session: add_sentences(model.endpoint, session, recorded, material),
        lambda engine: recorded,  # it is written already; this says who wrote it
    )
    return made._replace(value=await ENGINE_JOBS.run_job(task.workspace_id, keep_sourced, made.value, material))


async def give_up(db: Database, workspace_id: UUID, generation_id: UUID, error: Exception) -> None:
    """Fails the generation with a safe message; the log has the error."""
    message = "The job was stopped." if isinstance(error, JobStopped) else "The document could not be written."
    async with db.transaction() as tx:
        failure = GenerationFailure(message, retryable=True)
        await tx.run(_FAIL, workspace_id=workspace_id, id=generation_id, failure=failure)


async def revive(db: Database, workspace_id: UUID, generation_id: UUID) -> None:
    """Makes a failed generation pending, unless the same document was requested since."""
    async with db.transaction() as tx:
        await tx.run(_REVIVE, workspace_id=workspace_id, id=generation_id)


async def resume(db: Database, tools: Tools) -> None:
    """Adds jobs for pending generations without one, for example after a restore."""
    await add_missing_jobs(db, WRITE_DOCUMENT, _PENDING)


JOBS = JobsOfRoom(
    work=[Work(WRITE_DOCUMENT, write_document, give_up, revive=revive)], ticks=[Tick("documents.resume", resume)]
)
