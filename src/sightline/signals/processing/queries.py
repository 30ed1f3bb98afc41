"""The SQL of processing: the states of the signal."""

from typing import Any, NamedTuple
from uuid import UUID

from sightline.platform.db import Tx, sql
from sightline.platform.ids import new_id

PENDING = "SELECT workspace_id, id, process_after FROM signals WHERE status IN ('pending', 'processing')"

_BEGIN = sql("""
UPDATE signals
   SET status = 'processing', processing_id = coalesce(processing_id, :processing_id), updated_at = :now,
       version = version + 1
 WHERE workspace_id = :workspace_id AND id = :id AND status = 'pending'""")
_FIND = sql("""
SELECT s.processing_id, s.processor_type, s.analysis_profile, s.data, r.raw
  FROM signals AS s LEFT JOIN signal_raw AS r ON r.workspace_id = :workspace_id AND r.signal_id = s.id
 WHERE s.workspace_id = :workspace_id AND s.id = :id AND s.status = 'processing'""")
_LOCK = sql("""
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


class Waiting(NamedTuple):
    """A signal to be processed."""

    processing_id: UUID | None
    processor_type: Any
    analysis_profile: str
    data: Any
    raw: Any


class Locked(NamedTuple):
    """The locked signal while the insights are stored."""

    account_ids: list[UUID]
    public_id: str


async def begin(tx: Tx, workspace_id: UUID, id: UUID) -> Waiting | None:
    """Marks a pending signal as `processing`; after a worker died it is so already. Returns None for other states."""
    await tx.run(_BEGIN, workspace_id=workspace_id, id=id, processing_id=new_id())
    row = await tx.row(_FIND, workspace_id=workspace_id, id=id)
    return None if row is None else Waiting(*row)


async def lock_as_read(tx: Tx, workspace_id: UUID, id: UUID, processing_id: UUID | None) -> Locked | None:
    """Returns None if the signal was deleted or requested again since it was read."""
    row = await tx.row(_LOCK, workspace_id=workspace_id, id=id, processing_id=processing_id)
    return None if row is None else Locked(*row)


async def end(tx: Tx, workspace_id: UUID, id: UUID) -> None:
    """Marks the signal as `processed`."""
    await tx.run(_END, workspace_id=workspace_id, id=id)


async def fail(tx: Tx, workspace_id: UUID, id: UUID, message: str, *, was_stopped: bool) -> bool:
    """Marks the signal as `failed`; returns whether it was being processed."""
    return bool(await tx.run(_FAIL, workspace_id=workspace_id, id=id, message=message, was_stopped=was_stopped))


async def revive(tx: Tx, workspace_id: UUID, id: UUID) -> bool:
    """Marks a failed signal as `pending`; returns whether it had failed."""
    return bool(await tx.run(_REVIVE, workspace_id=workspace_id, id=id))
