"""Comments on an idea: listing, adding, deleting for good. Specification: DELETE /ideas/:id/comments/:commentId."""

from uuid import UUID

from sightline.ideas import queries, queries_comments
from sightline.ideas.records_comments import Comment, CommentDeletion, NewComment
from sightline.platform.access import Actor
from sightline.platform.db import Tx, Window
from sightline.platform.errors import NotFound
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Expectation, Page, Versioned, expect_anything, version_tag
from sightline.workspaces.changes import log_change


async def list_comments(tx: Tx, actor: Actor, ref: IdeaRef, window: Window) -> Page[Comment]:
    """Oldest first. Raises NotFound."""
    idea = await queries.find_id(tx, actor.workspace_id, ref)
    return await queries_comments.page_of_comments(tx, actor.workspace_id, idea.id, window)


async def add_comment(
    tx: Tx, actor: Actor, ref: IdeaRef, wish: NewComment, expect: Expectation = expect_anything
) -> Versioned[Comment]:
    """Raises NotFound, CreatorNotAllowed, PreconditionFailed: a comment that is yet to be has no version."""
    idea = await queries.find_id(tx, actor.workspace_id, ref, lock=True)
    actor.require_writer()
    expect(None)
    comment = await queries_comments.add_comment(tx, actor, idea.id, wish)
    await log_change(tx, actor, "idea_comment", comment.id, None, "created", ideaId=str(idea.id))
    return Versioned(comment, _tag(comment.id))


def _tag(comment_id: UUID) -> str:
    """Comments are not rewritten: each has one version."""
    return version_tag(comment_id, 1)


async def delete_comment(
    tx: Tx, actor: Actor, ref: IdeaRef, comment_id: UUID, expect: Expectation = expect_anything
) -> CommentDeletion:
    """The receipt never holds the comment's words. Raises NotFound, CreatorNotAllowed, PreconditionFailed."""
    idea = await queries.find_id(tx, actor.workspace_id, ref)
    if not await queries_comments.has_comment(tx, actor.workspace_id, idea.id, comment_id):
        raise NotFound
    actor.require_writer()
    expect(_tag(comment_id))
    if not await queries_comments.remove_comment(tx, actor.workspace_id, idea.id, comment_id):
        raise NotFound
    await log_change(tx, actor, "idea_comment", comment_id, None, "deleted", ideaId=str(idea.id))
    return CommentDeletion(True, idea.id, idea.public_id, comment_id)
