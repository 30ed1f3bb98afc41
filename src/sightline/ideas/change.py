"""Changing an idea. Omitted fields stay. Specification: PATCH /ideas/:id; decisions: Ideas."""

from itertools import count
from uuid import UUID

from msgspec import UNSET

from sightline.catalog.products.feature_maps import FeatureMaps
from sightline.ideas import queries, read
from sightline.ideas.decide import Facts, decide
from sightline.ideas.preparation import prepare, propose
from sightline.ideas.records import Idea, IdeaChanges
from sightline.ideas.store import change_idea as store_change
from sightline.platform.access import Actor
from sightline.platform.db import Database, Row, Tx, by_reference, retry_when_overtaken
from sightline.platform.errors import BadRequest, Conflict, ValidationFailed
from sightline.platform.refs import IdeaRef, InitiativeRef
from sightline.platform.wire import Expectation, Versioned, version_tag


class AlreadyLinked(BadRequest):
    """400: the idea belongs to another initiative."""

    code = "ALREADY_LINKED"


async def change_idea(  # noqa: PLR0913 - the request
    db: Database,
    maps: FeatureMaps,
    actor: Actor,
    ref: IdeaRef,
    changes: IdeaChanges,
    expect: Expectation,
    *,
    at_once: bool,
) -> Versioned[Idea]:
    """Changes an idea. Raises NotFound, ValidationFailed, AlreadyLinked, PreconditionFailed.

    Raises LargeRecord for a large one that is changed `at_once`.
    Rows are locked in the order initiative, idea, links; concurrent changes of one idea wait for each other.
    """
    proposal = propose(changes)
    attempts = count()

    async def find(tx: Tx) -> list[Row]:
        return [await queries.find_state(tx, actor.workspace_id, ref)]

    async def attempt() -> Versioned[Idea] | None:
        facts = Facts(maps.engine, db.clock.now())
        if proposal.needs_facts or changes.classifications:
            _, facts = await prepare(
                db, maps, actor.workspace_id, find, proposal, changes.classifications or (), is_retry=next(attempts) > 0
            )
        async with db.transaction() as tx:
            target = await _hold_target(tx, actor, changes)
            current = await queries.lock_idea(tx, actor.workspace_id, ref, at_once=at_once)
            tx = tx.later()
            attached = {"initiative_id": _attached(current, changes, target)}
            expect(version_tag(current["id"], current["version"]))
            outcome = await decide(current, proposal._replace(columns=proposal.columns | attached), facts)
            if outcome is None:
                return None
            row = await store_change(tx, maps.engine, actor, current, outcome)
            return await read.with_classifications(tx, actor, row) if outcome.assignments else read.versioned(row)

    return await retry_when_overtaken(attempt, Conflict("The records that the change names keep changing. Try again."))


_HOLD_INITIATIVE = by_reference("""
SELECT id, status = 'ARCHIVED' AS is_archived
  FROM initiatives WHERE workspace_id = :workspace_id AND {ref} = :ref FOR SHARE""")


async def _hold_target(tx: Tx, actor: Actor, changes: IdeaChanges) -> Row | None:
    """Locks the initiative until the transaction ends. It is locked before the idea."""
    if changes.project_id is UNSET or changes.project_id is None:
        return None
    ref = InitiativeRef.parse(changes.project_id)
    return await tx.row(_HOLD_INITIATIVE[ref.column], workspace_id=actor.workspace_id, ref=ref.value)


def _attached(current: Row, changes: IdeaChanges, target: Row | None) -> UUID | None:
    """Returns the initiative after the change: none, the current one, or the target if the idea has none."""
    attached_to: UUID | None = current["initiative_id"]
    if changes.project_id is UNSET:
        return attached_to
    if changes.project_id is None:
        return None
    if target is None:
        raise ValidationFailed.of("projectId", "The workspace has no such initiative")
    if attached_to == target["id"]:
        return attached_to
    if attached_to is not None:
        raise AlreadyLinked(
            "The idea belongs to another initiative. Detach it first, with projectId null.", field="projectId"
        )
    if target["is_archived"]:
        raise ValidationFailed.of("projectId", "The initiative is archived. Choose another one")
    id: UUID = target["id"]
    return id
