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
from sightline.platform.db import Database, Tx, retry_transaction
from sightline.platform.errors import Conflict
from sightline.platform.jobs import JobsOfRoom, JobStopped, Tick, Tools, Work, add_missing_jobs
from sightline.signals.insights.same_words import Drafted, lock_statements, replace_quotes
from sightline.signals.material import material_of
from sightline.signals.processing import queries
from sightline.signals.processing.queries import Waiting
from sightline.signals.processing.request import PROCESS_SIGNAL
from sightline.workspaces.bulk import add_to_counts
from sightline.workspaces.changes import log_change


async def process_signal(db: Database, tools: Tools, workspace_id: UUID, signal_id: UUID) -> None:
    """Reads the signal, extracts insights, stores them. Starts again if the signal changed since it was read."""
    while True:
        async with db.transaction() as tx:
            waiting = await queries.begin(tx, workspace_id, signal_id)
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


def _material(waiting: Waiting) -> SignalMaterial:
    if waiting.analysis_profile == "none":
        return SignalMaterial(waiting.processor_type)
    raw = {} if waiting.raw is None else msgspec.json.decode(waiting.raw)
    return material_of(waiting.processor_type, raw, msgspec.json.decode(waiting.data))


async def _seal(tx: Tx, workspace_id: UUID, signal_id: UUID, waiting: Waiting, made: Made[list[DraftInsight]]) -> bool:
    """Returns whether the insights were stored. Locks the signal before its insights, as all writers do."""
    await lock_statements(tx, workspace_id)
    signal = await queries.lock_as_read(tx, workspace_id, signal_id, waiting.processing_id)
    if signal is None:
        return False
    tx = tx.later()
    actor = Actor(workspace_id, "job", str(waiting.processing_id))
    drafted = [Drafted(one.title, one.category, [_extract(signal_id, q) for q in one.quotes]) for one in made.value]
    replaced = await replace_quotes(tx, actor, signal_id, signal.account_ids, drafted)
    await queries.end(tx, workspace_id, signal_id)
    detail = replaced._asdict() | {"engine": f"{made.engine} {made.version}"}
    await log_change(tx, actor, "signal", signal_id, signal.public_id, "processed", **detail)
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
        if await queries.fail(tx, workspace_id, signal_id, message, was_stopped=was_stopped):
            actor = Actor(workspace_id, "job", str(signal_id))
            await log_change(tx, actor, "signal", signal_id, None, "processing_failed")


async def revive(db: Database, workspace_id: UUID, signal_id: UUID) -> None:
    """Marks a failed signal as pending."""
    async with db.transaction() as tx:
        if await queries.revive(tx, workspace_id, signal_id):
            actor = Actor(workspace_id, "job", str(signal_id))
            await log_change(tx, actor, "signal", signal_id, None, "processing_queued")


async def resume(db: Database, tools: Tools) -> None:
    """Adds jobs for pending signals without one, which come from a workspace file or a restored backup."""
    await add_missing_jobs(db, PROCESS_SIGNAL, queries.PENDING)


JOBS = JobsOfRoom(
    work=[Work(PROCESS_SIGNAL, process_signal, give_up, revive=revive)], ticks=[Tick("signals.resume", resume)]
)
