"""The page "My ideas": the ideas that a person requested or votes for."""

from starlette.responses import Response

from sightline.portal.mine.queries import list_moves, list_voted
from sightline.portal.requests.queries import list_own_requests
from sightline.portal.visits import Visit


async def show_mine(visit: Visit) -> Response:
    """Shows requested ideas with the changes of their status, then those voted for."""
    workspace_id, user_id = visit.portal.workspace_id, visit.user.id
    async with visit.db.autocommit() as tx:
        requests = await list_own_requests(tx, workspace_id, user_id)
        moves = await list_moves(tx, workspace_id, [request.id for request in requests]) if requests else {}
        voted = await list_voted(tx, workspace_id, user_id)
    return visit.page("mine.html", requests=requests, moves=moves, voted=voted)
