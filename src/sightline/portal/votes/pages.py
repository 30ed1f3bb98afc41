"""Voting for an idea, and withdrawing the vote."""

from urllib.parse import urlencode

from starlette.responses import Response

from sightline.platform.db.retries import retry_when_overtaken
from sightline.platform.errors import Conflict
from sightline.portal.ideas.pages import read_reference
from sightline.portal.ideas.queries import find_visible
from sightline.portal.problems import FormNotAccepted, FormNotReadable, PageNotFound
from sightline.portal.sign_in.return_to import safe_path
from sightline.portal.visits import Visit
from sightline.portal.votes.vote import VotedIdea, set_vote


async def vote(visit: Visit, ref: str) -> Response:
    """Sets the vote. Redirects to the idea on the page it came from; a script gets the new form.

    Raises FormNotReadable, PageNotFound, TooOften.
    """
    reference, value = read_reference(ref), visit.form.get("vote")
    if value not in ("0", "1"):
        raise FormNotReadable
    visit.limit(lambda limits: limits.votes, f"votes {visit.user.id}")

    async def attempt() -> VotedIdea:
        async with visit.db.autocommit(writes=True) as tx:
            idea = await set_vote(tx, visit.actor, reference, is_voted=value == "1")
        if idea is None:
            raise PageNotFound
        return idea

    idea = await retry_when_overtaken(attempt, Conflict("Other votes keep changing the idea. Try again."))
    if visit.is_partial:
        return visit.part("voted.html", "outerHTML", idea=idea, is_saved=True)
    page = safe_path(visit.form.get("back") or f"/ideas/{idea.public_id}")
    voted = urlencode({"voted": idea.public_id})
    return visit.go(f"{page}{'&' if '?' in page else '?'}{voted}#{idea.public_id}")


async def show_again(visit: Visit, ref: str) -> Response:
    """Shows the form of a vote that was not accepted again, so that the same button works. Raises PageNotFound."""
    reference = read_reference(ref)
    async with visit.db.autocommit() as tx:
        idea = await find_visible(tx, visit.portal.workspace_id, reference, visit.user.id)
    return visit.part("voted.html", "outerHTML", FormNotAccepted.status, idea=idea, is_saved=False)
