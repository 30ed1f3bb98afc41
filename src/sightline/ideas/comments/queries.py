"""The SQL of comments on an idea."""

from uuid import UUID

from sightline.ideas.comments.records import Comment, CommentAuthor, NewComment
from sightline.platform.access import Actor
from sightline.platform.db import Tx, Window, sql
from sightline.platform.db.database import Row
from sightline.platform.ids import new_id
from sightline.platform.wire import Page

_COMMENT = """
SELECT c.id, c.idea_id, c.body, c.visibility, iso(c.created_at) AS created_at, iso(c.updated_at) AS updated_at,
       coalesce(c.member_id, c.portal_user_id, c.api_key_id) AS author_id,
       CASE WHEN c.portal_user_id IS NOT NULL THEN 'portal_user'
            WHEN c.member_id IS NULL AND c.api_key_id IS NOT NULL THEN 'key' ELSE 'member' END AS author_kind,
       coalesce(m.name, nullif(trim(u.first_name || ' ' || u.last_name), ''), k.name) AS author_name
  FROM idea_comments c
  LEFT JOIN members m ON m.workspace_id = :workspace_id AND m.id = c.member_id
  LEFT JOIN portal_users u ON u.workspace_id = :workspace_id AND u.id = c.portal_user_id
  LEFT JOIN api_keys k ON k.workspace_id = :workspace_id AND k.id = c.api_key_id
 WHERE c.workspace_id = :workspace_id AND c.idea_id = :idea_id"""

_PAGE = sql(f"{_COMMENT} ORDER BY c.created_at, c.id LIMIT :limit OFFSET :offset")
_FIND = sql(f"{_COMMENT} AND c.id = :id")
_COUNT = sql("SELECT count(*) FROM idea_comments WHERE workspace_id = :workspace_id AND idea_id = :idea_id")


def _as_comment(row: Row) -> Comment:
    author = CommentAuthor(row["author_kind"], row["author_id"], row["author_name"])
    return Comment(
        row["id"], row["idea_id"], author, row["body"], row["visibility"], row["created_at"], row["updated_at"]
    )


async def page_of_comments(tx: Tx, workspace_id: UUID, idea_id: UUID, window: Window) -> Page[Comment]:
    """Returns a page of all comments, oldest first."""
    total = await tx.value(_COUNT, workspace_id=workspace_id, idea_id=idea_id)
    rows = await tx.rows(_PAGE, workspace_id=workspace_id, idea_id=idea_id, limit=window.limit, offset=window.offset)
    return Page([_as_comment(row) for row in rows], total, window)


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
    row = await tx.row(_FIND, **comment)
    assert row is not None  # noqa: S101 - the statement above added it
    return _as_comment(row)


_REMOVE = sql("""
DELETE FROM idea_comments WHERE workspace_id = :workspace_id AND idea_id = :idea_id AND id = :id""")
_EXISTS = sql("""
SELECT EXISTS (SELECT FROM idea_comments WHERE workspace_id = :workspace_id AND idea_id = :idea_id AND id = :id)""")


async def remove_comment(tx: Tx, workspace_id: UUID, idea_id: UUID, id: UUID) -> bool:
    """Returns False when the idea has no such comment."""
    return await tx.run(_REMOVE, workspace_id=workspace_id, idea_id=idea_id, id=id) == 1


async def has_comment(tx: Tx, workspace_id: UUID, idea_id: UUID, id: UUID) -> bool:
    found: bool = await tx.value(_EXISTS, workspace_id=workspace_id, idea_id=idea_id, id=id)
    return found
