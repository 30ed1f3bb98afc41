"""How many votes an idea has, kept on the idea."""

from collections.abc import Sequence
from uuid import UUID

from sightline.platform.db import Tx

_COUNT = """
UPDATE ideas i SET vote_count = v.votes, version = i.version + 1
  FROM (SELECT w.id, (SELECT count(*) FROM portal_votes p WHERE p.workspace_id = $1 AND p.idea_id = w.id) AS votes
          FROM unnest($2::uuid[]) AS w (id)) AS v
 WHERE i.workspace_id = $1 AND i.id = v.id AND i.vote_count <> v.votes"""


async def count_votes_again(tx: Tx, workspace_id: UUID, idea_ids: Sequence[UUID]) -> None:
    """Makes the number that these ideas show the number of votes that there are."""
    await tx.run(_COUNT, workspace_id, sorted(set(idea_ids)))
