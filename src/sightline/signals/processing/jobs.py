"""The job that processes a signal."""

from functools import partial
from typing import Any
from uuid import UUID

import msgspec

from sightline.intelligence.evidence import DraftInsight, Quote, SignalMaterial, check_quotes
from sightline.intelligence.model.choice import ENGINE_JOBS, Made, make
from sightline.intelligence.model.insights import extract_insights
from sightline.intelligence.model.session import Task
from sightline.platform.access import Actor
from sightline.platform.db import Database, Row, Tx, retry_transaction, sql
from sightline.platform.errors import Conflict
from sightline.platform.ids import new_id
from sightline.platform.jobs import JobsOfRoom, JobStopped, Tick, Tools, Work, add_missing_jobs
from sightline.signals.insights.same_words import Drafted, lock_statements, replace_quotes
from sightline.signals.material import material_of
from sightline.signals.processing.request import PROCESS_SIGNAL
from sightline.workspaces.bulk import add_to_counts
from sightline.workspaces.changes import log_change

_PENDING = "SELECT workspace_id, id, process_after FROM signals WHERE status IN ('pending', 'processing')"

_BEGIN = sql("""
UPDATE signals
   SET status = 'processing', processing_id = coalesce(processing_id, :processing_id), updated_at = :now,
       version = version + 1
 WHERE workspace_id = :workspace_id AND id = :id AND status = 'pending'""")
_FIND = sql("""
SELECT s.processing_id, s.processor_type, s.analysis_profile, s.data, r.raw
  FROM signals AS s LEFT JOIN signal_raw AS r ON r.workspace_id = :workspace_id AND r.signal_id = s.id
 WHERE s.workspace_id = :workspace_id AND s.id = :id AND s.status = 'processing'""")
_LOCK_AS_READ = sql("""
SELECT account_ids, 'SIGNAL-' || number AS public_id FROM signals
 WHERE workspace_id = :workspace_id AND id = :id AND status = 'processing'
   AND processing_id IS NOT DISTINCT FROM :processing_id FOR UPDATE""")
_END = sql("""
UPDATE signals SET status = 'processed', failure = NULL, process_after = NULL, updated_at = :now, version = version + 1
 WHERE workspace_id = :workspace_id AND id = :id""")
# If processing was requested again while the signal was read, it gets its own attempts, unless the job was stopped.
_FAIL = sql("""
UPDATE signals SET status = 'failed', failure = :message, process_after = NULL, updated_at = :now, version = version + 1
 WHERE workspace_id = :workspace_id AND id = :id
   AND (status = 'processing' OR (status = 'pending' AND :was_stopped))""")
_REVIVE = sql("""
UPDATE signals SET status = 'pending', failure = NULL, process_after = :now, updated_at = :now, version = version + 1
 WHERE workspace_id = :workspace_id AND id = :id AND status = 'failed'""")


async def process_signal(db: Database, tools: Tools, workspace_id: UUID, signal_id: UUID) -> None:
    """Reads the signal, extracts insights, stores them. Starts again if the signal changed since it was read."""
    while True:
        async with db.transaction() as tx:
            # After a worker died the signal is `processing` already.
            await tx.run(_BEGIN, workspace_id=workspace_id, id=signal_id, processing_id=new_id())
            waiting = await tx.row(_FIND, workspace_id=workspace_id, id=signal_id)
        if waiting is None:
            return
        material = _material(waiting)
        made = await _extract_insights(db, tools, Task(workspace_id, PROCESS_SIGNAL, signal_id), material)
        seal = partial(_seal, workspace_id=workspace_id, signal_id=signal_id, waiting=waiting, made=made)
        if await retry_transaction(db, seal, Conflict("The insights of the signal keep changing.")):
            return


async def _extract_insights(
    db: Database, tools: Tools, task: Task, material: SignalMaterial
) -> Made[list[DraftInsight]]:
    made = await make(
        db,
        tools,
        task,
        lambda model, session: extract_insights(model.endpoint, session, material),
        lambda engine: engine.extract_insights(material),
    )
    return made._replace(value=await ENGINE_JOBS.run_job(task.workspace_id, check_quotes, material, made.value))


def _material(waiting: Row) -> SignalMaterial:
    if waiting["analysis_profile"] == "none":
        return SignalMaterial(waiting["processor_type"])
    raw = {} if waiting["raw"] is None else msgspec.json.decode(waiting["raw"])
    return material_of(waiting["processor_type"], raw, msgspec.json.decode(waiting["data"]))


async def _seal(tx: Tx, workspace_id: UUID, signal_id: UUID, waiting: Row, made: Made[list[DraftInsight]]) -> bool:
    """Returns whether the insights were stored. Locks the signal before its insights, as all writers do."""
    await lock_statements(tx, workspace_id)
    read = {"workspace_id": workspace_id, "id": signal_id, "processing_id": waiting["processing_id"]}
    signal = await tx.row(_LOCK_AS_READ, **read)
    if signal is None:  # deleted, or requested again since it was read
        return False
    tx = tx.later()
    actor = Actor(workspace_id, "job", str(waiting["processing_id"]))
    drafted = [Drafted(one.title, one.category, [_extract(signal_id, q) for q in one.quotes]) for one in made.value]
    replaced = await replace_quotes(tx, actor, signal_id, signal["account_ids"], drafted)
    await tx.run(_END, workspace_id=workspace_id, id=signal_id)
    detail = replaced._asdict() | {"engine": f"{made.engine} {made.version}"}
    await log_change(tx, actor, "signal", signal_id, signal["public_id"], "processed", **detail)
    await add_to_counts(tx, workspace_id, {"insight": replaced.added - replaced.removed})
    return True


def _extract(signal_id: UUID, quote: Quote) -> dict[str, Any]:
    """Returns a quote as it is stored. Positions count code points of the stored text, or of the turn's text."""
    places = {"turn": quote.turn, "start": quote.start, "end": quote.end, "speaker": quote.speaker}
    known = {name: value for name, value in places.items() if value is not None}
    return {"text": quote.text, "signalId": str(signal_id)} | known


async def give_up(db: Database, workspace_id: UUID, signal_id: UUID, error: Exception) -> None:
    """Marks the signal as failed; the log has the error."""
    was_stopped = isinstance(error, JobStopped)
    message = "The job was stopped." if was_stopped else "The signal could not be processed."
    async with db.transaction() as tx:
        failure = {"message": message, "was_stopped": was_stopped}
        if await tx.run(_FAIL, workspace_id=workspace_id, id=signal_id, **failure):
            actor = Actor(workspace_id, "job", str(signal_id))
            await log_change(tx, actor, "signal", signal_id, None, "processing_failed")


async def revive(db: Database, workspace_id: UUID, signal_id: UUID) -> None:
    """Marks a failed signal as pending."""
    async with db.transaction() as tx:
        if await tx.run(_REVIVE, workspace_id=workspace_id, id=signal_id):
            actor = Actor(workspace_id, "job", str(signal_id))
            await log_change(tx, actor, "signal", signal_id, None, "processing_queued")


async def resume(db: Database, tools: Tools) -> None:
    """Adds jobs for pending signals without one, which come from a workspace file or a restored backup."""
    await add_missing_jobs(db, PROCESS_SIGNAL, _PENDING)


JOBS = JobsOfRoom(
    work=[Work(PROCESS_SIGNAL, process_signal, give_up, revive=revive)], ticks=[Tick("signals.resume", resume)]
)
