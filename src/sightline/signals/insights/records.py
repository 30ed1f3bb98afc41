"""The insight in responses and request bodies, and the filters of the list."""

from typing import Annotated, ClassVar, Literal
from uuid import UUID

from msgspec import UNSET, Meta, UnsetType

from sightline.platform.http.query_strings import Query
from sightline.platform.lists.changes import UpdatedSince
from sightline.platform.refs import IdeaRef, SignalRef
from sightline.platform.wire import Id, Input, Record, Timestamp, Trimmed

InsightReviewState = Literal["unreviewed", "accepted", "edited", "rejected", "merged"]

LONGEST_TITLE = 1_000


class Extract(Record):
    """A quote that a statement rests on. `signalId` is null if none is known, or, in evidence, if it was deleted.

    If processing found it: `start` and `end` count code points of the signal's `rawData.text`, or of the turn of
    `rawData.transcript` that `turn` numbers from 0; `speaker` is its speaker.
    """

    text: str
    signal_id: UUID | None
    turn: int | UnsetType = UNSET
    start: int | UnsetType = UNSET
    end: int | UnsetType = UNSET
    speaker: str | UnsetType = UNSET


class Insight(Record):
    """A short statement to be reviewed, with the quotes that it rests on.

    What customers say in the same words is one insight, with the quotes of all: case, spaces, punctuation and thanks at
    the end make no difference. `accountCount` counts its accounts, `quoteCount` its quotes. `similarInsightIds` are up
    to three others of the category that say much the same, to be merged or not. `mergedIntoId` is the insight that
    replaced this one in a merge. `origin` is its first author. A rejected insight is kept, but not used in documents
    and evidence, and processing does not create it again. Ids of links are in the order in which they were linked. A
    quote that joins or leaves changes `updatedAt`; a link alone and `similarInsightIds` do not.
    """

    id: UUID
    title: str
    description: str
    category: str
    extracts: list[Extract] | None
    review_state: InsightReviewState
    merged_into_id: UUID | None
    origin: str
    external_id: str | None
    signal_ids: list[UUID]
    account_ids: list[UUID]
    quote_count: int
    account_count: int
    similar_insight_ids: list[UUID]
    created_at: Timestamp
    updated_at: Timestamp


class InsightFilters(Query):
    """Filters of insights. All have to match."""

    signal_id: Annotated[
        SignalRef | None, Meta(description="Only those that rest on this signal; UUID or public id.")
    ] = None
    account_id: Annotated[Id | None, Meta(description="Only of this account.")] = None
    idea_id: Annotated[IdeaRef | None, Meta(description="Only those that inspired this idea; UUID or public id.")] = (
        None
    )
    category: Annotated[str | None, Meta(description="Only of this category.")] = None
    review_state: Annotated[
        tuple[InsightReviewState, ...], Meta(description="Only in these states, separated by commas.")
    ] = ()
    q: Annotated[str | None, Meta(description="Every word is in the title or the description.")] = None
    updated_since: UpdatedSince = None
    order: Annotated[
        Literal["accounts"] | None,
        Meta(description="`accounts`: those of the most accounts first. Not with `updatedSince`."),
    ] = None


class Title(Trimmed):
    """1 to 1,000 characters, trimmed."""

    longest = LONGEST_TITLE


class Category(Trimmed):
    """1 to 255 characters, trimmed. The service's own are problem, request, praise, question and context."""

    longest = 255


class InsightChanges(Input):
    """Changes of an insight, at least one; omitted fields stay. `mergedIntoId` is sent without other fields.

    A new wording makes the insight `edited`, unless a state is sent or the insight is rejected.
    """

    title: Title | UnsetType = UNSET
    description: str | UnsetType = UNSET
    category: Category | UnsetType = UNSET
    review_state: Literal["accepted", "rejected", "unreviewed"] | UnsetType = UNSET
    merged_into_id: Id | UnsetType = UNSET

    schema_between: ClassVar = {"minProperties": 1, "dependentSchemas": {"mergedIntoId": {"maxProperties": 1}}}


class InsightDeletion(Record):
    """The receipt of a deletion."""

    success: bool
    insight_id: UUID
