"""The comments of an idea that customers see."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sightline.platform.db import Tx, sql
from sightline.platform.lists.single import LargeRecord

PAGE = 20

_LIST = sql("""
    SELECT c.id, CASE WHEN octet_length(c.body) <= :most THEN c.body END AS body, c.created_at,
           c.portal_user_id AS author_id, u.first_name AS author,
           c.portal_user_id IS NULL AND c.member_id IS NULL AND c.api_key_id IS NULL
           AND EXISTS (SELECT FROM changes
                        WHERE workspace_id = :workspace_id AND record_id = c.id
                          AND action = 'created' AND actor_kind = 'portal_user') AS is_by_former_user
      FROM idea_comments c
      LEFT JOIN portal_users u ON u.workspace_id = :workspace_id AND u.id = c.portal_user_id
     WHERE c.workspace_id = :workspace_id AND c.idea_id = :idea_id AND c.visibility = 'portal'
     ORDER BY c.created_at DESC, c.id DESC LIMIT :limit OFFSET :offset""")


class ShownComment(NamedTuple):
    """A comment of a customer or of the team.

    `author_id` and `author`, the first name, are set for a customer. `is_by_former_user`: a customer who has been
    removed wrote it. Otherwise the team did.
    """

    id: UUID
    body: str
    created_at: datetime
    author_id: UUID | None
    author: str | None
    is_by_former_user: bool


async def list_comments(tx: Tx, workspace_id: UUID, idea_id: UUID, page: int, most: int) -> list[ShownComment]:
    """Returns the comments of a page, oldest first, at most 20. The first page has the newest comments.

    Raises LargeRecord if one has more than `most` bytes.
    """
    window = {"limit": PAGE, "offset": (page - 1) * PAGE}
    rows = await tx.rows(_LIST, workspace_id=workspace_id, idea_id=idea_id, **window, most=most)
    if any(row["body"] is None for row in rows):
        raise LargeRecord
    return [ShownComment(*row) for row in reversed(rows)]
