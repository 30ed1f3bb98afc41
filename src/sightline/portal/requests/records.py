"""A request as its author sees it."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sightline.catalog.portal_labels import ShownLabel, shown_label


@dataclass(frozen=True, slots=True)
class OwnRequest:
    """A request. `title` and `text` are the author's words, empty if they were not stored.

    `is_visible`: everyone on the portal sees the idea; the title is then the idea's.
    """

    id: UUID
    public_id: str
    title: str
    text: str
    label: str
    label_settings: str | None
    is_visible: bool
    created_at: datetime

    @property
    def status(self) -> ShownLabel | None:
        return shown_label(self.label, self.label_settings)
