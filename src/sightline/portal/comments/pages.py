"""Writing and deleting a comment on an idea."""

from starlette.responses import Response

from sightline.ideas.comments.portal import add_portal_comment, delete_portal_comment
from sightline.platform.db.retries import retry_when_overtaken
from sightline.platform.errors import Conflict
from sightline.platform.refs import parse_uuid
from sightline.portal.comments.queries import find_own_comment
from sightline.portal.ideas.pages import idea_page, read_reference
from sightline.portal.ideas.queries import find_visible
from sightline.portal.problems import PageNotFound, SentBefore
from sightline.portal.visits import Visit
from sightline.web.languages.catalogue import N_

LONGEST = 5000
MISSING = N_("Write a comment first.")
TOO_LONG = N_("Shorten the comment to 5,000 characters.")


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
            if idea is None:
                raise PageNotFound
            comment_id = await add_portal_comment(tx, visit.actor, idea.id, visit.form_id, body)
            if comment_id is None:
                raise SentBefore
            return visit.go(f"/ideas/{idea.public_id}?commented=1#comment-{comment_id}")

    return await retry_when_overtaken(attempt, Conflict("The idea keeps changing. Try again."))


async def ask(visit: Visit, ref: str, comment: str) -> Response:
    """Asks whether one of the person's own comments is to be deleted. Raises PageNotFound."""
    reference, comment_id = read_reference(ref), parse_uuid(comment)
    async with visit.db.autocommit() as tx:
        idea = await find_visible(tx, visit.portal.workspace_id, reference, visit.user.id)
        if idea is None or comment_id is None:
            raise PageNotFound
        body = await find_own_comment(tx, visit.portal.workspace_id, idea.id, comment_id, visit.user.id)
    if body is None:
        raise PageNotFound
    return visit.page("delete_comment.html", idea=idea, comment_id=comment_id, body=body)


async def delete(visit: Visit, ref: str, comment: str) -> Response:
    """Deletes one of the person's own comments. Raises PageNotFound."""
    reference, comment_id = read_reference(ref), parse_uuid(comment)
    async with visit.db.transaction() as tx:
        idea = await find_visible(tx, visit.portal.workspace_id, reference, visit.user.id)
        if idea is None or comment_id is None:
            raise PageNotFound
        if not await delete_portal_comment(tx, visit.actor, idea.id, comment_id):
            raise PageNotFound
    return visit.go(f"/ideas/{idea.public_id}")
