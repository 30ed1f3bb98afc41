"""The workflow label of an idea. Specification: Idea status; decisions: Ideas."""

from uuid import UUID

from msgspec import UNSET

from sightline.ideas import queries_changes
from sightline.ideas.queries_changes import StatusState
from sightline.ideas.records import StatusChange, StatusReceipt
from sightline.platform.access import Actor
from sightline.platform.db import Database, Tx
from sightline.platform.errors import BadRequest, Conflict, NotFound
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Expectation, expect_anything, version_tag

_ATTEMPTS = 5


class UnknownStatus(BadRequest):
    """400: no label of the workspace; extra `allowed`."""

    code = "UNKNOWN_STATUS"


class PromotionReserved(Conflict):
    """409: the label is reserved for the promotion workflow."""

    code = "PROMOTION_RESERVED"


class SourceManaged(Conflict):
    """409: the idea's integration owns its status."""

    code = "SOURCE_MANAGED"


class StatusChanged(Conflict):
    """409: the idea has another label than the caller saw; extra `currentStatus`."""

    code = "STATUS_CHANGED"


class SprintCompleted(Conflict):
    """409: the idea's sprint is over."""

    code = "SPRINT_COMPLETED"


async def set_status(
    db: Database, actor: Actor, ref: IdeaRef, wish: StatusChange, expect: Expectation = expect_anything
) -> StatusReceipt:
    """Moves an idea to a label, by one statement that only succeeds while the idea is as it was seen.

    Who comes between others looks again under the idea's lock, where only sprint and workflow can still move; the
    moment is the one after the wait, so that the history stands in order.

    Raises UnknownStatus, NotFound, CreatorNotAllowed, PreconditionFailed, StatusChanged, SprintCompleted,
    SourceManaged, PromotionReserved.
    """
    async with db.read() as tx:
        receipt = await _move(tx, actor, ref, wish, expect)
    for _ in range(_ATTEMPTS):
        if receipt is not None:
            return receipt
        async with db.write() as tx:
            await queries_changes.lock_idea(tx, actor.workspace_id, ref)
            receipt = await _move(tx.later(), actor, ref, wish, expect)
    raise StatusChanged("The workflow keeps changing. Read the idea again.")


async def _move(tx: Tx, actor: Actor, ref: IdeaRef, wish: StatusChange, expect: Expectation) -> StatusReceipt | None:
    """None when something moved between looking and writing."""
    seen = await queries_changes.find_status(tx, actor.workspace_id, ref, wish.status)
    if seen.is_promotion is None:
        raise await unknown_status(tx, actor.workspace_id, wish.status)
    if seen.id is None:
        raise NotFound
    actor.require_writer()
    expect(version_tag(seen.id, seen.version))
    _refuse_another_than_expected(seen, wish)
    if seen.status == wish.status:
        return StatusReceipt(seen.id, seen.public_id, seen.status, seen.status, changed=False)
    _refuse_kept(seen)
    if await queries_changes.move_status(tx, actor, seen, wish.status):
        return StatusReceipt(seen.id, seen.public_id, wish.status, seen.status, changed=True)
    return None


def _refuse_another_than_expected(seen: StatusState, wish: StatusChange) -> None:
    if wish.expected_current_status is not UNSET and wish.expected_current_status != seen.status:
        raise StatusChanged(f"The idea's status is {seen.status!r} now.", currentStatus=seen.status)


def _refuse_kept(seen: StatusState) -> None:
    """Where somebody else decides about the status."""
    if seen.is_closed:
        raise SprintCompleted("The idea's sprint is completed; its status stays.", field="status")
    if seen.is_source_managed:
        raise SourceManaged("The idea's status is kept by the integration it came from.", field="status")
    if seen.is_promotion:
        raise PromotionReserved("That status is reserved for promotion.", field="status")


_LABELS = "SELECT label FROM idea_statuses WHERE workspace_id = $1 ORDER BY position, label"


async def unknown_status(tx: Tx, workspace_id: UUID, label: str) -> UnknownStatus:
    """The refusal of a label, with those that are allowed."""
    allowed = [row["label"] for row in await tx.rows(_LABELS, workspace_id)]
    return UnknownStatus(f"The workspace has no idea status {label!r}.", field="status", allowed=allowed)
