"""The account in responses, and the filters of the list."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta

from sightline.platform.http.query_strings import Query
from sightline.platform.lists.changes import UpdatedSince
from sightline.platform.wire import Record, Timestamp


class Account(Record):
    """A customer. `externalId` is its id in the customer system."""

    id: UUID
    name: str
    external_id: str | None
    domain: str | None
    created_at: Timestamp
    updated_at: Timestamp


class AccountContact(Record):
    """A contact person of an account."""

    name: str
    email: str


class AccountDetail(Account):
    """A customer with its contacts. No other response has contacts."""

    contacts: list[AccountContact]


class AccountFilters(Query):
    """Filters of accounts."""

    external_id: Annotated[str | None, Meta(description="The account's external id.")] = None
    domain: Annotated[str | None, Meta(description="The account's domain, in any letter case.")] = None
    q: Annotated[str | None, Meta(description="Every word is in the name or the domain.")] = None
    updated_since: UpdatedSince = None
