"""The limits of a plan for initiatives. Specification: Limits; decisions: Initiatives.

Exact under concurrency, for a plan that had limits before the request.
"""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sightline.platform.db import Tx, sql
from sightline.platform.errors import LimitReached, TrialExpired
from sightline.platform.wire import shown_moment
from sightline.workspaces.changes import count_of


class Plan(NamedTuple):
    """The limits of a plan (None: no limit), and the end of its trial."""

    initiative_limit: int | None = None
    active_initiative_limit: int | None = None
    trial_ends_at: datetime | None = None


LIMITS = ", ".join(Plan._fields)  # columns of `plans`, null for no limit
_UNLIMITED = Plan()
_FIND_PLAN = sql("SELECT {limits} FROM plans WHERE workspace_id = :workspace_id", limits=LIMITS)
_LOCK_PLAN = sql("SELECT {limits} FROM plans WHERE workspace_id = :workspace_id FOR NO KEY UPDATE", limits=LIMITS)
_COUNT_INITIATIVES = sql("SELECT {count}", count=count_of("initiative"))
_COUNT_ACTIVE = sql("SELECT count(*) FROM initiatives WHERE workspace_id = :workspace_id AND is_active")


async def hold_plan(tx: Tx, workspace_id: UUID) -> Plan:
    """Locks the plan if it has limits, so that concurrent requests wait for each other."""
    plan = Plan(*await tx.row(_FIND_PLAN, workspace_id=workspace_id) or ())
    if plan == _UNLIMITED:
        return plan
    return Plan(*await tx.row(_LOCK_PLAN, workspace_id=workspace_id) or ())


async def ensure_one_more(tx: Tx, workspace_id: UUID) -> None:
    """Checks the limits for a new initiative, which is active. Raises TrialExpired, LimitReached. Locks the plan."""
    plan = await hold_plan(tx, workspace_id)
    if plan.trial_ends_at is not None and plan.trial_ends_at <= tx.now:
        raise TrialExpired("The free trial has ended.", trialEndedAt=shown_moment(plan.trial_ends_at))
    if plan.initiative_limit is not None:
        used = await tx.value(_COUNT_INITIATIVES, workspace_id=workspace_id)  # with archived ones
        if used >= plan.initiative_limit:
            raise _reached("initiatives", used, plan.initiative_limit)
    await ensure_one_more_active(tx, workspace_id, plan)


async def ensure_one_more_active(tx: Tx, workspace_id: UUID, plan: Plan) -> None:
    """Checks the limit for another active initiative under a locked plan. Raises LimitReached."""
    if plan.active_initiative_limit is None:
        return
    used = await tx.value(_COUNT_ACTIVE, workspace_id=workspace_id)
    if used >= plan.active_initiative_limit:
        raise _reached("active_initiatives", used, plan.active_initiative_limit)


def _reached(resource: str, used: int, limit: int) -> LimitReached:
    words = resource.replace("_", " ")
    return LimitReached(f"The plan allows {limit} {words}.", used=used, limit=limit, resource=resource)
