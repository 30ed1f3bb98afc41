"""Changing an initiative. Omitted fields stay. Specification: PATCH /initiatives/:id; decisions: Initiatives."""

from typing import Any
from uuid import UUID

from msgspec import UNSET

from sightline.initiatives import limits, queries
from sightline.initiatives.records import ENDS_EARLY, Initiative, InitiativeChanges, InitiativeStatus, ends_early
from sightline.platform.access import Actor
from sightline.platform.db import Database, Row, Tx, retry_transaction, sql, update_record
from sightline.platform.errors import BadRequest, Conflict, ValidationFailed
from sightline.platform.refs import InitiativeRef
from sightline.platform.wire import Expectation, Versioned, version_tag
from sightline.workspaces.changes import log_change


class ProductConflict(BadRequest):
    """400: the initiative has features of another product."""

    code = "PRODUCT_CONFLICT"


async def change_initiative(
    db: Database, actor: Actor, ref: InitiativeRef, changes: InitiativeChanges, expect: Expectation
) -> Versioned[Initiative]:
    """Changes an initiative. Participants, features, questions and documents stay.

    Raises ValidationFailed, NotFound, ProductConflict, PreconditionFailed, LimitReached.
    """
    if all(value is UNSET for value in _fields(changes).values()):
        raise ValidationFailed.of("", "Send at least one field")
    if changes.team_ids is not UNSET:
        queries.ensure_unique(changes.team_ids)

    busy = Conflict("The teams or the product of the request keep changing. Try again.")
    return await retry_transaction(db, lambda tx: _change(tx, actor, ref, changes, expect), busy)


def _fields(changes: InitiativeChanges) -> dict[str, Any]:
    return {name: getattr(changes, name) for name in changes.__struct_fields__}


async def _change(
    tx: Tx, actor: Actor, ref: InitiativeRef, changes: InitiativeChanges, expect: Expectation
) -> Versioned[Initiative]:
    """Locks the plan before the initiative, as creating does."""
    becomes_active = changes.status is not UNSET and changes.status.is_active
    plan = await limits.hold_plan(tx, actor.workspace_id) if becomes_active else None
    current = await queries.lock_initiative(tx, actor.workspace_id, ref)
    tx = tx.later()
    await _check(tx, actor.workspace_id, changes, current)
    expect(version_tag(current["id"], current["version"]))
    if plan is not None and not InitiativeStatus(current["status"]).is_active:
        await limits.ensure_one_more_active(tx, actor.workspace_id, plan)
    await _store(tx, actor, current, _changed(changes, current))
    return await queries.find_initiative(tx, actor.workspace_id, InitiativeRef(id=current["id"]))


async def _check(tx: Tx, workspace_id: UUID, changes: InitiativeChanges, current: Row) -> None:
    teams = [] if changes.team_ids is UNSET else changes.team_ids
    start = current["start_date"] if changes.start_date is UNSET else changes.start_date
    finish = current["finish_date"] if changes.finish_date is UNSET else changes.finish_date
    if ends_early(start, finish):
        raise ValidationFailed.of("finishDate", ENDS_EARLY)
    product_id = None if changes.product_id is UNSET else changes.product_id
    if teams or product_id is not None:
        named = {"workspace_id": workspace_id, "teams": teams, "product_id": product_id}
        queries.refuse_missing(await tx.one(queries.FIND_MISSING, **named))
    if product_id is not None and any(other != product_id for other in current["feature_products"]):
        raise ProductConflict("The initiative has features of another product.", field="productId")


def _changed(changes: InitiativeChanges, current: Row) -> dict[str, Any]:
    """Returns the columns whose value differs. The order of teams is not compared."""
    fields = {name: value for name, value in _fields(changes).items() if value is not UNSET}
    if "team_ids" in fields and set(fields["team_ids"]) == set(current["team_ids"]):
        del fields["team_ids"]
    return {name: value for name, value in fields.items() if value != current[name]}


_UNASSIGN = sql("""
DELETE FROM initiative_teams
 WHERE workspace_id = :workspace_id AND initiative_id = :id AND team_id <> ALL(:team_ids)""")
_ASSIGN = sql("""
INSERT INTO initiative_teams (workspace_id, initiative_id, team_id)
SELECT :workspace_id, :id, team.id FROM unnest(:team_ids::uuid[]) WITH ORDINALITY AS team (id, n) ORDER BY n
ON CONFLICT DO NOTHING""")


async def _store(tx: Tx, actor: Actor, current: Row, changed: dict[str, Any]) -> None:
    """Stores the change; leaves `updated_at` alone if nothing changed."""
    if not changed:
        return
    columns = {name: value for name, value in changed.items() if name != "team_ids"}
    if "team_ids" in changed:
        assigned = {"workspace_id": actor.workspace_id, "id": current["id"], "team_ids": changed["team_ids"]}
        await tx.run(_UNASSIGN, **assigned)
        await tx.run(_ASSIGN, **assigned)  # a team that stays keeps its position
    await update_record(tx, "initiatives", actor.workspace_id, current["id"], columns)
    about = ("initiative", current["id"], current["public_id"])
    await log_change(tx, actor, *about, "updated", fields=list(changed))
    if "status" in changed:
        moved = {"from": current["status"], "to": changed["status"]}
        await log_change(tx, actor, *about, "status_changed", **moved)
