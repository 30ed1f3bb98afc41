"""Deleted records, and their kinds."""

from enum import StrEnum
from typing import Annotated
from uuid import UUID

from msgspec import Meta

from sightline.platform.http.query_strings import Query
from sightline.platform.wire import Moment, Record, Timestamp


class DeletedKind(StrEnum):
    """Kinds of records that can be read and deleted."""

    IDEA = "idea"
    COMMENT = "comment"
    INITIATIVE = "initiative"
    TEAM = "team"
    SIGNAL = "signal"
    INSIGHT = "insight"
    OPPORTUNITY = "opportunity"
    PRODUCT = "product"
    FEATURE = "feature"
    ACCOUNT = "account"
    FEEDBACK = "feedback"
    BRIEF = "brief"


class Deletion(Record):
    """A deleted record. `publicId` is null if its kind has none."""

    kind: DeletedKind
    id: UUID
    public_id: str | None
    deleted_at: Timestamp


class DeletionFilters(Query):
    """Filters of deletions."""

    since: Annotated[Moment | None, Meta(description="Only records deleted at or after this time.")] = None
    kind: Annotated[
        tuple[DeletedKind, ...], Meta(description="Only these kinds, separated by commas; the key must read them.")
    ] = ()
