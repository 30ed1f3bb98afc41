"""The evidence of an idea: only what was linked to it directly. Specification: Idea evidence record."""

from uuid import UUID

from msgspec import UNSET

from sightline.ideas.evidence import queries
from sightline.ideas.evidence.queries import State
from sightline.ideas.evidence.records import Evidence, EvidenceChanges, EvidenceFilters
from sightline.ideas.queries import find_id
from sightline.platform.access import Actor
from sightline.platform.db import Tx, Window
from sightline.platform.errors import ValidationFailed
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Expectation, Page, Versioned, expect_anything, version_tag
from sightline.workspaces.changes import log_change


async def list_evidence(tx: Tx, actor: Actor, ref: IdeaRef, filters: EvidenceFilters, window: Window) -> Page[Evidence]:
    """Returns a page, newest link first. Raises NotFound."""
    idea = await find_id(tx, actor.workspace_id, ref)
    return await queries.page_of_evidence(tx, actor.workspace_id, idea.id, filters, window)


async def change_evidence(
    tx: Tx,
    actor: Actor,
    ref: IdeaRef,
    evidence_id: UUID,
    changes: EvidenceChanges,
    expect: Expectation = expect_anything,
) -> Versioned[Evidence]:
    """Raises ValidationFailed for empty or contradictory changes, NotFound, PreconditionFailed."""
    _refuse_empty(changes)
    idea = await find_id(tx, actor.workspace_id, ref)
    current, version = await queries.lock_state(tx, actor.workspace_id, idea.id, evidence_id)
    tx = tx.later()
    expect(version_tag(evidence_id, version))
    changed = _changed(tx, actor, current, changes)
    if changed != current:
        await queries.change_state(tx, actor.workspace_id, idea.id, evidence_id, changed)
        await log_change(tx, actor, "idea_evidence", evidence_id, None, "updated", ideaId=str(idea.id))
    return await queries.find_evidence(tx, actor.workspace_id, idea.id, evidence_id)


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
