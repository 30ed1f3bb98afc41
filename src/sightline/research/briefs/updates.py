"""Changing when saved research runs by itself. Specification: POST /research/updates; decisions: Research."""

from uuid import UUID

from sightline.platform.access import Actor
from sightline.platform.db import Tx, sql
from sightline.platform.wire import Record
from sightline.research import commands
from sightline.research.briefs import queries
from sightline.research.briefs.queries import Activity, BriefRow
from sightline.research.briefs.records import Brief
from sightline.research.delivery.queries import count_pending
from sightline.research.refusals import IncompatibleRun, ScheduleNotAllowed, StalePlan
from sightline.research.runs.queries import lock_run
from sightline.research.schedules.cadence import next_slot
from sightline.workspaces.changes import log_change


class ChangedBrief(Record):
    """The brief as it is now."""

    brief: Brief

    @property
    def quoted_ids(self) -> list[UUID]:
        return [self.brief.id]


_CHANGE_STATE = sql("""
UPDATE research_briefs
   SET state = :state, run_policy = :run_policy, timezone = :timezone, next_run_at = :next_run_at,
       row_version = row_version + 1, updated_at = :now
 WHERE workspace_id = :workspace_id AND id = :id""")
# From now on scheduled runs keep to the current plan.
_KEEP_PLAN = sql("""
UPDATE research_briefs SET kept_revision = revision, kept_definition = definition
 WHERE workspace_id = :workspace_id AND id = :id""")


async def update(tx: Tx, actor: Actor, command: commands.UpdateCommand) -> ChangedBrief:
    """Keeps, schedules, pauses, resumes or archives a brief. Returns the brief.

    Leaves the row version alone if the brief is paused, active or archived already; keep and schedule always raise it.
    Raises NotFound, ScheduleNotAllowed, IncompatibleRun, StalePlan.
    """
    brief = await queries.lock_brief(tx, actor.workspace_id, command.brief_id)
    tx = tx.later()
    activity = await _activity(tx, actor, brief, command)
    if activity is not None:
        await tx.run(_CHANGE_STATE, workspace_id=actor.workspace_id, id=brief.id, **activity._asdict())
        if isinstance(command, commands.KeepCommand):
            await tx.run(_KEEP_PLAN, workspace_id=actor.workspace_id, id=brief.id)
        action = type(command).__struct_config__.tag
        await log_change(tx, actor, "research_brief", brief.id, None, "changed", command=str(action))
    return ChangedBrief(await queries.find_brief(tx, actor.workspace_id, brief.id))


async def _activity(tx: Tx, actor: Actor, brief: BriefRow, command: commands.UpdateCommand) -> Activity | None:
    """Returns the state and cadence to set, or None to pause, resume or archive a brief that is so already.

    Raises as `update`.
    """
    match command:
        case commands.KeepCommand():
            return await _keep(tx, actor, brief, command)
        case commands.ScheduleCommand():
            _ensure_state(brief, "schedule", "active")
            return await _cadence(tx, actor, brief, command)
        case commands.PauseCommand():
            _ensure_state(brief, "pause", "active", "paused")
            return None if brief.state == "paused" else _resting(brief, "paused")
        case commands.ResumeCommand():
            _ensure_state(brief, "resume", "active", "paused")
            return None if brief.state == "active" else await _resume(tx, actor, brief)
        case commands.ArchiveCommand():
            _ensure_state(brief, "archive", "paused", "archived")
            return None if brief.state == "archived" else _resting(brief, "archived")


def _ensure_state(brief: BriefRow, action: str, *allowed: str) -> None:
    if brief.state not in allowed:
        detail = f"Research that is {brief.state} does not allow {action}."
        raise ScheduleNotAllowed(detail, currentState=brief.state)


async def _keep(tx: Tx, actor: Actor, brief: BriefRow, command: commands.KeepCommand) -> Activity:
    """Returns the activity of a brief whose plan is kept: a run of this plan must have all its findings delivered.

    Raises as `update`.
    """
    run = await lock_run(tx, actor.workspace_id, command.run_id, brief.id)
    _ensure_state(brief, "keep", "draft", "active", "paused")
    activity = await _cadence(tx, actor, brief, command)
    if run.addition_status != "completed" or (await count_pending(tx, actor.workspace_id, run)).sources:
        detail = "The run has findings that have not been added to a product."
        raise IncompatibleRun(detail, currentStatus=run.status)
    if run.revision != brief.revision:
        raise StalePlan("The plan was edited after this run.", currentRowVersion=brief.row_version)
    return activity


async def _cadence(
    tx: Tx, actor: Actor, brief: BriefRow, command: commands.KeepCommand | commands.ScheduleCommand
) -> Activity:
    allowed = await queries.find_allowed(tx, actor.workspace_id)
    if allowed.is_managed:
        raise ScheduleNotAllowed("The service manages the schedule of this workspace.", currentState=brief.state)
    _ensure_policy(brief, command.run_policy, allowed.policies)
    timezone = command.timezone or brief.timezone
    return Activity("active", command.run_policy, timezone, next_slot(command.run_policy, timezone, tx.now))


async def _resume(tx: Tx, actor: Actor, brief: BriefRow) -> Activity:
    _ensure_policy(brief, brief.run_policy, (await queries.find_allowed(tx, actor.workspace_id)).policies)
    return Activity("active", brief.run_policy, brief.timezone, next_slot(brief.run_policy, brief.timezone, tx.now))


def _ensure_policy(brief: BriefRow, policy: str, allowed: list[str]) -> None:
    if policy not in allowed:
        detail = f"The plan allows {', '.join(allowed) or 'no run policy'}, not {policy}."
        raise ScheduleNotAllowed(detail, currentState=brief.state, allowed=allowed)


def _resting(brief: BriefRow, state: str) -> Activity:
    """Keeps the cadence for later."""
    return Activity(state, brief.run_policy, brief.timezone, next_run_at=None)
