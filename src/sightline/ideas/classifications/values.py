"""The classifications that are shown with an idea. Specification: ClassificationValue; decisions: Classifications."""

import asyncio
from collections.abc import Sequence
from uuid import UUID

from sightline.catalog.taxonomy import Group, find_taxonomy
from sightline.ideas.classifications.queries import StoredValue, find_values
from sightline.ideas.classifications.records import (
    ClassificationReviewState,
    ClassificationSummary,
    ClassificationValue,
    GroupValue,
)
from sightline.ideas.records import Idea
from sightline.platform.db import Tx

_AT_ONCE = 2_000  # options: then other requests have a turn


async def add_classifications(tx: Tx, workspace_id: UUID, ideas: Sequence[Idea]) -> int:
    """Adds values and summary to each idea, in two statements for all. Returns the taxonomy's version."""
    taxonomy = await find_taxonomy(tx, workspace_id)
    stored = await find_values(tx, workspace_id, [idea.id for idea in ideas])
    options = 0
    for idea in ideas:
        idea.classifications = []
        states = []
        for group in taxonomy.groups:
            value = stored.get((idea.id, group.id))
            shown = value_of(group, value)
            if value is not None and shown is not None:
                idea.classifications.append(_shown(group, shown, value.review_state))
                options += len(shown.option_ids)
            states.append((shown is not None, value))
            if options > _AT_ONCE:
                options = 0
                await asyncio.sleep(0)
        idea.classification_summary = summary_of(states)
    return taxonomy.version


def _shown(group: Group, value: GroupValue, review_state: ClassificationReviewState) -> ClassificationValue:
    return ClassificationValue(
        taxonomy_group_id=group.id,
        group_key=group.key,
        group_label=group.label,
        kind=group.kind,
        option_ids=value.option_ids,
        option_keys=value.option_keys,
        option_labels=value.option_labels,
        text_value=value.text_value,
        review_state=review_state,
    )


def value_of(group: Group, stored: StoredValue | None) -> GroupValue | None:
    """Returns the value that is shown: the options that the group still has, or the text. None if there is neither."""
    chosen = group.chosen(stored.option_ids) if stored else []
    text = stored.text_value if stored else None
    if not chosen and text is None:
        return None
    ids, keys = [each.id for each in chosen], [each.key for each in chosen]
    return GroupValue(ids, keys, [each.label for each in chosen], text)


def summary_of(states: Sequence[tuple[bool, StoredValue | None]]) -> ClassificationSummary:
    """Counts the groups of the active taxonomy. Each is given as whether a value is shown, and the stored value.

    A stored value whose options the taxonomy no longer has is not shown, but needs review.
    """
    assigned = sum(has_value for has_value, _ in states)
    return ClassificationSummary(
        total=len(states),
        assigned=assigned,
        unassigned=len(states) - assigned,
        reviewed=sum(stored is not None and stored.review_state != "unreviewed" for _, stored in states),
        needs_review=sum(stored is not None and _needs_review(stored) for _, stored in states),
    )


def _needs_review(stored: StoredValue) -> bool:
    has_value = bool(stored.option_ids) or stored.text_value is not None
    return has_value and stored.review_state == "unreviewed"
