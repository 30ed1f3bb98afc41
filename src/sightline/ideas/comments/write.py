"""Listing, adding and deleting comments on an idea. Specification: DELETE /ideas/:id/comments/:commentId."""

from uuid import UUID

from sightline.ideas.comments import queries
from sightline.ideas.comments.records import Comment, CommentDeletion, NewComment
from sightline.ideas.queries import find_id, hold_id
from sightline.platform.access import Actor
from sightline.platform.db import Tx, Window
from sightline.platform.errors import NotFound
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Expectation, Page, Versioned, expect_anything, version_tag
from sightline.workspaces.changes import log_change


async def list_comments(tx: Tx, actor: Actor, ref: IdeaRef, window: Window) -> Page[Comment]:
    """Returns a page of comments, oldest first. Raises NotFound."""
    idea = await find_id(tx, actor.workspace_id, ref)
    return await queries.page_of_comments(tx, actor.workspace_id, idea.id, window)


async def add_comment(
    tx: Tx, actor: Actor, ref: IdeaRef, new_comment: NewComment, expect: Expectation = expect_anything
) -> Versioned[Comment]:
    """Adds a comment. Raises NotFound, and PreconditionFailed for any `If-Match`: a new comment has no version."""
    idea = await hold_id(tx, actor.workspace_id, ref)
    expect(None)
    comment = await queries.add_comment(tx, actor, idea.id, new_comment)
    await log_change(tx, actor, "idea_comment", comment.id, None, "created", ideaId=str(idea.id))
    return Versioned(comment, _tag(comment.id))


def _tag(comment_id: UUID) -> str:
    """Returns the tag of a comment. Comments never change, so each has one version."""
    return version_tag(comment_id, 1)


async def delete_comment(
    tx: Tx, actor: Actor, ref: IdeaRef, comment_id: UUID, expect: Expectation = expect_anything
) -> CommentDeletion:
    """Deletes a comment for good; the receipt has no text. Raises NotFound, PreconditionFailed."""
    idea = await find_id(tx, actor.workspace_id, ref)
    if not await queries.has_comment(tx, actor.workspace_id, idea.id, comment_id):
        raise NotFound
    expect(_tag(comment_id))
    if not await queries.remove_comment(tx, actor.workspace_id, idea.id, comment_id):
        raise NotFound
    await log_change(tx, actor, "idea_comment", comment_id, None, "deleted", ideaId=str(idea.id))
    return CommentDeletion(True, idea.id, idea.public_id, comment_id)
