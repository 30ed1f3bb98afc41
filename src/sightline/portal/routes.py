"""The API operations of the portal: votes for ideas. Decisions: Portal."""

from sightline.platform.http.operations import Call, operation
from sightline.platform.refs import IdeaRef
from sightline.platform.scopes import Scope
from sightline.portal.votes import totals
from sightline.portal.votes.totals import IdeaVotes


@operation("GET", "/ideas/{ref}/votes", scopes=[Scope.IDEAS_READ])
async def get_idea_votes(call: Call, ref: IdeaRef) -> IdeaVotes:
    """Counts the votes for an idea, in total and by account.

    A person with several accounts counts once in `total` and once for each account. The response names no people.
    """
    async with call.db.snapshot() as tx:
        return await totals.count_votes(tx, call.actor.workspace_id, ref, at_once=call.at_once)
