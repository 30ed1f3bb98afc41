"""The SQL of a person's votes, and of the status changes of their ideas."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sightline.platform.db import Tx, sql
from sightline.portal.ideas.records import SHORT, ShownIdea

_VOTED = sql(
    """
    SELECT {columns} FROM ideas
      JOIN portal_votes AS own ON own.workspace_id = :workspace_id AND own.idea_id = ideas.id
     WHERE ideas.workspace_id = :workspace_id AND own.user_id = :user_id AND ideas.portal_visible
     ORDER BY own.created_at DESC, ideas.id LIMIT 200""",
    columns=SHORT,
)
_MOVES = sql("""
    SELECT record_id, at, detail ->> 'to' AS status FROM changes
     WHERE workspace_id = :workspace_id AND kind = 'idea' AND action = 'status_changed' AND record_id = ANY(:ids)
     ORDER BY at DESC, id DESC LIMIT 500""")


@dataclass(frozen=True, slots=True)
class StatusMove:
    """The time at which an idea got a status."""

    at: datetime
    status: str


async def list_voted(tx: Tx, workspace_id: UUID, user_id: UUID) -> list[ShownIdea]:
    """Returns the visible ideas that the person votes for, the latest vote first, at most 200."""
    return [ShownIdea(*row) for row in await tx.rows(_VOTED, workspace_id=workspace_id, user_id=user_id)]


async def list_moves(tx: Tx, workspace_id: UUID, idea_ids: list[UUID]) -> dict[UUID, list[StatusMove]]:
    """Returns the status changes by idea, the latest first, at most 500 in all."""
    moves: dict[UUID, list[StatusMove]] = {}
    for row in await tx.rows(_MOVES, workspace_id=workspace_id, ids=idea_ids):
        moves.setdefault(row["record_id"], []).append(StatusMove(row["at"], row["status"]))
    return moves
