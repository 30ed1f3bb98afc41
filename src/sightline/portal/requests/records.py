"""A request as its author sees it."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True)
class OwnRequest:
    """A request. `title` and `text` are the author's words, empty if they were not stored.

    `is_visible`: everyone on the portal sees the idea; the title is then the idea's.
    """

    id: UUID
    public_id: str
    title: str
    text: str
    status: str
    is_visible: bool
    created_at: datetime
