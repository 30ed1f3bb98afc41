"""The SQL of a person's votes, and of what is new about their ideas."""

from datetime import datetime
from uuid import UUID

from sightline.platform.db import Tx, sql
from sightline.portal.ideas.records import SHORT, SHOWN, ShownIdea
from sightline.portal.mine.records import IdeaNews
from sightline.portal.portals.records import Portal

_VOTED = sql(
    """
    SELECT {columns} FROM {ideas}
      JOIN portal_votes AS own ON own.workspace_id = :workspace_id AND own.idea_id = ideas.id
     WHERE ideas.workspace_id = :workspace_id AND own.user_id = :user_id AND ideas.portal_visible
     ORDER BY own.created_at DESC, ideas.id LIMIT 200""",
    columns=SHORT,
    ideas=SHOWN,
)
# Pages opened within half an hour are one visit.
_VISIT = sql("""
    UPDATE portal_users
       SET visited_before = CASE WHEN visited_at + interval '30 minutes' < :now THEN visited_at ELSE visited_before END,
           visited_at = :now
     WHERE workspace_id = :workspace_id AND id = :user_id
    RETURNING visited_before""")
# Fields are logged under the name of their column, or of the file.
_NEWS = sql("""
    SELECT ideas.id, ideas.official_answer IS NOT NULL AND coalesce(edits.has_answer, false) AS is_answered,
           coalesce(edits.is_shown, false) AS is_shown,
           (SELECT count(*) FROM idea_comments
             WHERE workspace_id = :workspace_id AND idea_id = ideas.id AND visibility = 'portal'
               AND :comments_enabled AND created_at > :since AND portal_user_id IS DISTINCT FROM :user_id) AS comments
      FROM ideas
      LEFT JOIN LATERAL (SELECT bool_or(detail -> 'fields' ?| ARRAY['official_answer', 'officialAnswer']) AS has_answer,
                                bool_or(detail -> 'fields' ?| ARRAY['portal_visible', 'portalVisible']) AS is_shown
                           FROM changes
                          WHERE workspace_id = :workspace_id AND record_id = ideas.id AND action = 'updated'
                            AND at > :since) AS edits ON true
     WHERE ideas.workspace_id = :workspace_id AND ideas.id = ANY(:ids) AND ideas.portal_visible""")


async def list_voted(tx: Tx, workspace_id: UUID, user_id: UUID) -> list[ShownIdea]:
    """Returns the visible ideas that the person votes for, the latest vote first, at most 200."""
    return [ShownIdea(*row) for row in await tx.rows(_VOTED, workspace_id=workspace_id, user_id=user_id)]


async def start_visit(tx: Tx, workspace_id: UUID, user_id: UUID) -> datetime | None:
    """Notes the visit. Returns when the person was here before, or None if never."""
    before: datetime | None = await tx.value(_VISIT, workspace_id=workspace_id, user_id=user_id)
    return before


async def list_news(
    tx: Tx, portal: Portal, user_id: UUID, idea_ids: list[UUID], since: datetime
) -> dict[UUID, IdeaNews]:
    """Returns what happened to the visible ones of these ideas, beside their status."""
    rows = await tx.rows(
        _NEWS,
        workspace_id=portal.workspace_id,
        user_id=user_id,
        ids=idea_ids,
        since=since,
        comments_enabled=portal.comments_enabled,
    )
    return {row["id"]: IdeaNews(row["is_answered"], row["is_shown"], row["comments"]) for row in rows}
