"""What is shown of an idea's classifications, and what may be sent. Specification: Classification*."""

from typing import Annotated, ClassVar, Literal
from uuid import UUID

from msgspec import UNSET, Meta, UnsetType

from sightline.catalog.taxonomy import GroupOption
from sightline.platform.wire import Id, IdSet, Input, Record, Text, Timestamp, none_of, some_of

ClassificationGroupKind = Literal["list", "text"]
ClassificationReviewState = Literal["unreviewed", "accepted", "rejected", "corrected", "unassigned"]
ValueOrigin = Literal["api", "suggested", "manual"]


class GroupKey(Text):
    """The key of a taxonomy group, 1 to 255 characters."""

    longest = 255


class TextValue(Text):
    """1 to 2,000 characters."""

    longest = 2000


class ClassificationValue(Record):
    """The value of one group of the active taxonomy."""

    taxonomy_group_id: UUID
    group_key: str
    group_label: str
    kind: ClassificationGroupKind
    option_ids: list[UUID]
    option_keys: list[str]
    option_labels: list[str]
    text_value: str | None
    review_state: ClassificationReviewState


class ClassificationSummary(Record):
    """How many groups the active taxonomy has, how many have a value, how many are reviewed."""

    total: int
    assigned: int
    unassigned: int
    reviewed: int
    needs_review: int


OptionValues = Annotated[list[str], Meta(max_length=1_000)]


class NewClassification(Input):
    """A value for one group of a new idea: options for a list group, text for a text group.

    An empty array and a null text mark the group as unassigned; null for the options means omitted.
    """

    group_key: GroupKey
    option_values: OptionValues | UnsetType | None = UNSET
    text_value: TextValue | UnsetType | None = UNSET

    schema_between: ClassVar = {
        "if": some_of("optionValues"),
        "then": none_of("textValue"),
        "else": {"required": ["textValue"]},
    }


class ClassificationAssignment(NewClassification):
    """A value for one group: options for a list group, text for a text group.

    An empty array and a null text mark the group as unassigned.
    """

    option_values: OptionValues | UnsetType = UNSET


class TaxonomyVersion(Record):
    """The active version of the taxonomy."""

    id: UUID
    version: int
    activated_at: Timestamp


class GroupValue(Record):
    """An idea's value in a group: options of a list group, or the text of a text group."""

    option_ids: list[UUID]
    option_keys: list[str]
    option_labels: list[str]
    text_value: str | None


class ClassificationGroup(Record):
    """A group of the active taxonomy, the idea's value in it, and the review of that value."""

    taxonomy_group_id: UUID
    group_key: str
    label: str
    kind: ClassificationGroupKind
    selection_mode: Literal["single", "multi"] | None
    required: bool
    options: list[GroupOption]
    value: GroupValue | None
    review_state: ClassificationReviewState
    origin: ValueOrigin | None


class Classifications(Record):
    """All groups with the idea's values. Without an active taxonomy: null and no groups."""

    idea_id: UUID
    taxonomy_version: TaxonomyVersion | None
    groups: list[ClassificationGroup]
    review_summary: ClassificationSummary


ReviewAction = Literal["accept", "reject", "set_option", "set_text", "mark_unassigned"]


class ClassificationUpdate(Input):
    """One decision about one group, named by `groupKey` or `taxonomyGroupId` (both have to agree).

    `set_option` takes `optionIds`, `set_text` takes `textValue`; the other actions take neither. null in these two
    means omitted.
    """

    action: ReviewAction
    group_key: GroupKey | UnsetType = UNSET
    taxonomy_group_id: Id | UnsetType = UNSET
    option_ids: IdSet | UnsetType | None = UNSET
    text_value: TextValue | UnsetType | None = UNSET

    schema_between: ClassVar = {
        "allOf": [
            {"anyOf": [{"required": ["groupKey"]}, {"required": ["taxonomyGroupId"]}]},
            {
                "if": {"properties": {"action": {"const": "set_option"}}},
                "then": {"properties": {"optionIds": {"type": "array", "minItems": 1}}, "required": ["optionIds"]},
                "else": none_of("optionIds"),
            },
            {
                "if": {"properties": {"action": {"const": "set_text"}}},
                "then": {"properties": {"textValue": {"type": "string"}}, "required": ["textValue"]},
                "else": none_of("textValue"),
            },
        ]
    }


class ClassificationReview(Input):
    """A review: exactly one update, so that each decision has its own response."""

    updates: Annotated[list[ClassificationUpdate], Meta(min_length=1, max_length=1)]
