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
    group: Group, assignment: NewClassification, path: str, resolved: list[Assignment], faults: list[Fault]
) -> None:
    if not isinstance(assignment.option_values, list) or assignment.text_value not in (UNSET, None):
        faults.append(Fault(path, f"The group {group.key} takes optionValues"))
        return
    named = dict.fromkeys(assignment.option_values)
    options = {name: group.option(name) for name in named}
    unknown = [name for name, option in options.items() if option is None]
    if unknown:
        faults.append(Fault(f"{path}.optionValues", f"The group {group.key} has no option {unknown[0]!r}"))
        return
    ids = list(dict.fromkeys(option.id for option in options.values() if option is not None))
    if refusal := group.refuse_more(ids):
        faults.append(Fault(f"{path}.optionValues", refusal))
        return
    resolved.append(Assignment(group.id, ids, None))


def _resolve_text(
    group: Group, assignment: NewClassification, path: str, resolved: list[Assignment], faults: list[Fault]
) -> None:
    if assignment.text_value is UNSET or isinstance(assignment.option_values, list):
        faults.append(Fault(path, f"The group {group.key} takes textValue"))
        return
    resolved.append(Assignment(group.id, [], assignment.text_value))


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
