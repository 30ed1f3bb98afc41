"""Voting for an idea, and withdrawing the vote: a person has at most one, also under concurrent requests."""

from typing import NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from starlette.responses import Response

from sightline.ideas.vote_counts import MOVE_VOTE_COUNT
from sightline.platform.access import Actor
from sightline.platform.db import Tx, by_reference
from sightline.platform.db.retries import retry_when_overtaken
from sightline.platform.errors import Conflict
from sightline.platform.refs import IdeaRef
from sightline.portal.ideas.pages import read_reference
from sightline.portal.ideas.queries import find_visible
from sightline.portal.problems import FormNotAccepted, FormNotReadable, PageNotFound
from sightline.portal.sign_in.return_to import safe_path
from sightline.portal.visits import Visit
from sightline.workspaces.changes import add_changes, change_by


class VotedIdea(NamedTuple):
    """What the form of a vote shows of its idea. `vote_count` includes the imported votes."""

    public_id: str
    name: str
    vote_count: int
    is_voted: bool


# The lock keeps the idea from being deleted or hidden meanwhile. The statement commits alone: votes for one idea wait
# for each other only while the database works.
_SET = """
WITH idea AS MATERIALIZED (
    SELECT id, 'IDEA-' || ideas.number AS public_id, name, total
      FROM ideas JOIN idea_votes ON idea_votes.workspace_id = :workspace_id AND idea_id = id
     WHERE ideas.workspace_id = :workspace_id AND ideas.{ref} = :ref AND portal_visible FOR NO KEY UPDATE),
moved AS ({moved}),
counted AS ({counted}),
logged AS ({logged})
SELECT public_id, name, coalesce((SELECT total FROM counted), total) AS vote_count FROM idea"""
_ADD = by_reference(
    _SET,
    moved="""
    INSERT INTO portal_votes (workspace_id, idea_id, user_id, created_at)
    SELECT :workspace_id, id, :user_id, :now FROM idea ON CONFLICT DO NOTHING
    RETURNING idea_id, 1 AS step""",
    counted=MOVE_VOTE_COUNT,
    logged=add_changes("portal_vote", "created", "idea JOIN moved ON idea_id = id"),
)
_REMOVE = by_reference(
    _SET,
    moved="""
    DELETE FROM portal_votes
     WHERE workspace_id = :workspace_id AND idea_id = (SELECT id FROM idea) AND user_id = :user_id
    RETURNING idea_id, -1 AS step""",
    counted=MOVE_VOTE_COUNT,
    logged=add_changes("portal_vote", "withdrawn", "idea JOIN moved ON idea_id = id"),
)


async def _set_vote(tx: Tx, actor: Actor, ref: IdeaRef, *, is_voted: bool) -> VotedIdea | None:
    """Sets or withdraws the person's vote. Returns the idea as it is then, or None if it is not visible.

    Repeating it changes nothing.
    """
    statement = (_ADD if is_voted else _REMOVE)[ref.column]
    row = await tx.row(statement, **change_by(actor), ref=ref.value, user_id=UUID(actor.id))
    return VotedIdea(row["public_id"], row["name"], row["vote_count"], is_voted) if row else None


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
            idea = await _set_vote(tx, visit.actor, reference, is_voted=value == "1")
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
