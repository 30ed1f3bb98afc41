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


# Follows a CTE `moved` of (idea_id, step). A vote changes neither the idea's version nor `updated_at`.
MOVE_VOTE_COUNT = """
UPDATE ideas SET vote_count = vote_count + moved.step FROM moved
 WHERE workspace_id = :workspace_id AND ideas.id = moved.idea_id
RETURNING vote_count"""
