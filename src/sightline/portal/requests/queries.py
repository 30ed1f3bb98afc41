"""The SQL of requests as their authors see them."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sightline.catalog.portal_labels import ShownLabel, shown_label
from sightline.platform.db import Tx, by_reference, sql
from sightline.platform.lists.single import LargeRecord
from sightline.platform.refs import IdeaRef

# The author's words are stored as the evidence of the request. Of a hidden idea the author sees only the status.
_OWN = """
    SELECT i.id, 'IDEA-' || i.number AS public_id,
           CASE WHEN i.portal_visible THEN i.name ELSE coalesce(e.title, '') END AS title,
           {text} AS text, i.status AS label,
           (SELECT portal::text FROM idea_statuses
             WHERE workspace_id = :workspace_id AND label = i.status) AS label_settings,
           i.portal_visible, r.created_at
      FROM portal_requests r
      JOIN ideas i ON i.workspace_id = :workspace_id AND i.id = r.idea_id
      LEFT JOIN LATERAL (SELECT title, description FROM idea_evidence
                          WHERE workspace_id = :workspace_id AND idea_id = i.id AND origin = 'portal'
                          ORDER BY created_at, id LIMIT 1) AS e ON true
     WHERE r.workspace_id = :workspace_id AND r.user_id = :user_id"""
_FIND_OWN = by_reference(
    f"{_OWN} AND i.{{ref}} = :ref",
    text="CASE WHEN octet_length(e.description) > :most THEN NULL ELSE coalesce(e.description, '') END",
)
_LIST_OWN = sql(f"{_OWN} ORDER BY r.created_at DESC, i.id LIMIT 200", text="''")


class OwnRequest(NamedTuple):
    """A request. `title` and `text` are the author's words, empty if they were not stored.

    `is_visible`: everyone on the portal sees the idea; the title is then the idea's.
    """

    id: UUID
    public_id: str
    title: str
    text: str
    label: str
    label_settings: str | None
    is_visible: bool
    created_at: datetime

    @property
    def status(self) -> ShownLabel | None:
        return shown_label(self.label, self.label_settings)


async def find_own_request(tx: Tx, workspace_id: UUID, ref: IdeaRef, user_id: UUID, most: int) -> OwnRequest | None:
    """Returns the person's request, or None.

    Raises LargeRecord if its text has more than `most` bytes.
    """
    row = await tx.row(_FIND_OWN[ref.column], workspace_id=workspace_id, ref=ref.value, user_id=user_id, most=most)
    if row and row["text"] is None:
        raise LargeRecord
    return OwnRequest(*row) if row else None


async def list_own_requests(tx: Tx, workspace_id: UUID, user_id: UUID) -> list[OwnRequest]:
    """Returns the person's requests without their texts, newest first, at most 200."""
    return [OwnRequest(*row) for row in await tx.rows(_LIST_OWN, workspace_id=workspace_id, user_id=user_id)]
