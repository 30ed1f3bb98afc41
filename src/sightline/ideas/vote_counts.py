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


_MOVE = """
UPDATE ideas SET vote_count = vote_count + {step}
 WHERE workspace_id = :workspace_id AND id = (SELECT idea_id FROM {votes})
RETURNING vote_count"""


def move_vote_count(step: int, votes: str) -> str:
    """Returns the UPDATE that adds `step` to the count of the idea of `votes`, a CTE with at most one `idea_id`.

    A vote changes neither the idea's version nor `updated_at`.
    """
    return _MOVE.format(step=step, votes=votes)
