"""What is shown of an idea, and what may be sent. Specification: Idea."""

from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import UNSET, Meta, UnsetType

from sightline.catalog.default_statuses import StatusLabel
from sightline.ideas.classifications.records import (
    ClassificationAssignment,
    ClassificationSummary,
    ClassificationValue,
    NewClassification,
)
from sightline.ideas.matching.records import FeatureMatching
from sightline.platform.http.query_strings import Query
from sightline.platform.lists.changes import UpdatedSince
from sightline.platform.refs import InitiativeRef
from sightline.platform.wire import Id, IdSet, Input, Record, Reference, Text, Timestamp, Trimmed, Word, decode_parts


class IdeaProvenance(Record, omit_defaults=True):
    """How an idea was created. It never changes. Ideas from a workspace file may have more members."""

    method: str
    credential_id: str | UnsetType | None = UNSET
    source_key: str | UnsetType | None = UNSET
    external_id: str | UnsetType | None = UNSET


class Idea(Record):
    """A candidate solution. `projectId` is its initiative; ids of links are in the order in which they were linked.

    `featureMatching` is null without a product, until a model has read the idea where one is configured, and for an
    idea from a file that brings none. `voteCount` is the number of people who vote for it on the portal; a vote does
    not change `updatedAt`. `importedVoteCount` is the number of votes from before the portal, which a file brings; the
    portal shows the sum. `officialAnswer` is the team's answer, which the portal shows above the comments.
    """

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
    provenance: IdeaProvenance | None
    opportunity_ids: list[UUID]
    insight_ids: list[UUID]
    account_ids: list[UUID]
    taxonomy_version_id: UUID | None
    portal_visible: bool
    vote_count: int
    imported_vote_count: int
    official_answer: str | None
    created_at: Timestamp
    updated_at: Timestamp
    classification_summary: ClassificationSummary | UnsetType = UNSET
    classifications: list[ClassificationValue] | UnsetType = UNSET

    @property
    def quoted_ids(self) -> list[UUID]:
        matching = decode_parts(self).feature_matching
        return [self.id, *(matching.features if matching else ())]


class Name(Trimmed):
    """1 to 1,000 characters, trimmed."""

    longest = 1000


class OfficialAnswer(Text):
    """1 to 10,000 characters, in Markdown."""

    longest = 10_000


class NewIdea(Input):
    """An idea to create, or to update when its identity is known. null means omitted.

    `sourceKey` with `externalId` is an identity, and so is `integrationId` with `externalId`.
    """

    description: Text
    name: Name | None = None
    status: StatusLabel | None = None
    source_key: Word | None = None
    external_id: Word | None = None
    integration_id: Id | None = None
    product_id: Id | None = None
    feature_ids: IdSet | None = None
    insight_ids: IdSet | None = None
    account_ids: IdSet | None = None
    validate_insight_links: bool | None = None
    classifications: Annotated[list[NewClassification], Meta(max_length=1_000)] | None = None
    portal_visible: bool | None = None
    official_answer: OfficialAnswer | None = None


class InitiativeReference(Reference):
    """The UUID or public id of an initiative."""

    to = InitiativeRef

    @classmethod
    def read(cls, value: Any) -> str:
        return super().read(Trimmed.read(value))

    @classmethod
    def schema(cls) -> dict[str, Any]:
        shown = super().schema()
        return {**shown, "pattern": rf"^\s*{shown['pattern'][1:-1]}\s*$"}


class IdeaChanges(Input):
    """Changes of an idea. Omitted fields stay. `projectId` null detaches the idea, `officialAnswer` null removes the
    answer; no other field takes null.

    `featureIds` replace the features and become a manual selection, which later matching leaves alone; `insightIds`
    and `accountIds` replace their sets, in which a validated insight stays validated.
    """

    name: Name | UnsetType = UNSET
    description: Text | UnsetType = UNSET
    project_id: InitiativeReference | UnsetType | None = UNSET
    feature_ids: IdSet | UnsetType = UNSET
    insight_ids: IdSet | UnsetType = UNSET
    account_ids: IdSet | UnsetType = UNSET
    validate_insight_links: bool | UnsetType = UNSET
    classifications: Annotated[list[ClassificationAssignment], Meta(max_length=1_000)] | UnsetType = UNSET
    portal_visible: bool | UnsetType = UNSET
    official_answer: OfficialAnswer | UnsetType | None = UNSET


_STORED_OTHERWISE = {"project_id", "feature_ids", "insight_ids", "account_ids", "classifications"}


def _columns_of(body: type[Input]) -> tuple[str, ...]:
    """Returns the fields of a body that are stored as sent, in the column of their name."""
    shown = set(Idea.__struct_fields__) - _STORED_OTHERWISE
    return tuple(name for name in body.__struct_fields__ if name in shown)


NEW_COLUMNS = _columns_of(NewIdea)
CHANGED_COLUMNS = _columns_of(IdeaChanges)


class IdeaDeletion(Record):
    """The receipt of a deletion."""

    success: bool
    idea_id: UUID
    idea_public_id: str


class StatusChange(Input):
    """Another label of the workflow. `expectedCurrentStatus`: only if the idea still has this one; null means any."""

    status: StatusLabel
    expected_current_status: str | UnsetType | None = UNSET


class StatusReceipt(Record):
    """The receipt of a status change. Specification: Idea status receipt."""

    id: UUID
    public_id: str
    status: str
    previous_status: str
    changed: bool


class Include(Query):
    """Parts that are not shown by default."""

    include: Annotated[
        tuple[Literal["classifications"], ...],
        Meta(description="`classifications` adds `classifications` and `classificationSummary`."),
    ] = ()


class IdeaFilters(Include):
    """Filters of ideas; all must hold."""

    source_key: Annotated[str | None, Meta(description="Only from this source.")] = None
    external_id: Annotated[str | None, Meta(description="The idea's identifier in its source, or one of an alias.")] = (
        None
    )
    integration_id: Annotated[Id | None, Meta(description="Only from this integration.")] = None
    status: Annotated[tuple[str, ...], Meta(description="Only with these exact labels, separated by commas.")] = ()
    product_id: Annotated[Id | None, Meta(description="Only of this product.")] = None
    feature_id: Annotated[Id | None, Meta(description="Only with this feature.")] = None
    project_id: Annotated[InitiativeRef | None, Meta(description="Only of this initiative; uuid or public id.")] = None
    account_id: Annotated[Id | None, Meta(description="Only of this account.")] = None
    insight_id: Annotated[Id | None, Meta(description="Only linked to this insight.")] = None
    q: Annotated[str | None, Meta(description="Every word is in the name or the description.")] = None
    updated_since: UpdatedSince = None
