"""Comments on ideas in the workspace file."""

from typing import Annotated

from msgspec import UNSET, UnsetType

from sightline.ideas.comments.records import CommentVisibility
from sightline.platform.file_section.tables import KeyedRecord, Link, Table
from sightline.platform.wire import Text, Word


class CommentRecord(KeyedRecord):
    """A comment of a member or a portal user."""

    author: Annotated[Word | None, Link("members", "member_id")] = None
    portal_user: Annotated[Word | None, Link("portal.users")] = None
    body: Text | UnsetType = UNSET
    visibility: CommentVisibility | None = "internal"


COMMENTS = Table("ideas.comments", "idea_comments", CommentRecord, parents=("idea_id",))
