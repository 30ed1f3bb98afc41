"""The SQL of ideas that wait for a model."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID

from sightline.ideas.queries import STATE
from sightline.intelligence.engine import FeatureText
from sightline.platform.db import Tx, sql
from sightline.platform.db.database import Row
from sightline.platform.db.updates import update_record

LEASE: Final = timedelta(minutes=10)  # longer than a sweep


class Claim(NamedTuple):
    """An idea that a worker reads now. Another may claim it at `due_at`; the claim holds while that stays."""

    workspace_id: UUID
    idea_id: UUID
    due_at: datetime
    attempts: int


# Of all workspaces at once: whose idea waits longest is read first.
_DUE = sql("""
SELECT workspace_id, id, model_attempts FROM ideas WHERE workspace_id IS NOT NULL AND model_due_at <= :now
 ORDER BY model_due_at LIMIT :limit FOR NO KEY UPDATE SKIP LOCKED""")
_CLAIM = sql("""
UPDATE ideas SET model_due_at = :due_at, model_attempts = :attempts
 WHERE workspace_id = :workspace_id AND id = :idea_id""")


async def claim_due(tx: Tx, limit: int) -> list[Claim]:
    """Claims ideas that are due, and counts the attempt."""
    due = await tx.rows(_DUE, limit=limit)
    claims = [Claim(row["workspace_id"], row["id"], tx.now + LEASE, row["model_attempts"] + 1) for row in due]
    await tx.run_many(_CLAIM, [claim._asdict() for claim in claims])
    return claims


_CLAIMED = f"""
SELECT {STATE}, name_drafted FROM ideas
 WHERE workspace_id = :workspace_id AND id = :id AND model_due_at = :due_at"""
_FIND = sql(_CLAIMED)
_LOCK = sql(f"{_CLAIMED} FOR NO KEY UPDATE")


async def find_claimed(tx: Tx, claim: Claim, *, lock: bool = False) -> Row | None:
    """Returns the idea; None if it was deleted or described again, or if another worker claimed it."""
    return await tx.row(
        _LOCK if lock else _FIND, workspace_id=claim.workspace_id, id=claim.idea_id, due_at=claim.due_at
    )


_FEATURES = sql("""
SELECT f.id, f.name, f.description
  FROM unnest(:ids::uuid[]) WITH ORDINALITY AS wanted (id, n)
  JOIN features f ON f.workspace_id = :workspace_id AND f.id = wanted.id
 ORDER BY wanted.n""")


async def find_features(tx: Tx, workspace_id: UUID, ids: Sequence[UUID]) -> list[FeatureText]:
    """Returns the features in the given order."""
    return [FeatureText(*row) for row in await tx.rows(_FEATURES, workspace_id=workspace_id, ids=ids)]


_END = sql("""
UPDATE ideas
   SET model_due_at = :next_at::timestamptz,
       model_attempts = CASE WHEN :next_at::timestamptz IS NULL THEN 0 ELSE model_attempts END
 WHERE workspace_id = :workspace_id AND id = :id AND model_due_at = :due_at""")


async def end_claim(tx: Tx, claim: Claim, next_at: datetime | None = None) -> bool:
    """Makes the idea due at `next_at`, or no more. Returns False if the claim no longer holds."""
    changed = await tx.run(
        _END, workspace_id=claim.workspace_id, id=claim.idea_id, due_at=claim.due_at, next_at=next_at
    )
    return changed > 0


async def store_read(tx: Tx, claim: Claim, columns: dict[str, Any]) -> None:
    """Stores what a model read, as a change of the idea, and ends the claim."""
    ended = {"model_due_at": None, "model_attempts": 0}
    await update_record(tx, "ideas", claim.workspace_id, claim.idea_id, columns | ended)
