"""The page "My ideas": the ideas that a person requested or votes for, and what is new about them."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from starlette.responses import Response

from sightline.platform.beside import Beside
from sightline.portal.ideas.history import StatusMove, list_moves
from sightline.portal.ideas.records import ShownIdea
from sightline.portal.mine.queries import list_news, list_voted, start_visit
from sightline.portal.mine.records import ChangedIdea, IdeaNews
from sightline.portal.requests.queries import list_own_requests
from sightline.portal.requests.records import OwnRequest
from sightline.portal.visits import Visit

_NOTHING = IdeaNews()
_FEW = 20  # entries, as of other pages
_MANY = Beside("portal-mine")  # 800 entries of long names may take a tenth of a second


async def show_mine(visit: Visit) -> Response:
    """Shows what changed since the last visit, requested ideas with their history, then ideas with a vote."""
    workspace_id, user_id = visit.portal.workspace_id, visit.user.id
    async with visit.db.autocommit() as tx:
        requests = await list_own_requests(tx, workspace_id, user_id)
        voted = await list_voted(tx, workspace_id, user_id)
        ids = list({request.id for request in requests} | {idea.id for idea in voted})
        moves = await list_moves(tx, workspace_id, ids) if ids else {}
        since = None if visit.request.method == "HEAD" else await start_visit(tx, workspace_id, user_id)
        news = await list_news(tx, visit.portal, user_id, ids, since) if since and ids else {}
    changed = list(_changed(requests, voted, moves, news, since)) if since else []
    values: dict[str, Any] = {"requests": requests, "moves": moves, "voted": voted, "since": since, "changed": changed}
    if len(requests) + len(voted) > _FEW:
        return await _MANY.run(visit.page, "mine.html", **values)
    return visit.page("mine.html", **values)


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
