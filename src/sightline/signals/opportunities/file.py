"""Opportunities in the workspace file."""

from msgspec import UNSET, UnsetType

from sightline.platform.file_parts.tables import KeyedRecord, Table
from sightline.platform.wire import Name


class OpportunityRecord(KeyedRecord):
    """An opportunity."""

    name: Name | UnsetType = UNSET
    description: str | None = ""


OPPORTUNITIES = Table("opportunities", "opportunities", OpportunityRecord, versioned="version", counted=True)
