"""The page "My ideas": the ideas that a person requested or votes for, and what is new about them."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from starlette.responses import Response

from sightline.catalog.portal_labels import ShownLabel
from sightline.platform.beside import Beside
from sightline.platform.db import Tx, sql
from sightline.portal.ideas.queries import SHORT, SHOWN, ShownIdea, StatusMove, list_moves
from sightline.portal.portals.records import Portal
from sightline.portal.requests.queries import OwnRequest, list_own_requests
from sightline.portal.visits import Visit

_FEW = 20  # entries, as of other pages
_MANY = Beside("portal-mine")  # 800 entries of long names may take a tenth of a second

# The latest votes.
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


class IdeaNews(NamedTuple):
    """What happened to an idea: the team answered, it is shown to everybody, others wrote so many comments."""

    is_answered: bool = False
    is_shown: bool = False
    comments: int = 0


class ChangedIdea(NamedTuple):
    """An idea with news. `status` is set if it is another one."""

    public_id: str
    title: str
    status: ShownLabel | None
    news: IdeaNews


_NOTHING = IdeaNews()


async def show_mine(visit: Visit) -> Response:
    """Shows what changed since the last visit, requested ideas with their history, then ideas with a vote."""
    workspace_id, user_id = visit.portal.workspace_id, visit.user.id
    async with visit.db.autocommit() as tx:
        requests = await list_own_requests(tx, workspace_id, user_id)
        voted = [ShownIdea(*row) for row in await tx.rows(_VOTED, workspace_id=workspace_id, user_id=user_id)]
        ids = list({request.id for request in requests} | {idea.id for idea in voted})
        moves = await list_moves(tx, workspace_id, ids) if ids else {}
        since: datetime | None = None
        if visit.request.method != "HEAD":
            since = await tx.value(_VISIT, workspace_id=workspace_id, user_id=user_id)  # None for the first visit
        news = await _list_news(tx, visit.portal, user_id, ids, since) if since and ids else {}
    changed = list(_changed(requests, voted, moves, news, since)) if since else []
    values: dict[str, Any] = {"requests": requests, "moves": moves, "voted": voted, "since": since, "changed": changed}
    if len(requests) + len(voted) > _FEW:
        return await _MANY.run(visit.page, "mine.html", **values)
    return visit.page("mine.html", **values)


async def _list_news(
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


def _changed(
    requests: list[OwnRequest],
    voted: list[ShownIdea],
    moves: dict[UUID, list[StatusMove]],
    news: dict[UUID, IdeaNews],
    since: datetime,
) -> Iterator[ChangedIdea]:
    """Yields each idea that changed after `since`, once. A new status counts if the idea still has it."""
    titles = {idea.id: idea.name for idea in voted} | {request.id: request.title for request in requests}
    ideas: list[OwnRequest | ShownIdea] = [*requests, *voted]
    for one in {idea.id: idea for idea in ideas}.values():
        own = news.get(one.id, _NOTHING)
        latest = next(iter(moves.get(one.id, ())), None)
        status = latest.status if latest and latest.at > since and latest.status == one.status else None
        if status or own != _NOTHING:
            yield ChangedIdea(one.public_id, titles[one.id], status, own)
