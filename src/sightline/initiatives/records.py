"""What is shown of an initiative, and what may be sent. Specification: Initiative."""

from enum import StrEnum
from typing import Annotated, Literal
from uuid import UUID

from msgspec import UNSET, Meta, UnsetType

from sightline.catalog.records import TeamSummary
from sightline.platform.http.queries import Query
from sightline.platform.wire import Day, Id, Input, Moment, Record, ShownDay, Timestamp, Trimmed

LONGEST_DESCRIPTION = 60_000


class InitiativeStatus(StrEnum):
    """Where an initiative stands. The first four count as active."""

    PENDING = "PENDING"
    UNPLANNED = "UNPLANNED"
    PLANNED = "PLANNED"
    IN_PROGRESS = "IN_PROGRESS"
    COMPLETED = "COMPLETED"
    ARCHIVED = "ARCHIVED"

    @property
    def is_active(self) -> bool:
        return self not in (InitiativeStatus.COMPLETED, InitiativeStatus.ARCHIVED)


Priority = Literal["URGENT", "HIGH", "MEDIUM", "LOW"]


class Initiative(Record):
    """A planned body of work. Teams stand in the order they were assigned."""

    id: UUID
    public_id: str
    name: str
    description: str
    status: InitiativeStatus
    priority: Priority
    workspace_id: UUID
    product_id: UUID | None
    teams: list[TeamSummary]
    start_date: ShownDay | None
    finish_date: ShownDay | None
    created_at: Timestamp
    updated_at: Timestamp


class Name(Trimmed):
    """1 to 255 characters, trimmed."""

    longest = 255


Description = Annotated[str, Meta(max_length=LONGEST_DESCRIPTION)]
TeamIds = Annotated[list[Id], Meta(min_length=1, max_length=100)]


class NewInitiative(Input):
    """An initiative to create. `clientRequestId` becomes its id and makes a retry harmless. null means omitted."""

    client_request_id: Id
    name: Name
    team_ids: TeamIds
    description: Description | None = None
    product_id: Id | None = None
    priority: Priority | None = None


class InitiativeChanges(Input):
    """At least one field; what is absent stays. Only `productId` and the dates take null.

    `teamIds` is the complete new assignment.
    """

    name: Name | UnsetType = UNSET
    description: Description | UnsetType = UNSET
    status: InitiativeStatus | UnsetType = UNSET
    priority: Priority | UnsetType = UNSET
    product_id: Id | UnsetType | None = UNSET
    start_date: Day | UnsetType | None = UNSET
    finish_date: Day | UnsetType | None = UNSET
    team_ids: TeamIds | UnsetType = UNSET


class InitiativeFilters(Query):
    """Filters that all have to hold; `q`: every word stands in name or description.

    `updatedSince`: changed at or after the moment, oldest change first, and only what no transaction still open
    could precede: who passes on the latest `updatedAt` received misses nothing.
    """

    status: InitiativeStatus | None = None
    product_id: Id | None = None
    team_id: Id | None = None
    q: str | None = None
    updated_since: Moment | None = None
