"""Reading the classifications of one idea, and reviewing them group by group. Specification: Classifications review."""

import asyncio
from typing import NamedTuple
from uuid import UUID

from msgspec import UNSET

from sightline.catalog.taxonomy import Group, Taxonomy, find_taxonomy
from sightline.ideas import queries
from sightline.ideas.classifications.queries import StoredValue, find_values, save_values
from sightline.ideas.classifications.records import (
    ClassificationGroup,
    ClassificationReview,
    ClassificationReviewState,
    Classifications,
    ClassificationUpdate,
    TaxonomyVersion,
    ValueOrigin,
)
from sightline.ideas.classifications.values import summary_of, value_of
from sightline.ideas.store import change_columns
from sightline.platform.access import Actor
from sightline.platform.db import Tx
from sightline.platform.errors import ValidationFailed
from sightline.platform.lists.single import LargeRecord
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Expectation, Versioned, version_tag

_MANY = 200  # options


class Decision(NamedTuple):
    """The value of a group after a review."""

    option_ids: list[UUID]
    text_value: str | None
    review_state: ClassificationReviewState
    origin: ValueOrigin | None


async def read_classifications(tx: Tx, actor: Actor, ref: IdeaRef, *, at_once: bool) -> Versioned[Classifications]:
    """Returns every group with the idea's value, and the tag.

    Raises NotFound, and LargeRecord for a large taxonomy that is to be shown `at_once`.
    """
    idea = await queries.find_id(tx, actor.workspace_id, ref)
    taxonomy = await find_taxonomy(tx, actor.workspace_id)
    if at_once and taxonomy.is_large:
        raise LargeRecord
    return await _shown(tx, actor, idea.id, idea.version, taxonomy)


async def review_classification(
    tx: Tx, actor: Actor, ref: IdeaRef, review: ClassificationReview, expect: Expectation
) -> Versioned[Classifications]:
    """Applies one decision. Raises NotFound, ValidationFailed, PreconditionFailed."""
    [update] = review.updates
    idea = await queries.lock_idea(tx, actor.workspace_id, ref)
    tx = tx.later()
    taxonomy = await find_taxonomy(tx, actor.workspace_id)
    group = _find_group(taxonomy, update)
    stored = await find_values(tx, actor.workspace_id, [idea["id"]])
    decision = _decide(group, update, stored.get((idea["id"], group.id)))
    expect(version_tag(idea["id"], idea["version"], f".c{taxonomy.version}"))
    await save_values(tx, actor.workspace_id, [StoredValue(idea["id"], group.id, *decision, tx.now)])
    columns, detail = {"taxonomy_version_id": taxonomy.id}, {"group": group.key, "reviewAction": update.action}
    row = await change_columns(tx, actor, idea["id"], columns, "classification_reviewed", **detail)
    return await _shown(tx, actor, row["id"], row["version"], taxonomy)


def _find_group(taxonomy: Taxonomy, update: ClassificationUpdate) -> Group:
    if update.group_key is UNSET and update.taxonomy_group_id is UNSET:
        raise ValidationFailed.of("updates[0]", "Name the group by groupKey or taxonomyGroupId")
    for group in taxonomy.groups:
        if update.group_key in (UNSET, group.key) and update.taxonomy_group_id in (UNSET, group.id):
            return group
    raise ValidationFailed.of("updates[0]", "The active taxonomy has no such group")


def _decide(group: Group, update: ClassificationUpdate, stored: StoredValue | None) -> Decision:
    """Raises ValidationFailed for an action that does not fit the group or its value."""
    _refuse_stray_fields(update)
    if update.action == "set_option":
        return Decision(_chosen_options(group, update), None, "corrected", "manual")
    if update.action == "set_text":
        if group.kind != "text" or not update.text_value:
            raise ValidationFailed.of("updates[0].textValue", "A text group takes set_text with textValue")
        return Decision([], update.text_value, "corrected", "manual")
    if update.action == "mark_unassigned":
        return Decision([], None, "unassigned", "manual")
    has_value = stored is not None and bool(_active_options(group, stored) or stored.text_value is not None)
    if stored is None or not has_value:
        raise ValidationFailed.of("updates[0].action", f"The group {group.key} has no value to {update.action}")
    if update.action == "reject":
        return Decision([], None, "rejected", stored.origin)
    return Decision(_active_options(group, stored), stored.text_value, "accepted", stored.origin)


def _refuse_stray_fields(update: ClassificationUpdate) -> None:
    if update.option_ids not in (UNSET, None) and update.action != "set_option":
        raise ValidationFailed.of("updates[0].optionIds", "Only set_option takes optionIds")
    if update.text_value not in (UNSET, None) and update.action != "set_text":
        raise ValidationFailed.of("updates[0].textValue", "Only set_text takes textValue")


def _chosen_options(group: Group, update: ClassificationUpdate) -> list[UUID]:
    path = "updates[0].optionIds"
    if group.kind != "list" or not update.option_ids:
        raise ValidationFailed.of(path, "A list group takes set_option with one option or more")
    chosen: list[UUID] = list(dict.fromkeys(update.option_ids))
    if any(id not in group.places for id in chosen):
        raise ValidationFailed.of(path, f"Not an option of the group {group.key}")
    if refusal := group.refuse_more(chosen):
        raise ValidationFailed.of(path, refusal)
    return chosen


def _active_options(group: Group, stored: StoredValue) -> list[UUID]:
    return [option.id for option in group.chosen(stored.option_ids)]


async def _shown(tx: Tx, actor: Actor, id: UUID, version: int, taxonomy: Taxonomy) -> Versioned[Classifications]:
    stored = await find_values(tx, actor.workspace_id, [id])
    groups = []
    for group in taxonomy.groups:
        groups.append(_shown_group(group, stored.get((id, group.id))))
        if len(group.options) > _MANY:
            await asyncio.sleep(0)  # lets other requests in
    active = TaxonomyVersion(taxonomy.id, taxonomy.version, taxonomy.activated_at) if taxonomy.id else None
    states = [(group.value is not None, stored.get((id, group.taxonomy_group_id))) for group in groups]
    shown = Classifications(id, active, groups, summary_of(states))
    return Versioned(shown, version_tag(id, version, f".c{taxonomy.version}"))


def _shown_group(group: Group, stored: StoredValue | None) -> ClassificationGroup:
    return ClassificationGroup(
        taxonomy_group_id=group.id,
        group_key=group.key,
        label=group.label,
        kind=group.kind,
        selection_mode=group.selection_mode,
        required=group.required,
        options=group.options,
        value=value_of(group, stored),
        review_state=stored.review_state if stored else "unreviewed",
        origin=stored.origin if stored else None,
    )
