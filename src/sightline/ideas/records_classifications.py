"""What is shown of an idea's classifications, and how they are reviewed. Specification: ClassificationUpdate."""

from typing import Literal
from uuid import UUID

from msgspec import UNSET, UnsetType

from sightline.ideas.records import ClassificationSummary, GroupKey, ReviewState, TextValue
from sightline.platform.wire import Id, Input, Record, Timestamp


class TaxonomyVersion(Record):
    """The active version of the taxonomy."""

    id: UUID
    version: int
    activated_at: Timestamp


class GroupOption(Record):
    id: UUID
    key: str
    label: str


class GroupValue(Record):
    """What an idea has in a group: options of a list group, or the text of a text group."""

    option_ids: list[UUID]
    option_keys: list[str]
    option_labels: list[str]
    text_value: str | None


class ClassificationGroup(Record):
    """A group of the active taxonomy, the idea's value in it, and what people said of that value."""

    taxonomy_group_id: UUID
    group_key: str
    label: str
    kind: Literal["list", "text"]
    selection_mode: Literal["single", "multi"] | None
    required: bool
    options: list[GroupOption]
    value: GroupValue | None
    review_state: ReviewState
    origin: Literal["api", "suggested", "manual"] | None


class Classifications(Record):
    """All groups with the idea's values. Without an active taxonomy: null and no groups."""

    idea_id: UUID
    taxonomy_version: TaxonomyVersion | None
    groups: list[ClassificationGroup]
    review_summary: ClassificationSummary


ReviewAction = Literal["accept", "reject", "set_option", "set_text", "mark_unassigned"]


class ClassificationUpdate(Input):
    """One decision about one group, named by `groupKey` or `taxonomyGroupId` (both have to agree).

    `set_option` takes `optionIds`, `set_text` takes `textValue`; the other actions take neither.
    """

    action: ReviewAction
    group_key: GroupKey | UnsetType = UNSET
    taxonomy_group_id: Id | UnsetType = UNSET
    option_ids: list[Id] | UnsetType = UNSET
    text_value: TextValue | UnsetType = UNSET


class ClassificationReview(Input):
    """Exactly one update, so that every decision has an answer of its own."""

    updates: list[ClassificationUpdate]
