"""How many votes an idea has. On the portal the count stands beside the idea, so that a vote writes a narrow row."""

from collections.abc import Sequence
from uuid import UUID

from sightline.platform.db import Tx, sql


def votes_of(idea: str = "") -> str:
    """Returns the expression for the votes of a row of ideas, without imported ones; `idea` is its alias, as `i.`."""
    beside = f"votes_on_portal(:workspace_id, {idea}id)"
    return f"coalesce(CASE WHEN {idea}portal_visible THEN {beside} END, {idea}vote_count)"


_COUNT = """
UPDATE {table} AS kept SET vote_count = counted.votes
  FROM (SELECT one.id, (SELECT count(*) FROM portal_votes
                         WHERE workspace_id = :workspace_id AND idea_id = one.id) AS votes
          FROM unnest(:idea_ids::uuid[]) AS one (id)) AS counted
 WHERE kept.workspace_id = :workspace_id AND kept.{id} = counted.id AND kept.vote_count <> counted.votes"""
_COUNTS = sql(_COUNT, table="ideas", id="id"), sql(_COUNT, table="idea_votes", id="idea_id")


async def count_votes_again(tx: Tx, workspace_id: UUID, idea_ids: Sequence[UUID]) -> None:
    """Sets the count of these ideas to the number of their votes."""
    for statement in _COUNTS:
        await tx.run(statement, workspace_id=workspace_id, idea_ids=sorted(set(idea_ids)))


# Follows a CTE `moved` of (idea_id, step). A vote changes neither the idea's version nor `updated_at`.
MOVE_VOTE_COUNT = """
UPDATE idea_votes SET vote_count = vote_count + moved.step FROM moved
 WHERE workspace_id = :workspace_id AND idea_votes.idea_id = moved.idea_id
RETURNING total"""
