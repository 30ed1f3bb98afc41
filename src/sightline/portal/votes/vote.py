"""The SQL of votes: at most one row for each person and idea, also under concurrent requests."""

from uuid import UUID

from sightline.ideas.vote_counts import move_vote_count
from sightline.platform.access import Actor
from sightline.platform.db import Tx, by_reference, sql
from sightline.platform.refs import IdeaRef
from sightline.workspaces.changes import log_change

# Locked so that the idea is not deleted while the vote is added.
_VISIBLE = by_reference("""
    SELECT id, 'IDEA-' || number AS public_id FROM ideas
     WHERE workspace_id = :workspace_id AND {ref} = :ref AND portal_visible FOR NO KEY UPDATE""")
_ADD = sql("""
    INSERT INTO portal_votes (workspace_id, idea_id, user_id, created_at)
    VALUES (:workspace_id, :idea_id, :user_id, :now) ON CONFLICT DO NOTHING""")
_REMOVE = sql("""
    DELETE FROM portal_votes WHERE workspace_id = :workspace_id AND idea_id = :idea_id AND user_id = :user_id""")


async def set_vote(tx: Tx, actor: Actor, ref: IdeaRef, *, is_voted: bool) -> UUID | None:
    """Sets or withdraws the person's vote for a visible idea. Returns the idea's id, or None if it is not visible.

    Repeating it changes nothing.
    """
    workspace_id, user_id = actor.workspace_id, UUID(actor.id)
    idea = await tx.row(_VISIBLE[ref.column], workspace_id=workspace_id, ref=ref.value)
    if idea is None:
        return None
    idea_id: UUID = idea["id"]
    if await tx.run(_ADD if is_voted else _REMOVE, workspace_id=workspace_id, idea_id=idea_id, user_id=user_id):
        await move_vote_count(tx, workspace_id, idea_id, 1 if is_voted else -1)
        action = "created" if is_voted else "withdrawn"
        await log_change(tx, actor, "portal_vote", idea_id, idea["public_id"], action)
    return idea_id
