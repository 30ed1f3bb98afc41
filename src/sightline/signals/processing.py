"""Having a signal processed: its text becomes insights with exact quotes. Decisions: Signals."""

from typing import Any
from uuid import UUID

from sightline.platform.access import Actor
from sightline.platform.db import Tx
from sightline.platform.ids import new_id
from sightline.platform.jobs import JobKind, add_job
from sightline.platform.refs import SignalRef
from sightline.platform.wire import Expectation, expect_anything, shown_moment
from sightline.signals import detail, queries_intake
from sightline.signals.records_intake import ProcessingReceipt
from sightline.workspaces.changes import log_change

PROCESS_SIGNAL = JobKind("signals.process")


def again(tx: Tx, analysis_profile: str) -> dict[str, Any]:
    """The columns of a signal whose content is another than before: what is being read is not stored any more."""
    if analysis_profile == "none":
        return {}
    return {"status": "pending", "failure": None, "process_after": tx.now, "processing_id": new_id()}


async def queue(tx: Tx, workspace_id: UUID, signal_id: UUID) -> None:
    """Comes last in a transaction."""
    await add_job(tx, PROCESS_SIGNAL, workspace_id, signal_id)


async def request_processing(
    tx: Tx, actor: Actor, ref: SignalRef, expect: Expectation = expect_anything
) -> ProcessingReceipt:
    """Joins what waits already; what is being processed is processed once more. Raises NotFound, CreatorNotAllowed."""
    was = await queries_intake.lock_signal(tx, actor.workspace_id, ref)
    tx = tx.later()
    actor.require_writer()
    expect(detail.versioned(was).tag)
    is_waiting = was["status"] == "pending" and was["processing_id"] is not None
    job_id = was["processing_id"] if is_waiting else new_id()
    if not is_waiting:
        columns = {"status": "pending", "failure": None, "process_after": tx.now, "processing_id": job_id}
        await queries_intake.change_signal(tx, actor.workspace_id, was["id"], columns)
        await log_change(tx, actor, "signal", was["id"], was["public_id"], "processing_queued", job=str(job_id))
    await queue(tx, actor.workspace_id, was["id"])
    return ProcessingReceipt(
        operation="signal_processing",
        job_id=job_id,
        status="pending",
        queued=True,
        deduplicated=is_waiting,
        signal_id=was["id"],
        signal_public_id=was["public_id"],
        updated_at=shown_moment(was["updated_at"] if is_waiting else tx.now),
        status_url=f"/api/external/v1/signals/{was['public_id'] if ref.id is None else was['id']}",
    )
