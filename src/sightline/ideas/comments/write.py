"""Listing, adding and deleting comments on an idea. Specification: DELETE /ideas/:id/comments/:commentId."""

from uuid import UUID

from sightline.ideas.comments.records import Comment, CommentDeletion, NewComment
from sightline.ideas.queries import find_id, hold_id
from sightline.platform.access import Actor
from sightline.platform.db import Row, Tx, Where, Window, sql
from sightline.platform.ids import derived_id, new_id
from sightline.platform.lists.large import stored_size
from sightline.platform.lists.listing import Listing, Order
from sightline.platform.lists.read import read_list
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Expectation, Page, Versioned, version_tag
from sightline.workspaces.changes import log_change, was_deleted

# The fields of a Comment in order, of a row `c`.
_COMMENT = """
    c.id, c.idea_id,
    jsonb_build_object(
        'kind', CASE WHEN c.portal_user_id IS NOT NULL THEN 'portal_user'
                     WHEN c.member_id IS NULL AND c.api_key_id IS NOT NULL THEN 'key' ELSE 'member' END,
        'id', coalesce(c.member_id, c.portal_user_id, c.api_key_id),
        'name', coalesce((SELECT name FROM members WHERE workspace_id = :workspace_id AND id = c.member_id),
                         (SELECT nullif(trim(first_name || ' ' || last_name), '') FROM portal_users
                           WHERE workspace_id = :workspace_id AND id = c.portal_user_id),
                         (SELECT name FROM api_keys WHERE workspace_id = :workspace_id AND id = c.api_key_id)))
    AS author, c.body, c.visibility, iso(c.created_at) AS created_at, iso(c.updated_at) AS updated_at"""
_OLDEST = Order("comments", "created_at", "id", UUID, has_cursor=False)
_LISTING = Listing("idea_comments", Comment, _COMMENT, _OLDEST, size=stored_size("body"), alias="c")


async def list_comments(tx: Tx, actor: Actor, ref: IdeaRef, window: Window) -> Page[Comment]:
    """Returns a page of comments, oldest first. Raises NotFound."""
    idea = await find_id(tx, actor.workspace_id, ref)
    return await read_list(tx, _LISTING, Where(actor.workspace_id).equals(idea_id=idea.id), window)


_ADD = sql(
    """
WITH c AS (
    INSERT INTO idea_comments
           (workspace_id, id, idea_id, member_id, api_key_id, body, visibility, created_at, updated_at)
    VALUES (:workspace_id, :id, :idea_id, :member_id, :api_key_id, :body, :visibility, :now, :now)
    RETURNING *)
SELECT {columns} FROM c""",
    columns=_COMMENT,
)


async def add_comment(
    tx: Tx, actor: Actor, ref: IdeaRef, new_comment: NewComment, expect: Expectation
) -> Versioned[Comment]:
    """Adds a comment of the actor. A comment of a key also names the key's creator.

    Raises NotFound, and PreconditionFailed for any `If-Match`: a new comment has no version.
    """
    idea = await hold_id(tx, actor.workspace_id, ref)
    expect(None)
    row = await tx.one(
        _ADD,
        workspace_id=actor.workspace_id,
        idea_id=idea.id,
        id=new_id(),
        member_id=actor.member_id,
        api_key_id=UUID(actor.id) if actor.kind == "key" else None,
        body=new_comment.body,
        visibility=new_comment.visibility or "internal",
    )
    await log_change(tx, actor, "idea_comment", row["id"], None, "created", ideaId=str(idea.id))
    return Versioned(Comment(*row), _tag(row))


def _tag(row: Row) -> str:
    """Returns the tag of a comment, which only a workspace file changes."""
    return version_tag(row["id"], 1, at=row["updated_at"])


_EXISTS = sql("""
SELECT id, iso(updated_at) AS updated_at
  FROM idea_comments WHERE workspace_id = :workspace_id AND idea_id = :idea_id AND id = :id""")
_REMOVE = sql("""
DELETE FROM idea_comments WHERE workspace_id = :workspace_id AND idea_id = :idea_id AND id = :id RETURNING id""")


async def delete_comment(tx: Tx, actor: Actor, ref: IdeaRef, comment_id: UUID, expect: Expectation) -> CommentDeletion:
    """Deletes a comment for good; the receipt has no text. Raises NotFound, PreconditionFailed."""
    idea = await find_id(tx, actor.workspace_id, ref)
    comment = {"workspace_id": actor.workspace_id, "idea_id": idea.id, "id": comment_id}
    expect(_tag(await tx.found(_EXISTS, **comment)))
    await tx.found(_REMOVE, **comment)
    await log_change(tx, actor, "idea_comment", comment_id, None, "deleted", ideaId=str(idea.id))
    return CommentDeletion(True, idea.id, idea.public_id, comment_id)


_ADD_OF_CUSTOMER = sql("""
    INSERT INTO idea_comments (workspace_id, id, idea_id, portal_user_id, body, visibility, created_at, updated_at)
    VALUES (:workspace_id, :id, :idea_id, :user_id, :body, 'portal', :now, :now) ON CONFLICT DO NOTHING""")
_DELETE_OWN = sql("""
    DELETE FROM idea_comments
     WHERE workspace_id = :workspace_id AND idea_id = :idea_id AND id = :id AND portal_user_id = :user_id""")


async def add_portal_comment(tx: Tx, actor: Actor, idea_id: UUID, form_id: UUID, body: str) -> UUID | None:
    """Adds a comment of a portal user to an existing idea.

    Returns its id, or None if it was sent before and deleted since; the caller then rolls back. The same text sent
    again with the same form is the same comment.
    """
    id = derived_id(form_id, actor.id, idea_id, body)
    comment = {"id": id, "idea_id": idea_id, "user_id": UUID(actor.id), "body": body}
    if await tx.run(_ADD_OF_CUSTOMER, workspace_id=actor.workspace_id, **comment):
        if await was_deleted(tx, actor.workspace_id, id):
            return None
        await log_change(tx, actor, "idea_comment", id, None, "created", ideaId=str(idea_id))
    return id


async def delete_portal_comment(tx: Tx, actor: Actor, idea_id: UUID, id: UUID) -> bool:
    """Deletes a comment that the portal user wrote. Returns False if there is no such comment."""
    if not await tx.run(_DELETE_OWN, workspace_id=actor.workspace_id, idea_id=idea_id, id=id, user_id=UUID(actor.id)):
        return False
    await log_change(tx, actor, "idea_comment", id, None, "deleted", ideaId=str(idea_id))
    return True
