"""What is shown of an idea, and what may be sent. Specification: Idea and Classification*."""

from typing import Any, Literal
from uuid import UUID

from msgspec import UNSET, UnsetType

from sightline.intelligence.engine import FeatureMatch
from sightline.platform.errors import InvalidReference, NotFound
from sightline.platform.http.queries import Query
from sightline.platform.refs import InitiativeRef
from sightline.platform.wire import Id, Input, Moment, Record, Text, Timestamp, Trimmed, WireType

MatchingStatus = Literal["matched", "needs_review", "no_match", "no_features", "manual"]
ReviewState = Literal["unreviewed", "accepted", "rejected", "corrected", "unassigned"]


class Matcher(Record):
    """The engine that matched."""

    name: str
    version: str


class FeatureMatching(Record):
    """What automatic matching found: `matches` are applied, `suggestions` wait for somebody's decision.

    `manual`: somebody chose, and `matches` is empty; `no_features`: the product has none.
    """

    status: MatchingStatus
    product_id: UUID
    matches: list[FeatureMatch]
    suggestions: list[FeatureMatch]
    matched_at: Timestamp
    matcher: Matcher


class Provenance(Record, omit_defaults=True):
    """How an idea came to be; never rewritten. Ideas from a workspace file may carry more members."""

    method: str
    credential_id: str | UnsetType | None = UNSET
    source_key: str | UnsetType | None = UNSET
    external_id: str | UnsetType | None = UNSET


class ClassificationValue(Record):
    """The value of one group of the active taxonomy."""

    taxonomy_group_id: UUID
    group_key: str
    group_label: str
    kind: Literal["list", "text"]
    option_ids: list[UUID]
    option_keys: list[str]
    option_labels: list[str]
    text_value: str | None
    review_state: ReviewState


class ClassificationSummary(Record):
    """How many groups the active taxonomy has, how many have a value, how many somebody has reviewed."""

    total: int
    assigned: int
    unassigned: int
    reviewed: int
    needs_review: int


class Idea(Record):
    """A candidate solution. `projectId` is its initiative; ids of links stand in the order they were linked."""

    id: UUID
    public_id: str
    name: str
    description: str
    status: str
    product_id: UUID | None
    feature_ids: list[UUID]
    feature_matching: FeatureMatching | None
    project_id: UUID | None
    integration_id: UUID | None
    source_key: str | None
    external_id: str | None
    created_source: str | None
    provenance: Provenance | None
    opportunity_ids: list[UUID]
    insight_ids: list[UUID]
    account_ids: list[UUID]
    taxonomy_version_id: UUID | None
    created_at: Timestamp
    updated_at: Timestamp
    classification_summary: ClassificationSummary | UnsetType = UNSET
    classifications: list[ClassificationValue] | UnsetType = UNSET


class Name(Trimmed):
    """1 to 1,000 characters, trimmed."""

    longest = 1000


class StatusLabel(Text):
    """An exact label of the workspace's workflow, 1 to 120 characters."""

    longest = 120


class SourceName(Text):
    """1 to 255 characters, kept as sent."""

    longest = 255


class GroupKey(Text):
    """The key of a taxonomy group, 1 to 255 characters."""

    longest = 255


class TextValue(Text):
    """1 to 2,000 characters."""

    longest = 2000


class ClassificationAssignment(Input):
    """A value for one group: options for a list group, text for a text group.

    An empty array, and null on an update, mark the group as unassigned.
    """

    group_key: GroupKey
    option_values: list[str] | UnsetType = UNSET
    text_value: TextValue | UnsetType | None = UNSET


class NewIdea(Input):
    """An idea to create, or to update when its identity is known. null means omitted.

    `sourceKey` with `externalId` is an identity, and so is `integrationId` with `externalId`.
    """

    description: Text
    name: Name | None = None
    status: StatusLabel | None = None
    source_key: SourceName | None = None
    external_id: SourceName | None = None
    integration_id: Id | None = None
    product_id: Id | None = None
    feature_ids: list[Id] | None = None
    insight_ids: list[Id] | None = None
    account_ids: list[Id] | None = None
    validate_insight_links: bool | None = None
    classifications: list[ClassificationAssignment] | None = None


class InitiativeReference(str, metaclass=WireType):
    """The UUID or public id of an initiative."""

    __slots__ = ()

    @classmethod
    def read(cls, value: Any) -> str:
        text = Trimmed.read(value)
        try:
            InitiativeRef.parse(text)
        except InvalidReference as refusal:
            raise ValueError(refusal.detail) from None
        except NotFound:
            raise ValueError("That is no public id of an initiative") from None
        return text

    @classmethod
    def schema(cls) -> dict[str, Any]:
        return {"type": "string", "examples": ["INITIATIVE-1"]}


class IdeaChanges(Input):
    """What is absent stays. `projectId` null detaches the idea; no other field takes null.

    `featureIds` replace the features and become a manual selection, which later matching leaves alone; `insightIds`
    and `accountIds` replace their sets, in which a validated insight stays validated.
    """

    name: Name | UnsetType = UNSET
    description: Text | UnsetType = UNSET
    project_id: InitiativeReference | UnsetType | None = UNSET
    feature_ids: list[Id] | UnsetType = UNSET
    insight_ids: list[Id] | UnsetType = UNSET
    account_ids: list[Id] | UnsetType = UNSET
    validate_insight_links: bool | UnsetType = UNSET
    classifications: list[ClassificationAssignment] | UnsetType = UNSET
    portal_visible: bool | UnsetType = UNSET


class IdeaDeletion(Record):
    """The receipt of a deletion."""

    success: bool
    idea_id: UUID
    idea_public_id: str


class StatusChange(Input):
    """Another label of the workflow; `expectedCurrentStatus`: only if the idea still has this one."""

    status: StatusLabel
    expected_current_status: str | UnsetType = UNSET


class StatusReceipt(Record):
    """What a status change did. Specification: Idea status receipt."""

    id: UUID
    public_id: str
    status: str
    previous_status: str
    changed: bool


class MatchingReceipt(Record):
    """What matching left: the saved features, and how they came about. `featureMatching` is null without a product."""

    idea_id: UUID
    idea_public_id: str
    feature_ids: list[UUID]
    feature_matching: FeatureMatching | None


class Include(Query):
    """`include=classifications` adds `classifications` and `classificationSummary`."""

    include: tuple[Literal["classifications"], ...] = ()


class IdeaFilters(Include):
    """Filters that all have to hold; `q`: every word stands in name or description.

    `updatedSince`: changed at or after the moment, oldest change first, and only what no transaction still open
    could precede: who passes on the latest `updatedAt` received misses nothing.
    """

    source_key: str | None = None
    external_id: str | None = None
    integration_id: Id | None = None
    q: str | None = None
    updated_since: Moment | None = None
