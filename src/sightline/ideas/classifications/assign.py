"""Classifying an idea on create and update. Specification: NewClassification."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from msgspec import UNSET

from sightline.catalog.taxonomy import Group, Taxonomy
from sightline.ideas.classifications.queries import StoredValue, find_values, save_values
from sightline.ideas.classifications.records import ClassificationReviewState, NewClassification
from sightline.platform.db import Tx
from sightline.platform.errors import Fault


class Assignment(NamedTuple):
    """The resolved value of one group. Without options and text the group is unassigned."""

    group_id: UUID
    option_ids: list[UUID]
    text_value: str | None

    @property
    def review_state(self) -> ClassificationReviewState:
        return "unreviewed" if self.option_ids or self.text_value is not None else "unassigned"


def resolve(taxonomy: Taxonomy, assignments: Sequence[NewClassification], faults: list[Fault]) -> list[Assignment]:
    """Returns the values to store; adds a fault for each assignment that does not fit the active taxonomy."""
    resolved: list[Assignment] = []
    seen: set[str] = set()
    for n, assignment in enumerate(assignments):
        found = _resolve(taxonomy, assignment, f"classifications[{n}]", seen)
        if isinstance(found, Fault):
            faults.append(found)
        else:
            resolved.append(found)
        seen.add(assignment.group_key)
    return resolved


def _resolve(taxonomy: Taxonomy, assignment: NewClassification, path: str, seen: set[str]) -> Assignment | Fault:
    group = taxonomy.by_key.get(assignment.group_key)
    if group is None:
        return Fault(f"{path}.groupKey", "The active taxonomy has no such group")
    if group.key in seen:
        return Fault(f"{path}.groupKey", "The same group twice")
    if group.kind == "list":
        return _resolve_options(group, assignment, path)
    if assignment.text_value is UNSET or isinstance(assignment.option_values, list):
        return Fault(path, f"The group {group.key} takes textValue")
    return Assignment(group.id, [], assignment.text_value)


def _resolve_options(group: Group, assignment: NewClassification, path: str) -> Assignment | Fault:
    if not isinstance(assignment.option_values, list) or assignment.text_value not in (UNSET, None):
        return Fault(path, f"The group {group.key} takes optionValues")
    named = dict.fromkeys(assignment.option_values)
    unknown = [name for name in named if name not in group.by_name]
    if unknown:
        return Fault(f"{path}.optionValues", f"The group {group.key} has no option {unknown[0]!r}")
    ids = list(dict.fromkeys(group.by_name[name].id for name in named))
    if refusal := group.refuse_more(ids):
        return Fault(f"{path}.optionValues", refusal)
    return Assignment(group.id, ids, None)


async def assign(tx: Tx, workspace_id: UUID, idea_id: UUID, assignments: Sequence[Assignment]) -> int:
    """Stores the values of the named groups; other groups stay. Returns how many values changed.

    The caller holds the idea's lock, or added the idea in this transaction. An unchanged value keeps its review; a
    suggestion that nobody reviewed becomes the API's choice.
    """
    if not assignments:
        return 0
    stored = await find_values(tx, workspace_id, [idea_id])
    changed = [each for each in assignments if _differs(each, stored.get((idea_id, each.group_id)))]
    await save_values(
        tx,
        workspace_id,
        [
            StoredValue(idea_id, each.group_id, each.option_ids, each.text_value, each.review_state, "api", tx.now)
            for each in changed
        ],
    )
    return len(changed)


def _differs(assignment: Assignment, stored: StoredValue | None) -> bool:
    if stored is None or (assignment.option_ids, assignment.text_value) != (stored.option_ids, stored.text_value):
        return True
    if stored.is_unreviewed_suggestion:
        return True
    return (assignment.review_state == "unassigned") != (stored.review_state == "unassigned")
