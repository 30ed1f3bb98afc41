"""Listing, adding and deleting comments on an idea. Specification: DELETE /ideas/:id/comments/:commentId."""

from uuid import UUID

from sightline.ideas.comments.records import Comment, CommentDeletion, NewComment
from sightline.ideas.queries import find_id, hold_id
from sightline.platform.access import Actor
from sightline.platform.db import Row, Tx, Where, Window, sql
from sightline.platform.ids import new_id
from sightline.platform.lists.large import stored_size
from sightline.platform.lists.listing import Listing, Order
from sightline.platform.lists.read import read_list
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Expectation, Page, Versioned, expect_anything, version_tag
from sightline.workspaces.changes import log_change

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
    tx: Tx, actor: Actor, ref: IdeaRef, new_comment: NewComment, expect: Expectation = expect_anything
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


async def delete_comment(
    tx: Tx, actor: Actor, ref: IdeaRef, comment_id: UUID, expect: Expectation = expect_anything
) -> CommentDeletion:
    """Deletes a comment for good; the receipt has no text. Raises NotFound, PreconditionFailed."""
    idea = await find_id(tx, actor.workspace_id, ref)
    comment = {"workspace_id": actor.workspace_id, "idea_id": idea.id, "id": comment_id}
    expect(_tag(await tx.found(_EXISTS, **comment)))
    await tx.found(_REMOVE, **comment)
    await log_change(tx, actor, "idea_comment", comment_id, None, "deleted", ideaId=str(idea.id))
    return CommentDeletion(True, idea.id, idea.public_id, comment_id)
