"""The opportunity in responses, and the filter of the list."""

from uuid import UUID

from sightline.platform.http.query_strings import Query
from sightline.platform.lists.changes import UpdatedSince
from sightline.platform.wire import Record, Timestamp


class Opportunity(Record):
    """A need or a chance that ideas address. Links to ideas do not change `updatedAt`."""

    id: UUID
    name: str
    description: str
    idea_ids: list[UUID]
    created_at: Timestamp
    updated_at: Timestamp


class OpportunityFilters(Query):
    """Filters of opportunities."""

    updated_since: UpdatedSince = None
