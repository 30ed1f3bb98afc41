"""The SQL of comments on an idea."""

from uuid import UUID

from sightline.ideas.comments.records import Comment, NewComment
from sightline.platform.access import Actor
from sightline.platform.db import Tx, Where, Window, sql
from sightline.platform.ids import new_id
from sightline.platform.lists.listing import Listing, Order
from sightline.platform.lists.read import read_list
from sightline.platform.wire import Page

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
_LISTING = Listing("idea_comments", Comment, _COMMENT, _OLDEST, alias="c")
_FIND = sql(
    "SELECT {columns} FROM idea_comments AS c WHERE workspace_id = :workspace_id AND idea_id = :idea_id AND id = :id",
    columns=_COMMENT,
)


async def page_of_comments(tx: Tx, workspace_id: UUID, idea_id: UUID, window: Window) -> Page[Comment]:
    """Returns a page of all comments, oldest first."""
    return await read_list(tx, _LISTING, Where(workspace_id).equals(idea_id=idea_id), window)


_ADD = sql("""
INSERT INTO idea_comments (workspace_id, id, idea_id, member_id, api_key_id, body, visibility, created_at, updated_at)
VALUES (:workspace_id, :id, :idea_id, :member_id, :api_key_id, :body, :visibility, :now, :now)""")


async def add_comment(tx: Tx, actor: Actor, idea_id: UUID, new_comment: NewComment) -> Comment:
    """Adds a comment of the actor. A comment of a key also names the key's creator."""
    comment = {"workspace_id": actor.workspace_id, "idea_id": idea_id, "id": new_id()}
    await tx.run(
        _ADD,
        **comment,
        member_id=actor.member_id,
        api_key_id=UUID(actor.id) if actor.kind == "key" else None,
        body=new_comment.body,
        visibility=new_comment.visibility or "internal",
    )
    return Comment(*await tx.one(_FIND, **comment))


_REMOVE = sql("""
DELETE FROM idea_comments WHERE workspace_id = :workspace_id AND idea_id = :idea_id AND id = :id""")
_EXISTS = sql("""
SELECT EXISTS (SELECT FROM idea_comments WHERE workspace_id = :workspace_id AND idea_id = :idea_id AND id = :id)""")


async def remove_comment(tx: Tx, workspace_id: UUID, idea_id: UUID, id: UUID) -> bool:
    """Returns False when the idea has no such comment."""
    return await tx.run(_REMOVE, workspace_id=workspace_id, idea_id=idea_id, id=id) == 1


async def has_comment(tx: Tx, workspace_id: UUID, idea_id: UUID, id: UUID) -> bool:
    return bool(await tx.value(_EXISTS, workspace_id=workspace_id, idea_id=idea_id, id=id))
