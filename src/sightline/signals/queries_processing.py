"""The SQL of processing: what waits, what was found before, what is stored of what was found."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from sightline.platform.access import Actor
from sightline.platform.db import Tx
from sightline.platform.ids import new_id
from sightline.workspaces.bulk import add_to_counts

PENDING = "SELECT workspace_id, id, process_after FROM signals WHERE status IN ('pending', 'processing')"

_BEGIN = """
UPDATE signals SET status = 'processing', processing_id = coalesce(processing_id, $3), updated_at = $4,
       version = version + 1
 WHERE workspace_id = $1 AND id = $2 AND status = 'pending'"""
_FIND = """
SELECT s.processing_id, s.processor_type, s.analysis_profile, s.data, r.raw
  FROM signals AS s LEFT JOIN signal_raw AS r ON r.workspace_id = s.workspace_id AND r.signal_id = s.id
 WHERE s.workspace_id = $1 AND s.id = $2 AND s.status = 'processing'"""
_LOCK = """
SELECT account_ids, 'SIGNAL-' || number AS public_id FROM signals
 WHERE workspace_id = $1 AND id = $2 AND status = 'processing' AND processing_id IS NOT DISTINCT FROM $3 FOR UPDATE"""
_END = """
UPDATE signals SET status = $3, failure = $4, process_after = NULL, updated_at = $5, version = version + 1
 WHERE workspace_id = $1 AND id = $2"""
# One that was asked for again while it was read waits for its own attempts, unless somebody stopped them.
_FAIL = _END + " AND (status = 'processing' OR (status = 'pending' AND $6))"
_REVIVE = """
UPDATE signals SET status = 'pending', failure = NULL, process_after = $3, updated_at = $3, version = version + 1
 WHERE workspace_id = $1 AND id = $2 AND status = 'failed'"""

# What processing found and nobody has reviewed may be replaced; whatever else rests on the signal stays.
_FOUND_BEFORE = """
SELECT n.id, n.title, n.category, n.extracts,
       n.origin = 'processing' AND n.review_state = 'unreviewed' AND n.signal_ids = ARRAY[$2::uuid] AS is_ours
  FROM insight_signals AS l JOIN insights AS n ON n.workspace_id = l.workspace_id AND n.id = l.insight_id
 WHERE l.workspace_id = $1 AND l.signal_id = $2 ORDER BY n.id FOR UPDATE OF n"""
_REMOVE = "DELETE FROM insights WHERE workspace_id = $1 AND id = ANY($2)"
_ADD = """
INSERT INTO insights (workspace_id, id, title, category, extracts, origin, signal_ids, account_ids, created_at,
                      updated_at)
SELECT $1, drafted.id, drafted.title, drafted.category, drafted.extracts::jsonb, 'processing', ARRAY[$6::uuid], $7,
       $8, $8
  FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) AS drafted (id, title, category, extracts)
 ORDER BY drafted.id"""
_LINK_SIGNAL = """
INSERT INTO insight_signals (workspace_id, insight_id, signal_id)
SELECT $1, insight, $3 FROM unnest($2::uuid[]) AS insight ORDER BY insight"""
_LINK_ACCOUNTS = """
INSERT INTO insight_accounts (workspace_id, insight_id, account_id)
SELECT $1, insight, account.id
  FROM unnest($2::uuid[]) AS insight CROSS JOIN unnest($3::uuid[]) WITH ORDINALITY AS account (id, n)
 ORDER BY insight, account.n
ON CONFLICT DO NOTHING"""
_LOG = """
INSERT INTO changes (workspace_id, id, kind, record_id, action, actor_kind, actor_id, at)
SELECT $1, line.id, 'insight', line.record_id, $4, $5, $6, $7
  FROM unnest($2::uuid[], $3::uuid[]) AS line (id, record_id)"""


class Waiting(NamedTuple):
    """A signal as it was read to be processed."""

    processing_id: UUID | None
    processor_type: Any
    analysis_profile: str
    data: Any
    raw: Any


class Locked(NamedTuple):
    """The signal while what was found in it is stored."""

    accounts: list[UUID]
    public_id: str


class FoundBefore(NamedTuple):
    """An insight that rests on the signal. `is_ours`: it may be replaced."""

    id: UUID
    title: str
    category: str
    extracts: Any
    is_ours: bool


class Drafted(NamedTuple):
    """An insight to be stored."""

    id: UUID
    title: str
    category: str
    extracts: Sequence[Any]


async def begin(tx: Tx, workspace_id: UUID, signal_id: UUID) -> Waiting | None:
    """None when there is nothing to do. A signal whose worker died is `processing` already."""
    await tx.run(_BEGIN, workspace_id, signal_id, new_id(), tx.now)
    row = await tx.row(_FIND, workspace_id, signal_id)
    return None if row is None else Waiting(*row)


async def lock_as_read(tx: Tx, workspace_id: UUID, signal_id: UUID, processing_id: UUID | None) -> Locked | None:
    """None when the signal has been asked for again, or is gone, since it was read."""
    row = await tx.row(_LOCK, workspace_id, signal_id, processing_id)
    return None if row is None else Locked(*row)


async def end(tx: Tx, workspace_id: UUID, signal_id: UUID) -> None:
    await tx.run(_END, workspace_id, signal_id, "processed", None, tx.now)


async def fail(tx: Tx, workspace_id: UUID, signal_id: UUID, message: str, *, was_stopped: bool) -> bool:
    """Whether it was still under way."""
    return bool(await tx.run(_FAIL, workspace_id, signal_id, "failed", message, tx.now, was_stopped))


async def revive(tx: Tx, workspace_id: UUID, signal_id: UUID) -> bool:
    """Whether it had failed."""
    return bool(await tx.run(_REVIVE, workspace_id, signal_id, tx.now))


async def find_before(tx: Tx, workspace_id: UUID, signal_id: UUID) -> list[FoundBefore]:
    """All insights that rest on the signal, locked."""
    rows = await tx.rows(_FOUND_BEFORE, workspace_id, signal_id)
    return [FoundBefore(row[0], row[1], row[2], _decoded(row[3]), row[4]) for row in rows]


def _decoded(extracts: Any) -> list[Any]:
    return [] if extracts is None else list(msgspec.json.decode(extracts) or ())


async def link_accounts(tx: Tx, workspace_id: UUID, insights: Sequence[UUID], accounts: list[UUID]) -> None:
    """Adds what is missing."""
    await tx.run(_LINK_ACCOUNTS, workspace_id, list(insights), accounts)


async def replace(
    tx: Tx, actor: Actor, signal_id: UUID, accounts: list[UUID], gone: list[UUID], come: Sequence[Drafted]
) -> None:
    """Removes and adds insights, with their links, lines in the trail, and counts."""
    ids = [one.id for one in come]
    await tx.run(_REMOVE, actor.workspace_id, gone)
    columns = [ids, [one.title for one in come], [one.category for one in come]]
    texts = [msgspec.json.encode(one.extracts).decode() for one in come]
    moment: datetime = tx.now
    await tx.run(_ADD, actor.workspace_id, *columns, texts, signal_id, accounts, moment)
    await tx.run(_LINK_SIGNAL, actor.workspace_id, ids, signal_id)
    await link_accounts(tx, actor.workspace_id, ids, accounts)
    for action, records in (("deleted", gone), ("created", ids)):
        lines = [new_id() for _ in records]
        await tx.run(_LOG, actor.workspace_id, lines, records, action, actor.kind, actor.id, moment)
    await add_to_counts(tx, actor.workspace_id, {"insight": len(ids) - len(gone)})
