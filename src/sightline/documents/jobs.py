"""The jobs of documents: a worker writes what was requested."""

from uuid import UUID

from sightline.documents.generations.generate import WRITE_DOCUMENT
from sightline.documents.generations.records import GenerationFailure
from sightline.documents.material.queries import find_requested
from sightline.documents.queries import store_document
from sightline.documents.records import DocumentWriter
from sightline.intelligence.embedded import EmbeddedEngine
from sightline.intelligence.material import DocumentType, Draft, Material
from sightline.intelligence.model.choice import ENGINE_JOBS, Made, make_by_model
from sightline.intelligence.model.documents import add_sentences
from sightline.intelligence.model.session import Task
from sightline.intelligence.tracing import keep_sourced, source_texts
from sightline.platform.access import Actor
from sightline.platform.db import Database, sql
from sightline.platform.jobs import JobsOfRoom, JobStopped, Tick, Tools, Work, add_missing_jobs
from sightline.platform.jobs.queue import HeldDatabase
from sightline.platform.turns import Turns

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


_READING = Turns(2)
# Characters of material from which a document is composed at once, in up to 70 ms during which no other job goes on. A
# thread would take more: it and the others wait for each other.
SMALL = 20_000
_RECORD = 200  # characters that take as long to compose as a record without text


async def write_document(db: Database, tools: Tools, workspace_id: UUID, generation_id: UUID) -> None:
    """Reads the material, drafts, stores. Leaves a completed or failed generation unchanged.

    If another request joins before the document is stored, it reads and drafts again. Two jobs read at once: on few
    connections, each of which plans the statement, and not long before they draft.
    """
    assert isinstance(db, HeldDatabase)  # noqa: S101 - a worker's
    while True:
        async with _READING.turn(None), db.autocommit() as tx:
            requested = await find_requested(tx, workspace_id, generation_id)
        if requested is None:
            return
        pending, material = requested
        made = await _draft(db, tools, Task(workspace_id, WRITE_DOCUMENT, generation_id), pending.type, material)
        writer, actor = DocumentWriter(made.engine, made.version), Actor(workspace_id, "job", str(generation_id))
        if await store_document(db, actor, pending, made.value, writer):
            return


async def _draft(db: Database, tools: Tools, task: Task, type: DocumentType, material: Material) -> Made[Draft]:
    """Returns the draft of the embedded engine, or that with sentences of the model, after the same check."""
    engine: EmbeddedEngine = tools[EmbeddedEngine]

    def compose() -> Draft:
        return keep_sourced(engine.write_document(type, material), material)

    texts = [*source_texts(material).values(), *material.rejected]
    is_small = sum(_RECORD + len(text) for text in texts) <= SMALL
    recorded = compose() if is_small else await ENGINE_JOBS.run_job(task.workspace_id, compose)
    made = await make_by_model(
        db, tools, task, lambda model, session: add_sentences(model.endpoint, session, recorded, material)
    )
    if made is None:
        return Made(recorded, engine.name, engine.version)
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
