"""Requesting that a signal is processed. Decisions: Signals."""

from typing import Any
from uuid import UUID

from sightline.platform.access import Actor
from sightline.platform.db import Tx, update_record
from sightline.platform.ids import new_id
from sightline.platform.jobs import JobKind, add_job
from sightline.platform.refs import SignalRef
from sightline.platform.wire import Expectation, shown_moment
from sightline.signals import queries, read
from sightline.signals.records import ProcessingReceipt
from sightline.workspaces.changes import log_change

PROCESS_SIGNAL = JobKind("signals.process")


def again(tx: Tx, analysis_profile: str) -> dict[str, Any]:
    """Returns the columns of a signal with new content. Results of processing already under way are then dropped."""
    return {} if analysis_profile == "none" else _waiting(tx)


def _waiting(tx: Tx) -> dict[str, Any]:
    return {"status": "pending", "failure": None, "process_after": tx.now, "processing_id": new_id()}


async def queue(tx: Tx, workspace_id: UUID, signal_id: UUID) -> None:
    """Adds the job. Call it last in the transaction."""
    await add_job(tx, PROCESS_SIGNAL, workspace_id, signal_id)


async def request_processing(tx: Tx, actor: Actor, ref: SignalRef, expect: Expectation) -> ProcessingReceipt:
    """Queues the signal unless it is queued already. A signal that is being processed is processed once more.

    Raises NotFound, PreconditionFailed.
    """
    signal = await queries.lock_signal(tx, actor.workspace_id, ref)
    tx = tx.later()
    expect(read.tag_of(signal))
    is_waiting = signal["status"] == "pending" and signal["processing_id"] is not None
    columns = {"processing_id": signal["processing_id"]} if is_waiting else _waiting(tx)
    job_id = columns["processing_id"]
    if not is_waiting:
        await update_record(tx, "signals", actor.workspace_id, signal["id"], columns)
        await log_change(tx, actor, "signal", signal["id"], signal["public_id"], "processing_queued", job=str(job_id))
    await queue(tx, actor.workspace_id, signal["id"])
    return ProcessingReceipt(
        operation="signal_processing",
        job_id=job_id,
        status="pending",
        queued=True,
        deduplicated=is_waiting,
        signal_id=signal["id"],
        signal_public_id=signal["public_id"],
        updated_at=shown_moment(signal["updated_at"] if is_waiting else tx.now),
        status_url=f"/api/external/v1/signals/{signal['public_id'] if ref.id is None else signal['id']}",
    )
