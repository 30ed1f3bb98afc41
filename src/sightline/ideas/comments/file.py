"""Comments on ideas in the workspace file."""

from typing import Annotated

from msgspec import UNSET, UnsetType

from sightline.ideas.comments.records import CommentVisibility
from sightline.platform.file_parts.tables import KeyedRecord, Link, Table
from sightline.platform.wire import Text, Word


class CommentText(Text):
    """A comment of a file: longer than one of the API, as other tools have them, and a page of 20 still fits."""

    longest = 100_000
    __slots__ = ()


class CommentRecord(KeyedRecord):
    """A comment of a member or a portal user."""

    author: Annotated[Word | None, Link("members", "member_id")] = None
    portal_user: Annotated[Word | None, Link("portal.users")] = None
    body: CommentText | UnsetType = UNSET
    visibility: CommentVisibility | None = "internal"


COMMENTS = Table("ideas.comments", "idea_comments", CommentRecord, parents=("idea_id",))
