"""Comments that customers write on the portal."""

from uuid import UUID

from sightline.platform.access import Actor
from sightline.platform.db import Tx, sql
from sightline.platform.ids import derived_id
from sightline.workspaces.changes import log_change, was_deleted

_ADD = sql("""
    INSERT INTO idea_comments (workspace_id, id, idea_id, portal_user_id, body, visibility, created_at, updated_at)
    VALUES (:workspace_id, :id, :idea_id, :user_id, :body, 'portal', :now, :now) ON CONFLICT DO NOTHING""")
_DELETE = sql("""
    DELETE FROM idea_comments
     WHERE workspace_id = :workspace_id AND idea_id = :idea_id AND id = :id AND portal_user_id = :user_id""")


async def add_portal_comment(tx: Tx, actor: Actor, idea_id: UUID, form_id: UUID, body: str) -> UUID | None:
    """Adds a comment of a portal user to an existing idea.

    Returns its id, or None if it was sent before and deleted since; the caller then rolls back. The same text sent
    again with the same form is the same comment.
    """
    id = derived_id(form_id, actor.id, idea_id, body)
    if await tx.run(_ADD, workspace_id=actor.workspace_id, id=id, idea_id=idea_id, user_id=UUID(actor.id), body=body):
        if await was_deleted(tx, actor.workspace_id, id):
            return None
        await log_change(tx, actor, "idea_comment", id, None, "created", ideaId=str(idea_id))
    return id


async def delete_portal_comment(tx: Tx, actor: Actor, idea_id: UUID, id: UUID) -> bool:
    """Deletes a comment that the portal user wrote. Returns False if there is no such comment."""
    if not await tx.run(_DELETE, workspace_id=actor.workspace_id, idea_id=idea_id, id=id, user_id=UUID(actor.id)):
        return False
    await log_change(tx, actor, "idea_comment", id, None, "deleted", ideaId=str(idea_id))
    return True
