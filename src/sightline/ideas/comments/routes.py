"""Operations on the comments on an idea. Specification: Ideas."""

from sightline.ideas.comments import write
from sightline.ideas.comments.records import Comment, CommentDeletion, NewComment
from sightline.platform.db import Window
from sightline.platform.http.operations import Call, operation
from sightline.platform.lists.paging import Paging
from sightline.platform.refs import HiddenId, IdeaRef
from sightline.platform.scopes import Scope
from sightline.platform.wire import Page, Versioned


@operation("GET", "/ideas/{ref}/comments", scopes=[Scope.IDEAS_READ], paging=Paging(20, 100))
async def list_idea_comments(call: Call, ref: IdeaRef, window: Window) -> Page[Comment]:
    """Lists the comments on an idea, oldest first."""
    async with call.db.autocommit() as tx:
        return await write.list_comments(tx, call.actor, ref, window)


@operation(
    "POST",
    "/ideas/{ref}/comments",
    scopes=[Scope.IDEAS_WRITE],
    status=201,
    example={"body": "Two more customers asked for this on Monday.", "visibility": "internal"},
)
async def add_idea_comment(call: Call, ref: IdeaRef, new_comment: NewComment) -> Versioned[Comment]:
    """Adds a comment to an idea, in the name of the key's creator."""
    async with call.db.transaction() as tx:
        return await write.add_comment(tx, call.actor, ref, new_comment, call.expect)


@operation(
    "DELETE",
    "/ideas/{ref}/comments/{comment_id}",
    scopes=[Scope.IDEAS_DELETE],
)
async def delete_idea_comment(call: Call, ref: IdeaRef, comment_id: HiddenId) -> CommentDeletion:
    """Deletes a comment for good; the receipt does not repeat its text."""
    async with call.db.transaction() as tx:
        return await write.delete_comment(tx, call.actor, ref, comment_id, call.expect)
