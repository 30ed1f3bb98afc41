"""Ideas that wait for a model: a worker claims one by moving its due time."""

from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from sightline.ideas.queries import STATE
from sightline.ideas.store import set_due
from sightline.platform.db import Row, Tx, sql

LEASE: Final = timedelta(minutes=10)  # longer than a sweep


class Claim(NamedTuple):
    """An idea that a worker reads now. Another may claim it at `due_at`; the claim holds while that stays."""

    workspace_id: UUID
    idea_id: UUID
    due_at: datetime
    attempts: int


class Retry(NamedTuple):
    """The wait until the model is asked again, and the attempts that count until then."""

    wait: timedelta
    attempts: int


# Of all workspaces: any of them may be next, so that none waits for another's import.
_WAITING = sql("""
SELECT workspace_id FROM ideas WHERE workspace_id IS NOT NULL AND model_due_at <= :now
 GROUP BY workspace_id ORDER BY random() LIMIT :limit""")
_DUE = sql("""
SELECT id, model_attempts FROM ideas WHERE workspace_id = :workspace_id AND model_due_at <= :now
 ORDER BY model_due_at LIMIT :limit FOR NO KEY UPDATE SKIP LOCKED""")


async def claim_due(tx: Tx, limit: int) -> list[Claim]:
    """Claims ideas that are due, at most `limit`, of each workspace as many, and counts the attempt."""
    workspaces = [row["workspace_id"] for row in await tx.rows(_WAITING, limit=limit)]
    claims: list[Claim] = []
    for n, workspace_id in enumerate(workspaces):
        share = (limit - len(claims)) // (len(workspaces) - n)
        for row in await tx.rows(_DUE, workspace_id=workspace_id, limit=share):
            claim = Claim(workspace_id, row["id"], tx.now + LEASE, row["model_attempts"] + 1)
            await set_due(tx, workspace_id, claim.idea_id, claim.due_at, claim.attempts)
            claims.append(claim)
    return claims


_FIND = sql(
    """
SELECT {columns}, name_drafted FROM ideas
 WHERE workspace_id = :workspace_id AND id = :id AND model_due_at = :due_at""",
    columns=STATE,
)
# By its id alone, so that it waits for a claim that still commits though its worker had no answer.
_LOCK = sql("SELECT FROM ideas WHERE workspace_id = :workspace_id AND id = :id FOR NO KEY UPDATE")


async def find_claimed(tx: Tx, claim: Claim, *, lock: bool = False) -> Row | None:
    """Returns the idea; None if it was deleted or described again, or if another worker claimed it."""
    idea = {"workspace_id": claim.workspace_id, "id": claim.idea_id}
    if lock:
        await tx.run(_LOCK, **idea)
    return await tx.row(_FIND, **idea, due_at=claim.due_at)
