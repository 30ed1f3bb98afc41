"""The teams of an initiative."""

from collections.abc import Sequence
from uuid import UUID

from sightline.platform.errors import ValidationFailed


def ensure_unique(team_ids: Sequence[UUID]) -> None:
    """Raises ValidationFailed when a team is named twice."""
    if len(set(team_ids)) < len(team_ids):
        raise ValidationFailed.of("teamIds", "The same team twice")
