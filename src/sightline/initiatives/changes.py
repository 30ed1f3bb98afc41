"""Changing an initiative: what is absent stays. Specification: PATCH /initiatives/:id; decisions: Initiatives."""

from typing import Any
from uuid import UUID

from asyncpg import DeadlockDetectedError, ForeignKeyViolationError
from msgspec import UNSET

from sightline.initiatives import limits, queries
from sightline.initiatives.create import ensure_known, refuse_repeated
from sightline.initiatives.queries import Current
from sightline.initiatives.records import Initiative, InitiativeChanges, InitiativeStatus
from sightline.platform.access import Actor
from sightline.platform.db import Database, Tx
from sightline.platform.errors import BadRequest, Conflict, ValidationFailed
from sightline.platform.refs import InitiativeRef
from sightline.platform.wire import Expectation, Versioned, expect_anything, version_tag
from sightline.workspaces.changes import log_change

_ATTEMPTS = 4


class ProductConflict(BadRequest):
    """400: the initiative has features of another product."""

    code = "PRODUCT_CONFLICT"


async def change_initiative(
    db: Database, actor: Actor, ref: InitiativeRef, wish: InitiativeChanges, expect: Expectation = expect_anything
) -> Versioned[Initiative]:
    """Raises ValidationFailed, NotFound, ProductConflict, CreatorNotAllowed, PreconditionFailed, LimitReached.

    Participants, features, questions and documents stay as they are. Looks again when a team or product goes away
    between looking and storing.
    """
    wanted = _wanted(wish)
    if not wanted:
        raise ValidationFailed.of("", "Send at least one field")
    if wish.team_ids is not UNSET:
        refuse_repeated(wish.team_ids)
    for _ in range(_ATTEMPTS):
        try:
            async with db.write() as tx:
                return await _change(tx, actor, ref, wish, wanted, expect)
        except (ForeignKeyViolationError, DeadlockDetectedError):
            continue
    raise Conflict("The records that the change names keep changing. Try again.")


async def _change(
    tx: Tx, actor: Actor, ref: InitiativeRef, wish: InitiativeChanges, wanted: dict[str, Any], expect: Expectation
) -> Versioned[Initiative]:
    """The plan is locked before the initiative."""
    becomes_active = wish.status is not UNSET and wish.status.is_active
    plan = await queries.hold_plan(tx, actor.workspace_id) if becomes_active else None
    was = await queries.lock_initiative(tx, actor.workspace_id, ref)
    tx = tx.later()
    await _check(tx, actor.workspace_id, wish, was)
    actor.require_writer()
    expect(version_tag(was.id, was.version))
    if plan is not None and not InitiativeStatus(was.columns["status"]).is_active:
        await limits.ensure_one_more_active(tx, actor.workspace_id, plan)
    await _store(tx, actor, was, {name: value for name, value in wanted.items() if value != was.columns[name]})
    return await queries.find_initiative(tx, actor.workspace_id, InitiativeRef(id=was.id))


def _wanted(wish: InitiativeChanges) -> dict[str, Any]:
    """The columns that the wish names."""
    return {name: value for name in queries.CHANGEABLE if (value := getattr(wish, name)) is not UNSET}


async def _check(tx: Tx, workspace_id: UUID, wish: InitiativeChanges, was: Current) -> None:
    teams = [] if wish.team_ids is UNSET else wish.team_ids
    start = was.columns["start_date"] if wish.start_date is UNSET else wish.start_date
    finish = was.columns["finish_date"] if wish.finish_date is UNSET else wish.finish_date
    if start is not None and finish is not None and start > finish:
        raise ValidationFailed.of("finishDate", "Lies before startDate")
    product_id = None if wish.product_id is UNSET else wish.product_id
    if teams or product_id is not None:
        await ensure_known(tx, workspace_id, teams, product_id)
    if product_id is not None and any(other != product_id for other in was.feature_products):
        raise ProductConflict("The initiative has features of another product.", field="productId")


async def _store(tx: Tx, actor: Actor, was: Current, moved: dict[str, Any]) -> None:
    """Nothing is written, and no date moves, when nothing is another than before."""
    if "team_ids" in moved:
        if sorted(moved["team_ids"]) == sorted(was.columns["team_ids"]):
            del moved["team_ids"]
        else:
            await queries.assign_teams(tx, actor.workspace_id, was.id, moved["team_ids"])
    if not moved:
        return
    await queries.change_initiative(tx, actor.workspace_id, was.id, moved)
    await log_change(tx, actor, "initiative", was.id, was.public_id, "updated", fields=list(moved))
    if "status" in moved:
        await log_change(
            tx,
            actor,
            "initiative",
            was.id,
            was.public_id,
            "status_changed",
            **{"from": was.columns["status"], "to": moved["status"]},
        )
