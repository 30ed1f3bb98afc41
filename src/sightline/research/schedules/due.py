"""Starting what is due by its cadence: each slot once, one late run after an outage. Decisions: Research."""

from typing import Any
from uuid import UUID

import msgspec

from sightline.intelligence.plans import PlanDefinition
from sightline.platform.access import Actor
from sightline.platform.db import Row, Tx, sql
from sightline.platform.ids import new_id
from sightline.research.briefs.queries import find_allowed
from sightline.research.runs import queries
from sightline.research.runs.queries import NewRun
from sightline.research.runs.start import SECTION_CREDITS, queue_run
from sightline.research.schedules.cadence import next_slot
from sightline.workspaces.changes import log_change
from sightline.workspaces.credits import CreditsExhausted, reserve_credits

# With the research plan that was kept last.
_TAKE = sql("""
SELECT workspace_id, id, coalesce(kept_revision, revision) AS revision,
       coalesce(kept_definition, definition) AS definition, run_policy, timezone, next_run_at
  FROM research_briefs
 WHERE workspace_id = :workspace_id AND id = :id AND state = 'active' AND next_run_at <= :now
   FOR NO KEY UPDATE SKIP LOCKED""")
_MOVE_ON = sql("""
UPDATE research_briefs SET next_run_at = :next_run_at WHERE workspace_id = :workspace_id AND id = :id""")
_HAS_SLOT = sql("""
SELECT EXISTS (SELECT FROM research_runs WHERE workspace_id = :workspace_id AND brief_id = :brief_id AND slot = :slot)
""")


async def start_due(tx: Tx, workspace_id: UUID, id: UUID) -> None:
    """Starts a run of a brief that is still due and that no other worker has taken; moves the brief to its next slot.

    Leaves it due if a run of it is active, or if the workspace's subscription no longer allows its cadence. Starts no
    run for a slot that has one.
    """
    due = await tx.row(_TAKE, workspace_id=workspace_id, id=id)
    if due is None or await queries.find_active(tx, workspace_id, id) is not None:
        return
    if due["run_policy"] not in (await find_allowed(tx, workspace_id)).policies:
        return
    next_run_at = next_slot(due["run_policy"], due["timezone"], tx.now)
    await tx.run(_MOVE_ON, workspace_id=workspace_id, id=id, next_run_at=next_run_at)
    if not await tx.value(_HAS_SLOT, workspace_id=workspace_id, brief_id=id, slot=due["next_run_at"]):
        await _start(tx, due)


async def _start(tx: Tx, due: Row) -> None:
    """Queues the run, or adds a failed one if its research plan is not valid or credits are missing."""
    actor = Actor(due["workspace_id"], "job", str(due["id"]))
    try:
        definition = msgspec.json.decode(due["definition"], type=PlanDefinition)
    except msgspec.ValidationError as error:
        await _add_failed(tx, actor, _run(due, 0), [], f"The plan is not valid: {error}")
        return
    credits = SECTION_CREDITS * len(definition.sections)
    try:
        await reserve_credits(tx, due["workspace_id"], credits)
    except CreditsExhausted as exhausted:
        await _add_failed(tx, actor, _run(due, 0), definition.sections, exhausted.detail)
        return
    await queue_run(tx, actor, _run(due, credits), definition)


def _run(due: Row, credits: int) -> NewRun:
    plan = due["revision"], due["definition"]
    return NewRun(new_id(), due["id"], "schedule", *plan, credits, slot=due["next_run_at"])


async def _add_failed(tx: Tx, actor: Actor, new: NewRun, sections: Any, failure: str) -> None:
    await queries.add_run(tx, actor.workspace_id, new, new_id(), sections)
    await queries.end_sections(tx, actor.workspace_id, new.id, "failed", failure)
    await queries.end_run(tx, actor.workspace_id, new.id, "failed", failure)
    await log_change(tx, actor, "research_run", new.id, None, "failed", briefId=str(new.brief_id))
