"""Opportunities in the workspace file."""

from msgspec import UNSET, UnsetType

from sightline.platform.file_section.records import KeyedRecord, Name
from sightline.platform.file_section.tables import Table


class OpportunityRecord(KeyedRecord):
    """An opportunity."""

    name: Name | UnsetType = UNSET
    description: str | None = ""


OPPORTUNITIES = Table(
    "opportunities", "opportunities", OpportunityRecord, kind="opportunity", versioned="version", counted="opportunity"
)
