"""The evidence of an idea: only what was linked to it directly. Specification: Idea evidence record."""

from uuid import UUID

from msgspec import UNSET

from sightline.ideas import queries, queries_evidence
from sightline.ideas.queries_evidence import State
from sightline.ideas.records_evidence import Evidence, EvidenceChanges, EvidenceFilters
from sightline.platform.access import Actor
from sightline.platform.db import Tx, Window
from sightline.platform.errors import ValidationFailed
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Expectation, Page, Versioned, expect_anything, version_tag
from sightline.workspaces.changes import log_change


async def list_evidence(tx: Tx, actor: Actor, ref: IdeaRef, wanted: EvidenceFilters, window: Window) -> Page[Evidence]:
    """Raises NotFound."""
    idea = await queries.find_id(tx, actor.workspace_id, ref)
    return await queries_evidence.page_of_evidence(tx, actor.workspace_id, idea.id, wanted, window)


async def change_evidence(
    tx: Tx, actor: Actor, ref: IdeaRef, evidence_id: UUID, wish: EvidenceChanges, expect: Expectation = expect_anything
) -> Versioned[Evidence]:
    """Raises ValidationFailed for an empty or contradictory wish, NotFound, CreatorNotAllowed, PreconditionFailed."""
    _refuse_empty(wish)
    idea = await queries.find_id(tx, actor.workspace_id, ref)
    was, version = await queries_evidence.lock_state(tx, actor.workspace_id, idea.id, evidence_id)
    tx = tx.later()
    actor.require_writer()
    expect(version_tag(evidence_id, version))
    becomes = _changed(tx, actor, was, wish)
    if becomes != was:
        await queries_evidence.change_state(tx, actor.workspace_id, idea.id, evidence_id, becomes)
        await log_change(tx, actor, "idea_evidence", evidence_id, None, "updated", ideaId=str(idea.id))
    return await queries_evidence.find_evidence(tx, actor.workspace_id, idea.id, evidence_id)


def _refuse_empty(wish: EvidenceChanges) -> None:
    if all(field is UNSET for field in (wish.role, wish.resolution, wish.resolved, wish.dismissed)):
        raise ValidationFailed.of("", "Send at least one of role, resolution, resolved, dismissed")
    if wish.resolved is False and isinstance(wish.resolution, str):
        raise ValidationFailed.of("resolution", "Evidence that is not resolved has no resolution")


def _changed(tx: Tx, actor: Actor, was: State, wish: EvidenceChanges) -> State:
    """Resolving again keeps the first moment and person; so does dismissing."""
    state = was
    if wish.role is not UNSET:
        state = state._replace(role=wish.role)
    if wish.resolved is True and was.resolved_at is None:
        state = state._replace(resolved_at=tx.now, resolved_by=actor.member_id)
    if wish.resolved is False:
        state = state._replace(resolved_at=None, resolved_by=None, resolution=None)
    if wish.resolution is not UNSET:
        state = state._replace(resolution=wish.resolution)
    if wish.dismissed is not UNSET:
        state = state._replace(dismissed_at=(was.dismissed_at or tx.now) if wish.dismissed else None)
    return state
