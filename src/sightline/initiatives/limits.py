"""What a plan allows of initiatives. Specification: Limits; decisions: Initiatives. Exact under concurrency."""

from uuid import UUID

from sightline.initiatives import queries
from sightline.initiatives.queries import Plan
from sightline.platform.db import Tx
from sightline.platform.errors import LimitReached, TrialExpired
from sightline.platform.wire import shown_moment


async def ensure_one_more(tx: Tx, workspace_id: UUID) -> None:
    """Room for a new initiative, which is active. Raises TrialExpired, LimitReached; the plan stays locked."""
    plan = await queries.hold_plan(tx, workspace_id)
    if plan.trial_ends_at is not None and plan.trial_ends_at <= tx.now:
        raise TrialExpired("The free trial has ended.", trialEndedAt=shown_moment(plan.trial_ends_at))
    if plan.initiative_limit is not None:
        used = await queries.count_initiatives(tx, workspace_id)
        if used >= plan.initiative_limit:
            raise _reached("initiatives", used, plan.initiative_limit)
    await ensure_one_more_active(tx, workspace_id, plan)


async def ensure_one_more_active(tx: Tx, workspace_id: UUID, plan: Plan) -> None:
    """Room for another active initiative, under a plan that is held. Raises LimitReached."""
    if plan.active_initiative_limit is None:
        return
    used = await queries.count_active(tx, workspace_id)
    if used >= plan.active_initiative_limit:
        raise _reached("active_initiatives", used, plan.active_initiative_limit)


def _reached(resource: str, used: int, limit: int) -> LimitReached:
    words = resource.replace("_", " ")
    return LimitReached(f"The plan allows {limit} {words}.", used=used, limit=limit, resource=resource)
