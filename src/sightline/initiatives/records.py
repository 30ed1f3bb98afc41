"""The initiative in responses and request bodies. Specification: Initiative."""

from datetime import date
from enum import StrEnum
from typing import Annotated, ClassVar, Literal
from uuid import UUID

from msgspec import UNSET, Meta, UnsetType

from sightline.catalog.teams.records import TeamSummary
from sightline.platform.http.query_strings import Query
from sightline.platform.lists.changes import UpdatedSince
from sightline.platform.wire import Day, Id, Input, Name, Record, ShownDay, Timestamp

LONGEST_DESCRIPTION = 60_000
ENDS_EARLY = "Is before startDate"


def ends_early(start: date | None, finish: date | None) -> bool:
    """Whether an initiative would finish before it starts."""
    return start is not None and finish is not None and start > finish


class InitiativeStatus(StrEnum):
    """The workflow of initiatives. The first four count as active."""

    PENDING = "PENDING"
    UNPLANNED = "UNPLANNED"
    PLANNED = "PLANNED"
    IN_PROGRESS = "IN_PROGRESS"
    COMPLETED = "COMPLETED"
    ARCHIVED = "ARCHIVED"

    @property
    def is_active(self) -> bool:
        return self not in (InitiativeStatus.COMPLETED, InitiativeStatus.ARCHIVED)


InitiativePriority = Literal["URGENT", "HIGH", "MEDIUM", "LOW"]
DEFAULT_PRIORITY: InitiativePriority = "MEDIUM"


class Initiative(Record):
    """A planned body of work. Teams are in the order in which they were assigned."""

    id: UUID
    public_id: str
    name: str
    description: str
    status: InitiativeStatus
    priority: InitiativePriority
    workspace_id: UUID
    product_id: UUID | None
    teams: list[TeamSummary]
    start_date: ShownDay | None
    finish_date: ShownDay | None
    created_at: Timestamp
    updated_at: Timestamp


Description = Annotated[str, Meta(max_length=LONGEST_DESCRIPTION)]
TeamIds = Annotated[list[Id], Meta(min_length=1, max_length=100, extra_json_schema={"uniqueItems": True})]


class NewInitiative(Input):
    """An initiative to create. `clientRequestId` becomes its id and makes a retry harmless. null means omitted."""

    client_request_id: Id
    name: Name
    team_ids: TeamIds
    description: Description | None = None
    product_id: Id | None = None
    priority: InitiativePriority | None = None


class InitiativeChanges(Input):
    """Changes of an initiative, at least one; omitted fields stay. Only `productId` and the dates take null.

    `teamIds` is the complete new assignment.
    """

    name: Name | UnsetType = UNSET
    description: Description | UnsetType = UNSET
    status: InitiativeStatus | UnsetType = UNSET
    priority: InitiativePriority | UnsetType = UNSET
    product_id: Id | UnsetType | None = UNSET
    start_date: Day | UnsetType | None = UNSET
    finish_date: Day | UnsetType | None = UNSET
    team_ids: TeamIds | UnsetType = UNSET

    schema_between: ClassVar = {"minProperties": 1}


class InitiativeFilters(Query):
    """Filters of initiatives."""

    status: Annotated[InitiativeStatus | None, Meta(description="Only initiatives in this status.")] = None
    product_id: Annotated[Id | None, Meta(description="Only initiatives of this product.")] = None
    team_id: Annotated[Id | None, Meta(description="Only initiatives that this team is assigned to.")] = None
    q: Annotated[str | None, Meta(description="Every word is in the name or the description.")] = None
    updated_since: UpdatedSince = None
