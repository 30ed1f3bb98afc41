"""The workflow label of an idea. Specification: Idea status; decisions: Ideas."""

from typing import Any, ClassVar, NamedTuple
from uuid import UUID

from msgspec import UNSET

from sightline.ideas.labels import unknown_status
from sightline.ideas.queries import lock_idea
from sightline.ideas.records import StatusChange, StatusReceipt
from sightline.ideas.store import changing, moved
from sightline.platform.access import Actor
from sightline.platform.db import Database, Row, Tx, by_reference, sql
from sightline.platform.errors import Conflict, NotFound
from sightline.platform.refs import IdeaRef
from sightline.platform.wire import Expectation, version_tag
from sightline.workspaces.changes import change_by

_ATTEMPTS = 5


class PromotionReserved(Conflict):
    """409: the label is reserved for the promotion workflow."""

    code = "PROMOTION_RESERVED"


class SourceManaged(Conflict):
    """409: the idea's integration owns its status."""

    code = "SOURCE_MANAGED"


class StatusChanged(Conflict):
    """409: the idea has another label than expected."""

    code = "STATUS_CHANGED"
    members: ClassVar[dict[str, Any]] = {"currentStatus": "Planned"}


class SprintCompleted(Conflict):
    """409: the idea's sprint is completed."""

    code = "SPRINT_COMPLETED"


async def set_status(
    db: Database, actor: Actor, ref: IdeaRef, change: StatusChange, expect: Expectation
) -> StatusReceipt:
    """Moves an idea to a label, by one statement that only succeeds if the idea has not changed since it was read.

    If another request changed the idea first, this one reads it again under its lock, where only sprint and workflow
    can still change. The time of the change is then taken after the wait, so that the history is in order.

    Raises UnknownStatus, NotFound, PreconditionFailed, StatusChanged, SprintCompleted,
    SourceManaged, PromotionReserved.
    """
    async with db.autocommit() as tx:
        receipt = await _set_status(tx, actor, ref, change, expect)
    for _ in range(_ATTEMPTS):
        if receipt is not None:
            return receipt
        async with db.transaction() as tx:
            await lock_idea(tx, actor.workspace_id, ref)
            receipt = await _set_status(tx.later(), actor, ref, change, expect)
    raise StatusChanged("The workflow keeps changing. Read the idea again.")


async def _set_status(
    tx: Tx, actor: Actor, ref: IdeaRef, change: StatusChange, expect: Expectation
) -> StatusReceipt | None:
    """Returns None if something changed between reading and writing."""
    named = {"workspace_id": actor.workspace_id, "ref": ref.value, "label": change.status}
    seen = _State(*await tx.one(FIND_STATE[ref.column], **named))
    if seen.is_promotion is None:
        raise await unknown_status(tx, actor.workspace_id, change.status)
    if seen.id is None:
        raise NotFound
    expect(version_tag(seen.id, seen.version))
    if change.expected_current_status not in (UNSET, None, seen.status):
        raise StatusChanged(f"The idea's status is {seen.status!r} now.", currentStatus=seen.status)
    if seen.status == change.status:
        return StatusReceipt(seen.id, seen.public_id, seen.status, seen.status, changed=False)
    _refuse_owned(seen)
    values = {"id": seen.id, "seen_status": seen.status, "seen_version": seen.version, "status": change.status}
    detail = moved(seen.status, change.status)
    if await tx.row(MOVE_IDEA, **change_by(actor), **values, detail=detail) is None:
        return None
    return StatusReceipt(seen.id, seen.public_id, change.status, seen.status, changed=True)


class _State(NamedTuple):
    """What a status change depends on. `id` is None if there is no such idea, `is_promotion` if no such label."""

    id: UUID | None
    public_id: str
    status: str
    version: int
    is_source_managed: bool
    is_closed: bool
    is_promotion: bool | None


FIND_STATE = by_reference("""
SELECT i.id, 'IDEA-' || i.number AS public_id, i.status, i.version,
       coalesce(g.manages_status, false) AS is_source_managed, coalesce(s.state = 'completed', false) AS is_closed,
       l.promotion AS is_promotion
  FROM (SELECT 1) AS always
  LEFT JOIN idea_statuses l ON l.workspace_id = :workspace_id AND l.label = :label
  LEFT JOIN ideas i ON i.workspace_id = :workspace_id AND i.{ref} = :ref
  LEFT JOIN integrations g ON g.workspace_id = :workspace_id AND g.id = i.integration_id
  LEFT JOIN sprints s ON s.workspace_id = :workspace_id AND s.id = i.sprint_id""")


def _refuse_owned(seen: _State) -> None:
    """Raises SprintCompleted, SourceManaged or PromotionReserved if the request may not set the status."""
    if seen.is_closed:
        raise SprintCompleted("The idea's sprint is completed; its status stays.", field="status")
    if seen.is_source_managed:
        raise source_managed()
    if seen.is_promotion:
        raise promotion_reserved()


def source_managed() -> SourceManaged:
    return SourceManaged("The integration of the idea sets its status. Change it there.", field="status")


def promotion_reserved() -> PromotionReserved:
    return PromotionReserved("That status is reserved for promotion. Send another one.", field="status")


_MANAGES_STATUS = sql("SELECT manages_status FROM integrations WHERE workspace_id = :workspace_id AND id = :id")


async def refuse_managed_status(tx: Tx, workspace_id: UUID, stored: Row, columns: dict[str, Any]) -> None:
    """Raises SourceManaged if a POST changes a status that the idea's integration manages, and does not name it."""
    owner = stored["integration_id"]
    if columns.get("status") in (None, stored["status"]) or owner in (None, columns.get("integration_id")):
        return
    if await tx.value(_MANAGES_STATUS, workspace_id=workspace_id, id=owner):
        raise source_managed()


# Only if the idea has not changed since it was read, its sprint is not completed and the label still exists.
MOVE_IDEA = changing(
    ("status",),
    "status_changed",
    """AND status = :seen_status AND version = :seen_version
       AND EXISTS (SELECT FROM idea_statuses
                    WHERE workspace_id = :workspace_id AND label = :status AND NOT promotion)
       AND NOT EXISTS (SELECT FROM sprints
                        WHERE workspace_id = :workspace_id AND id = ideas.sprint_id AND state = 'completed')""",
    is_shown=False,
)
