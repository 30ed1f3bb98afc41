"""What is shown of deleted records, and which kinds of them there are."""

from enum import StrEnum
from uuid import UUID

from sightline.platform.http.queries import Query
from sightline.platform.wire import Moment, Record, Timestamp


class Kind(StrEnum):
    """What can be read, and go by itself."""

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
    """A record that is no longer there. `publicId` is null where its kind has none."""

    kind: Kind
    id: UUID
    public_id: str | None
    deleted_at: Timestamp


class DeletionFilters(Query):
    """`since`: deleted at or after the moment. `kind`: only these kinds, which the key has to be allowed to read."""

    since: Moment | None = None
    kind: tuple[Kind, ...] = ()
