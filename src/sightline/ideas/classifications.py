"""What ideas are classified as, by the groups of the active taxonomy. Specification: ClassificationAssignment."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from msgspec import UNSET

from sightline.catalog.taxonomy import Group, Taxonomy, find_taxonomy
from sightline.ideas import queries, queries_create
from sightline.ideas.queries import StoredValue
from sightline.ideas.records import (
    ClassificationAssignment,
    ClassificationSummary,
    ClassificationValue,
    Idea,
    ReviewState,
)
from sightline.platform.db import Tx
from sightline.platform.errors import Fault


class Assignment(NamedTuple):
    """The resolved value of one group; neither options nor text: unassigned."""

    group_id: UUID
    option_ids: list[UUID]
    text_value: str | None

    @property
    def review_state(self) -> ReviewState:
        return "unreviewed" if self.option_ids or self.text_value is not None else "unassigned"


async def add_classifications(tx: Tx, workspace_id: UUID, ideas: Sequence[Idea]) -> int:
    """Adds values and summary to each idea, in two statements however many they are; the taxonomy's version."""
    taxonomy = await find_taxonomy(tx, workspace_id)
    stored: dict[tuple[UUID, UUID], StoredValue] = {
        (value.idea_id, value.group_id): value
        for value in await queries.find_classifications(tx, workspace_id, [idea.id for idea in ideas])
    }
    for idea in ideas:
        of_idea = [(group, stored.get((idea.id, group.id))) for group in taxonomy.groups]
        shown = [_shown(group, value) if value else None for group, value in of_idea]
        idea.classifications = [value for value in shown if value is not None and _has_value(value)]
        idea.classification_summary = summary_of(
            [(value is not None and _has_value(value), kept) for value, (_, kept) in zip(shown, of_idea, strict=True)]
        )
    return taxonomy.version


def _has_value(value: ClassificationValue) -> bool:
    return bool(value.option_ids) or value.text_value is not None


def _shown(group: Group, value: StoredValue) -> ClassificationValue:
    chosen = [option for option in group.options if option.id in value.option_ids]
    return ClassificationValue(
        taxonomy_group_id=group.id,
        group_key=group.key,
        group_label=group.label,
        kind=group.kind,
        option_ids=[option.id for option in chosen],
        option_keys=[option.key for option in chosen],
        option_labels=[option.label for option in chosen],
        text_value=value.text_value,
        review_state=value.review_state,
    )


def summary_of(states: Sequence[tuple[bool, StoredValue | None]]) -> ClassificationSummary:
    """From every group of the active taxonomy: whether a value is shown, and what is stored.

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


def resolve(taxonomy: Taxonomy, wanted: Sequence[ClassificationAssignment], faults: list[Fault]) -> list[Assignment]:
    """What is to be stored; adds a fault for every assignment that does not fit the active taxonomy."""
    resolved: list[Assignment] = []
    seen: set[str] = set()
    for n, assignment in enumerate(wanted):
        path = f"classifications[{n}]"
        group = taxonomy.by_key.get(assignment.group_key)
        if group is None:
            faults.append(Fault(f"{path}.groupKey", "The active taxonomy has no such group"))
        elif group.key in seen:
            faults.append(Fault(f"{path}.groupKey", "The same group twice"))
        elif group.kind == "list":
            _resolve_options(group, assignment, path, resolved, faults)
        else:
            _resolve_text(group, assignment, path, resolved, faults)
        seen.add(assignment.group_key)
    return resolved


def _resolve_options(
    group: Group, assignment: ClassificationAssignment, path: str, resolved: list[Assignment], faults: list[Fault]
) -> None:
    if assignment.option_values is UNSET or assignment.text_value not in (UNSET, None):
        faults.append(Fault(path, f"The group {group.key} takes optionValues"))
        return
    named = dict.fromkeys(assignment.option_values)
    options = {name: group.option(name) for name in named}
    unknown = [name for name, option in options.items() if option is None]
    if unknown:
        faults.append(Fault(f"{path}.optionValues", f"The group {group.key} has no option {unknown[0]!r}"))
        return
    ids = list(dict.fromkeys(option.id for option in options.values() if option is not None))
    if group.selection_mode == "single" and len(ids) > 1:
        faults.append(Fault(f"{path}.optionValues", f"The group {group.key} takes one option"))
        return
    resolved.append(Assignment(group.id, ids, None))


def _resolve_text(
    group: Group, assignment: ClassificationAssignment, path: str, resolved: list[Assignment], faults: list[Fault]
) -> None:
    if assignment.text_value is UNSET or assignment.option_values is not UNSET:
        faults.append(Fault(path, f"The group {group.key} takes textValue"))
        return
    resolved.append(Assignment(group.id, [], assignment.text_value))


async def assign(tx: Tx, workspace_id: UUID, idea_id: UUID, assignments: Sequence[Assignment]) -> int:
    """Stores the values of the groups named; the other groups stay. How many changed."""
    changed = 0
    for each in assignments:
        changed += await queries_create.assign(
            tx, workspace_id, idea_id, each.group_id, each.option_ids, each.text_value, each.review_state
        )
    return changed
