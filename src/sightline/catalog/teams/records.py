"""The team in responses."""

from uuid import UUID

from sightline.platform.wire import Record


class TeamSummary(Record):
    """A team that work can be assigned to."""

    id: UUID
    name: str
