"""The SQL of votes: at most one row for each person and idea, also under concurrent requests."""

from typing import NamedTuple
from uuid import UUID

from sightline.ideas.vote_counts import MOVE_VOTE_COUNT
from sightline.platform.access import Actor
from sightline.platform.db import Tx, by_reference
from sightline.platform.refs import IdeaRef
from sightline.workspaces.changes import add_changes, change_by


class VotedIdea(NamedTuple):
    """What the form of a vote shows of its idea. `vote_count` includes the imported votes."""

    public_id: str
    name: str
    vote_count: int
    is_voted: bool


# The lock keeps the idea from being deleted or hidden meanwhile. The statement commits alone: votes for one idea wait
# for each other only while the database works.
_SET = """
WITH idea AS MATERIALIZED (
    SELECT id, 'IDEA-' || ideas.number AS public_id, name, total
      FROM ideas JOIN idea_votes ON idea_votes.workspace_id = :workspace_id AND idea_id = id
     WHERE ideas.workspace_id = :workspace_id AND ideas.{ref} = :ref AND portal_visible FOR NO KEY UPDATE),
moved AS ({moved}),
counted AS ({counted}),
logged AS ({logged})
SELECT public_id, name, coalesce((SELECT total FROM counted), total) AS vote_count FROM idea"""
_ADD = by_reference(
    _SET,
    moved="""
    INSERT INTO portal_votes (workspace_id, idea_id, user_id, created_at)
    SELECT :workspace_id, id, :user_id, :now FROM idea ON CONFLICT DO NOTHING
    RETURNING idea_id, 1 AS step""",
    counted=MOVE_VOTE_COUNT,
    logged=add_changes("portal_vote", "created", "idea JOIN moved ON idea_id = id"),
)
_REMOVE = by_reference(
    _SET,
    moved="""
    DELETE FROM portal_votes
     WHERE workspace_id = :workspace_id AND idea_id = (SELECT id FROM idea) AND user_id = :user_id
    RETURNING idea_id, -1 AS step""",
    counted=MOVE_VOTE_COUNT,
    logged=add_changes("portal_vote", "withdrawn", "idea JOIN moved ON idea_id = id"),
)


async def set_vote(tx: Tx, actor: Actor, ref: IdeaRef, *, is_voted: bool) -> VotedIdea | None:
    """Sets or withdraws the person's vote. Returns the idea as it is then, or None if it is not visible.

    Repeating it changes nothing.
    """
    statement = (_ADD if is_voted else _REMOVE)[ref.column]
    row = await tx.row(statement, **change_by(actor), ref=ref.value, user_id=UUID(actor.id))
    return VotedIdea(row["public_id"], row["name"], row["vote_count"], is_voted) if row else None
