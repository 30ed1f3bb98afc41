"""Writing and deleting a comment on an idea."""

from uuid import UUID

from starlette.responses import Response

from sightline.ideas.comments.write import add_portal_comment, delete_portal_comment
from sightline.platform.db import sql
from sightline.platform.db.retries import retry_when_overtaken
from sightline.platform.errors import Conflict
from sightline.platform.refs import parse_uuid
from sightline.portal.ideas.pages import idea_page, read_reference
from sightline.portal.ideas.queries import find_visible
from sightline.portal.problems import PageNotFound, SentBefore
from sightline.portal.visits import Visit
from sightline.web.languages.catalogue import N_

LONGEST = 5000
MISSING = N_("Write a comment first.")
TOO_LONG = N_("Shorten the comment to 5,000 characters.")

_FIND_OWN = sql("""
    SELECT body FROM idea_comments
     WHERE workspace_id = :workspace_id AND idea_id = :idea_id AND id = :id AND portal_user_id = :user_id
       AND visibility = 'portal'""")


async def add(visit: Visit, ref: str) -> Response:
    """Adds a comment, shown at once. Raises PageNotFound, SentBefore, TooOften."""
    reference, body = read_reference(ref), visit.form.get("body", "").strip()
    if not visit.portal.comments_enabled:
        raise PageNotFound
    fault = MISSING if not body else TOO_LONG if len(body) > LONGEST else None
    if fault is not None:
        return await idea_page(visit, reference, 1, 422, typed=body, fault=fault)
    visit.limit(lambda limits: limits.comments, f"comments {visit.user.id}")

    async def attempt() -> Response:
        async with visit.db.transaction() as tx:
            idea = await find_visible(tx, visit.portal.workspace_id, reference, visit.user.id)
            comment_id = await add_portal_comment(tx, visit.actor, idea.id, visit.form_id, body)
            if comment_id is None:
                raise SentBefore
            return visit.go(f"/ideas/{idea.public_id}?commented=1#comment-{comment_id}")

    return await retry_when_overtaken(attempt, Conflict("The idea keeps changing. Try again."))


async def ask(visit: Visit, ref: str, comment: str) -> Response:
    """Asks whether one of the person's own comments is to be deleted. Raises PageNotFound."""
    reference, comment_id = read_reference(ref), _read_id(comment)
    async with visit.db.autocommit() as tx:
        idea = await find_visible(tx, visit.portal.workspace_id, reference, visit.user.id)
        own = {"idea_id": idea.id, "id": comment_id, "user_id": visit.user.id}
        body = await tx.value(_FIND_OWN, workspace_id=visit.portal.workspace_id, **own)
    if body is None:
        raise PageNotFound
    return visit.page("delete_comment.html", idea=idea, comment_id=comment_id, body=body)


async def delete(visit: Visit, ref: str, comment: str) -> Response:
    """Deletes one of the person's own comments. Raises PageNotFound."""
    reference, comment_id = read_reference(ref), _read_id(comment)
    async with visit.db.transaction() as tx:
        idea = await find_visible(tx, visit.portal.workspace_id, reference, visit.user.id)
        if not await delete_portal_comment(tx, visit.actor, idea.id, comment_id):
            raise PageNotFound
    return visit.go(f"/ideas/{idea.public_id}")


def _read_id(comment: str) -> UUID:
    if (id := parse_uuid(comment)) is None:
        raise PageNotFound
    return id
