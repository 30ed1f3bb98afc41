"""The evidence of an idea: only what was linked to it directly. Specification: Idea evidence record."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from msgspec import UNSET

from sightline.ideas.evidence.queries import EVIDENCE, find_evidence
from sightline.ideas.evidence.records import Evidence, EvidenceChanges, EvidenceFilters
from sightline.ideas.queries import find_id
from sightline.platform.access import Actor
from sightline.platform.db import Tx, Where, Window, sql
from sightline.platform.db.sql import assignments
from sightline.platform.errors import ValidationFailed
from sightline.platform.lists.large import stored_size
from sightline.platform.lists.listing import Listing, Order
from sightline.platform.lists.read import read_list
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Expectation, Page, Versioned, version_tag
from sightline.workspaces.changes import log_change

_NEWEST = Order("evidence", "created_at", "id", UUID, is_descending=True, has_cursor=False, tie_ascends=True)
_SIZE = stored_size("description", "resolution", json=["extracts"])
_LISTING = Listing("idea_evidence", Evidence, EVIDENCE, _NEWEST, size=_SIZE, alias="e")


async def list_evidence(tx: Tx, actor: Actor, ref: IdeaRef, filters: EvidenceFilters, window: Window) -> Page[Evidence]:
    """Returns a page, newest link first. Raises NotFound."""
    idea = await find_id(tx, actor.workspace_id, ref)
    where = Where(actor.workspace_id).equals(idea_id=idea.id)
    if filters.visibility == "active":
        where.add("resolved_at IS NULL AND dismissed_at IS NULL")
    return await read_list(tx, _LISTING, where, window)


class State(NamedTuple):
    """The columns of a piece of evidence that a change may set."""

    role: str
    resolution: str | None
    resolved_at: datetime | None
    resolved_by: UUID | None
    dismissed_at: datetime | None


_LOCK = sql(
    """
SELECT {state}, version
  FROM idea_evidence WHERE workspace_id = :workspace_id AND idea_id = :idea_id AND id = :id FOR NO KEY UPDATE""",
    state=", ".join(State._fields),
)
_CHANGE = sql(
    """
UPDATE idea_evidence SET {state}, updated_at = :now, version = version + 1
 WHERE workspace_id = :workspace_id AND idea_id = :idea_id AND id = :id""",
    state=assignments(State._fields),
)


async def change_evidence(
    tx: Tx, actor: Actor, ref: IdeaRef, evidence_id: UUID, changes: EvidenceChanges, expect: Expectation
) -> Versioned[Evidence]:
    """Raises ValidationFailed for empty or contradictory changes, NotFound, PreconditionFailed."""
    _refuse_empty(changes)
    idea = await find_id(tx, actor.workspace_id, ref)
    evidence = {"workspace_id": actor.workspace_id, "idea_id": idea.id, "id": evidence_id}
    *state, version = await tx.found(_LOCK, **evidence)
    current = State(*state)
    tx = tx.later()
    expect(version_tag(evidence_id, version))
    changed = _changed(tx, actor, current, changes)
    if changed != current:
        await tx.run(_CHANGE, **evidence, **changed._asdict())
        await log_change(tx, actor, "idea_evidence", evidence_id, None, "updated", ideaId=str(idea.id))
    return await find_evidence(tx, actor.workspace_id, idea.id, evidence_id)


def _refuse_empty(changes: EvidenceChanges) -> None:
    if all(field is UNSET for field in (changes.role, changes.resolution, changes.resolved, changes.dismissed)):
        raise ValidationFailed.of("", "Send at least one of role, resolution, resolved, dismissed")
    if changes.resolved is False and isinstance(changes.resolution, str):
        raise ValidationFailed.of("resolution", "Evidence that is not resolved has no resolution")


def _changed(tx: Tx, actor: Actor, current: State, changes: EvidenceChanges) -> State:
    """Returns the state after the changes. Resolving or dismissing again keeps the first time and person."""
    state = current
    if changes.role is not UNSET:
        state = state._replace(role=changes.role)
    if changes.resolution is not UNSET:
        state = state._replace(resolution=changes.resolution)
    is_resolved = _is_resolved(changes)
    if is_resolved is False:
        state = state._replace(resolved_at=None, resolved_by=None, resolution=None)
    elif is_resolved and current.resolved_at is None:
        state = state._replace(resolved_at=tx.now, resolved_by=actor.member_id)
    if changes.dismissed is not UNSET:
        state = state._replace(dismissed_at=(current.dismissed_at or tx.now) if changes.dismissed else None)
    return state


def _is_resolved(changes: EvidenceChanges) -> bool | None:
    """Whether the evidence is resolved after the changes; None if that does not change."""
    if changes.resolved is not UNSET:
        return changes.resolved
    return None if changes.resolution is UNSET else changes.resolution is not None
