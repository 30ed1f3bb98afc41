"""The SQL of processing: the signal, its earlier insights, and its new ones."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from sightline.platform.access import Actor
from sightline.platform.db import Tx, sql
from sightline.platform.ids import new_id
from sightline.workspaces.changes import add_changes, change_by

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

# Insights that processing created and that are unreviewed may be replaced; others stay.
_FOUND_BEFORE = sql("""
SELECT n.id, n.title, n.category, n.extracts,
       n.origin = 'processing' AND n.review_state = 'unreviewed' AND n.signal_ids = ARRAY[:signal_id::uuid]
       AS is_replaceable
  FROM insight_signals AS l JOIN insights AS n ON n.workspace_id = :workspace_id AND n.id = l.insight_id
 WHERE l.workspace_id = :workspace_id AND l.signal_id = :signal_id ORDER BY n.id FOR UPDATE OF n""")
_REMOVE = sql("DELETE FROM insights WHERE workspace_id = :workspace_id AND id = ANY(:ids)")
_ADD = sql("""
INSERT INTO insights (workspace_id, id, title, category, extracts, origin, signal_ids, account_ids, created_at,
                      updated_at)
SELECT :workspace_id, drafted.id, drafted.title, drafted.category, drafted.extracts::jsonb, 'processing',
       ARRAY[:signal_id::uuid], :account_ids, :now, :now
  FROM unnest(:ids::uuid[], :titles::text[], :categories::text[], :extracts::text[])
       AS drafted (id, title, category, extracts)
 ORDER BY drafted.id""")
_LINK_SIGNAL = sql("""
INSERT INTO insight_signals (workspace_id, insight_id, signal_id)
SELECT :workspace_id, insight, :signal_id FROM unnest(:ids::uuid[]) AS insight ORDER BY insight""")
_LINK_ACCOUNTS = sql("""
INSERT INTO insight_accounts (workspace_id, insight_id, account_id)
SELECT :workspace_id, insight, account.id
  FROM unnest(:ids::uuid[]) AS insight
 CROSS JOIN unnest(:account_ids::uuid[]) WITH ORDINALITY AS account (id, n)
 ORDER BY insight, account.n
ON CONFLICT DO NOTHING""")
_LOG = {
    action: sql(
        add_changes(
            "insight",
            action,
            "unnest(:change_ids::uuid[], :ids::uuid[]) AS line (change_id, id)",
            change_id="line.change_id",
            public_id="NULL",
        )
    )
    for action in ("created", "deleted")
}


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


class FoundBefore(NamedTuple):
    """A stored insight that rests on the signal."""

    id: UUID
    title: str
    category: str
    extracts: Any
    is_replaceable: bool


class Drafted(NamedTuple):
    """An insight to be stored."""

    id: UUID
    title: str
    category: str
    extracts: Sequence[Any]


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


async def find_before(tx: Tx, workspace_id: UUID, signal_id: UUID) -> list[FoundBefore]:
    """Returns all insights that rest on the signal, locked."""
    rows = await tx.rows(_FOUND_BEFORE, workspace_id=workspace_id, signal_id=signal_id)
    return [FoundBefore(*row)._replace(extracts=_decoded(row["extracts"])) for row in rows]


def _decoded(extracts: Any) -> list[Any]:
    return [] if extracts is None else list(msgspec.json.decode(extracts) or ())


async def link_accounts(tx: Tx, workspace_id: UUID, insights: Sequence[UUID], accounts: list[UUID]) -> None:
    """Links each insight with each account, unless it is already."""
    await tx.run(_LINK_ACCOUNTS, workspace_id=workspace_id, ids=insights, account_ids=accounts)


async def remove_insights(tx: Tx, actor: Actor, ids: list[UUID]) -> None:
    """Removes insights and logs it."""
    await tx.run(_REMOVE, workspace_id=actor.workspace_id, ids=ids)
    await _log(tx, actor, "deleted", ids)


async def add_insights(tx: Tx, actor: Actor, signal_id: UUID, accounts: list[UUID], drafted: Sequence[Drafted]) -> None:
    """Adds insights with their links and logs it."""
    ids = [one.id for one in drafted]
    await tx.run(
        _ADD,
        workspace_id=actor.workspace_id,
        signal_id=signal_id,
        account_ids=accounts,
        ids=ids,
        titles=[one.title for one in drafted],
        categories=[one.category for one in drafted],
        extracts=[msgspec.json.encode(one.extracts).decode() for one in drafted],
    )
    await tx.run(_LINK_SIGNAL, workspace_id=actor.workspace_id, ids=ids, signal_id=signal_id)
    await link_accounts(tx, actor.workspace_id, ids, accounts)
    await _log(tx, actor, "created", ids)


async def _log(tx: Tx, actor: Actor, action: str, ids: list[UUID]) -> None:
    values = {name: value for name, value in change_by(actor).items() if name != "change_id"}
    await tx.run(_LOG[action], **values, change_ids=[new_id() for _ in ids], ids=ids)
