"""What is shown of insights and opportunities, and what may be sent."""

from typing import Literal
from uuid import UUID

from msgspec import UNSET, UnsetType

from sightline.platform.http.queries import Query
from sightline.platform.refs import SignalRef
from sightline.platform.wire import Id, Input, Moment, Record, Timestamp, Trimmed

ReviewState = Literal["unreviewed", "accepted", "edited", "merged"]


class Extract(Record):
    """The wording a statement rests on, and the signal it stands in.

    Where processing found it: `start` and `end` count code points of the signal's `rawData.text`, or of the turn of
    `rawData.transcript` that `turn` numbers from 0; `speaker` said it.
    """

    text: str
    signal_id: UUID | None
    turn: int | UnsetType = UNSET
    start: int | UnsetType = UNSET
    end: int | UnsetType = UNSET
    speaker: str | UnsetType = UNSET


class Insight(Record):
    """A short statement that can be reviewed, with the quotes it rests on.

    `mergedIntoId`: the insight that stands for this one since the two were merged. `origin` tells who wrote it first.
    Ids of links stand in the order they were linked; links do not move `updatedAt`.
    """

    id: UUID
    title: str
    description: str
    category: str
    extracts: list[Extract] | None
    review_state: ReviewState
    merged_into_id: UUID | None
    origin: str
    external_id: str | None
    signal_ids: list[UUID]
    account_ids: list[UUID]
    created_at: Timestamp
    updated_at: Timestamp


class InsightFilters(Query):
    """Filters that all have to hold; `reviewState` may name several states; `q`: every word in title or description.

    `updatedSince`: changed at or after the moment, oldest change first, and only what no transaction still open
    could precede: who passes on the latest `updatedAt` received misses nothing.
    """

    signal_id: SignalRef | None = None
    account_id: Id | None = None
    category: str | None = None
    review_state: tuple[ReviewState, ...] = ()
    q: str | None = None
    updated_since: Moment | None = None


class Title(Trimmed):
    """1 to 1,000 characters, trimmed."""

    longest = 1_000


class Category(Trimmed):
    """1 to 255 characters, trimmed. The service's own are problem, request, praise, question and context."""

    longest = 255


class InsightChanges(Input):
    """At least one field; what is absent stays. Another wording makes the insight `edited`, unless a state is sent.

    `mergedIntoId` comes alone.
    """

    title: Title | UnsetType = UNSET
    description: str | UnsetType = UNSET
    category: Category | UnsetType = UNSET
    review_state: Literal["accepted", "unreviewed"] | UnsetType = UNSET
    merged_into_id: Id | UnsetType = UNSET


class Opportunity(Record):
    """A need or a chance that ideas address. Links to ideas do not move `updatedAt`."""

    id: UUID
    name: str
    description: str
    idea_ids: list[UUID]
    created_at: Timestamp
    updated_at: Timestamp


class OpportunityFilters(Query):
    """`updatedSince`: changed at or after the moment, oldest change first, as for insights."""

    updated_since: Moment | None = None
