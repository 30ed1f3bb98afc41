"""What is shown of comments on an idea, and what may be sent."""

from typing import Literal
from uuid import UUID

from sightline.platform.wire import Input, Record, Text, Timestamp, decode_parts

CommentVisibility = Literal["internal", "portal"]


class CommentAuthor(Record):
    """The person or key that wrote a comment; `id` is null when it no longer exists."""

    kind: Literal["member", "portal_user", "key"]
    id: UUID | None
    name: str | None


class Comment(Record):
    """A comment on an idea; one with visibility `portal` is shown to customers."""

    id: UUID
    idea_id: UUID
    author: CommentAuthor
    body: str
    visibility: CommentVisibility
    created_at: Timestamp
    updated_at: Timestamp

    @property
    def quoted_ids(self) -> list[UUID]:
        """The ids of the comment and of the author that it names."""
        author = decode_parts(self).author
        return [self.id, *([author.id] if author.id else [])]


class CommentBody(Text):
    """1 to 20,000 characters, not blank."""

    longest = 20_000


class NewComment(Input):
    """A comment to add; `visibility` is `internal` when omitted. null means omitted."""

    body: CommentBody
    visibility: CommentVisibility | None = None


class CommentDeletion(Record):
    """The receipt of a deletion. Specification: IdeaCommentDeletionReceipt."""

    success: bool
    idea_id: UUID
    idea_public_id: str
    comment_id: UUID
