"""How many votes an idea has, kept on the idea."""

from collections.abc import Sequence
from uuid import UUID

from sightline.platform.db import Tx, sql

_COUNT = sql("""
UPDATE ideas SET vote_count = counted.votes
  FROM (SELECT one.id, (SELECT count(*) FROM portal_votes
                         WHERE workspace_id = :workspace_id AND idea_id = one.id) AS votes
          FROM unnest(:idea_ids::uuid[]) AS one (id)) AS counted
 WHERE ideas.workspace_id = :workspace_id AND ideas.id = counted.id AND ideas.vote_count <> counted.votes""")


async def count_votes_again(tx: Tx, workspace_id: UUID, idea_ids: Sequence[UUID]) -> None:
    """Sets the count of these ideas to the number of their votes."""
    await tx.run(_COUNT, workspace_id=workspace_id, idea_ids=sorted(set(idea_ids)))


_MOVE = sql("""
    UPDATE ideas SET vote_count = vote_count + :step
     WHERE workspace_id = :workspace_id AND id = :id
    RETURNING vote_count""")


async def move_vote_count(tx: Tx, workspace_id: UUID, idea_id: UUID, step: int) -> int:
    """Changes the count and returns it. A vote changes neither the idea's version nor `updated_at`."""
    count: int = await tx.value(_MOVE, workspace_id=workspace_id, id=idea_id, step=step)
    return count
