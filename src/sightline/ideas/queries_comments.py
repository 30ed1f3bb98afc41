"""The SQL of comments on an idea."""

from uuid import UUID

from sightline.ideas.records_comments import Comment, CommentAuthor, NewComment
from sightline.platform.access import Actor
from sightline.platform.db import Tx, Window
from sightline.platform.db.database import Row
from sightline.platform.ids import new_id
from sightline.platform.wire import Page

_COMMENT = """
SELECT c.id, c.idea_id, c.body, c.visibility, iso(c.created_at), iso(c.updated_at),
       coalesce(c.member_id, c.portal_user_id, c.api_key_id) AS author_id,
       CASE WHEN c.portal_user_id IS NOT NULL THEN 'portal_user'
            WHEN c.member_id IS NULL AND c.api_key_id IS NOT NULL THEN 'key' ELSE 'member' END AS author_kind,
       coalesce(m.name, nullif(trim(u.first_name || ' ' || u.last_name), ''), k.name) AS author_name
  FROM idea_comments c
  LEFT JOIN members m ON m.workspace_id = c.workspace_id AND m.id = c.member_id
  LEFT JOIN portal_users u ON u.workspace_id = c.workspace_id AND u.id = c.portal_user_id
  LEFT JOIN api_keys k ON k.workspace_id = c.workspace_id AND k.id = c.api_key_id
 WHERE c.workspace_id = $1 AND c.idea_id = $2"""

_PAGE = f"{_COMMENT} ORDER BY c.created_at, c.id LIMIT $3 OFFSET $4"
_FIND = f"{_COMMENT} AND c.id = $3"
_COUNT = "SELECT count(*) FROM idea_comments WHERE workspace_id = $1 AND idea_id = $2"


def _as_comment(row: Row) -> Comment:
    author = CommentAuthor(row["author_kind"], row["author_id"], row["author_name"])
    return Comment(row[0], row[1], author, *row[2:6])


async def page_of_comments(tx: Tx, workspace_id: UUID, idea_id: UUID, window: Window) -> Page[Comment]:
    """Oldest first."""
    total = await tx.value(_COUNT, workspace_id, idea_id)
    rows = await tx.rows(_PAGE, workspace_id, idea_id, window.limit, window.offset)
    return Page([_as_comment(row) for row in rows], total, window)


_ADD = """
INSERT INTO idea_comments (workspace_id, id, idea_id, member_id, api_key_id, body, visibility, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)"""


async def add_comment(tx: Tx, actor: Actor, idea_id: UUID, wish: NewComment) -> Comment:
    """A key's words are signed by the key's creator as well."""
    id = new_id()
    visibility = wish.visibility or "internal"
    key_id = UUID(actor.id) if actor.kind == "key" else None
    await tx.run(_ADD, actor.workspace_id, id, idea_id, actor.member_id, key_id, wish.body, visibility, tx.now)
    row = await tx.row(_FIND, actor.workspace_id, idea_id, id)
    assert row is not None  # noqa: S101 - it was added two lines above
    return _as_comment(row)


_REMOVE = "DELETE FROM idea_comments WHERE workspace_id = $1 AND idea_id = $2 AND id = $3"


async def remove_comment(tx: Tx, workspace_id: UUID, idea_id: UUID, id: UUID) -> bool:
    """False when the idea has no such comment."""
    return await tx.run(_REMOVE, workspace_id, idea_id, id) == 1


_EXISTS = "SELECT EXISTS (SELECT FROM idea_comments WHERE workspace_id = $1 AND idea_id = $2 AND id = $3)"


async def has_comment(tx: Tx, workspace_id: UUID, idea_id: UUID, id: UUID) -> bool:
    found: bool = await tx.value(_EXISTS, workspace_id, idea_id, id)
    return found
