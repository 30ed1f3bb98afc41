"""What is shown of what a workspace sets up, and how it is filtered."""

from uuid import UUID

from sightline.platform.http.queries import Query
from sightline.platform.wire import Moment, Record, Timestamp


class TeamSummary(Record):
    """A team that work can be assigned to."""

    id: UUID
    name: str


class Feature(Record):
    """A part of a product. `parentId` is the feature of the same product that it belongs to."""

    id: UUID
    name: str
    description: str
    parent_id: UUID | None


class Product(Record):
    """A product with its whole feature map, in the workspace's order. A changed feature does not move `updatedAt`."""

    id: UUID
    name: str
    description: str
    features: list[Feature]
    created_at: Timestamp
    updated_at: Timestamp


class Account(Record):
    """A customer. `externalId` is its id in the system that customers are kept in."""

    id: UUID
    name: str
    external_id: str | None
    domain: str | None
    created_at: Timestamp
    updated_at: Timestamp


class AccountContact(Record):
    """A person who speaks for an account."""

    name: str
    email: str


class AccountDetail(Account):
    """A customer with its people, who are shown nowhere else."""

    contacts: list[AccountContact]


class AccountFilters(Query):
    """Filters that all have to hold; `domain` in any letter case; `q`: every word stands in name or domain.

    `updatedSince`: changed at or after the moment, oldest change first, and only what no transaction still open
    could precede: who passes on the latest `updatedAt` received misses nothing.
    """

    external_id: str | None = None
    domain: str | None = None
    q: str | None = None
    updated_since: Moment | None = None
