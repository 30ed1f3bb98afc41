"""Stopping a run, and searching again what has no result. Specification: POST /research/run, stop and retry."""

from uuid import UUID

from sightline.platform.access import Actor
from sightline.platform.db import Tx, sql
from sightline.platform.jobs import add_job
from sightline.platform.wire import Record
from sightline.research.briefs.queries import lock_brief
from sightline.research.commands import RetryCommand, StopCommand
from sightline.research.refusals import IncompatibleRun, RunActive, ScheduleNotAllowed
from sightline.research.runs import queries
from sightline.research.runs.queries import RunState
from sightline.research.runs.records import RunReceipt
from sightline.research.runs.start import SEARCH_RUN, SECTION_CREDITS
from sightline.workspaces.changes import log_change
from sightline.workspaces.credits import CreditsExhausted, reserve_credits, return_credits


class ChangedRun(Record):
    """The run as it is now."""

    run: RunReceipt

    @property
    def quoted_ids(self) -> list[UUID]:
        return [self.run.brief_id]


async def stop(tx: Tx, actor: Actor, command: StopCommand) -> ChangedRun:
    """Ends a run at once; completed sections stay, the credits of the others are returned.

    Leaves a run alone that has failed or was stopped. Raises NotFound, IncompatibleRun.
    """
    run = await queries.lock_run(tx, actor.workspace_id, command.run_id, command.brief_id)
    tx = tx.later()
    if run.status == "completed":
        raise IncompatibleRun("A completed run cannot be stopped.", currentStatus=run.status)
    if run.is_active:
        ended = await queries.end_sections(tx, actor.workspace_id, run.id, "stopped", None)
        await return_credits(tx, actor.workspace_id, ended * SECTION_CREDITS)
        await queries.end_run(tx, actor.workspace_id, run.id, "stopped", returned=ended * SECTION_CREDITS)
        await log_change(tx, actor, "research_run", run.id, None, "stopped", briefId=str(run.brief_id))
    return ChangedRun(await queries.find_run(tx, actor.workspace_id, run.brief_id, run.id))


async def retry(tx: Tx, actor: Actor, command: RetryCommand) -> ChangedRun:
    """Puts the run and its sections without a result back to queued; dates and completed sections stay.

    Raises NotFound, CreditsExhausted, ScheduleNotAllowed, IncompatibleRun, RunActive.
    """
    brief = await lock_brief(tx, actor.workspace_id, command.brief_id)
    run = await queries.lock_run(tx, actor.workspace_id, command.run_id, command.brief_id)
    tx = tx.later()
    credits = await _reserve(tx, actor.workspace_id, run)
    if run.is_active:
        raise IncompatibleRun("The run has not ended.", currentStatus=run.status)
    if not credits:
        raise IncompatibleRun("Every section of the run is completed.", currentStatus=run.status)
    if run.is_being_added:
        raise IncompatibleRun("The sources of the run are being added.", currentStatus=run.status)
    if brief.state == "archived":
        raise ScheduleNotAllowed("Runs of archived research cannot be repeated.", currentState=brief.state)
    active = await queries.find_active(tx, actor.workspace_id, brief.id)
    if active is not None:
        raise RunActive("Another run of this research has not ended.", runId=str(active))
    await _requeue(tx, actor, run, credits)
    await add_job(tx, SEARCH_RUN, actor.workspace_id, run.id)
    return ChangedRun(await queries.find_run(tx, actor.workspace_id, run.brief_id, run.id))


async def search_again(tx: Tx, actor: Actor, run_id: UUID) -> None:
    """Puts the run back to queued as `retry` does, if the run and the credits allow it. Its job runs already."""
    run = await queries.lock_known_run(tx, actor.workspace_id, run_id)
    if run is None or run.is_active or run.is_being_added:
        return
    if await queries.find_active(tx, actor.workspace_id, run.brief_id) is not None:
        return
    try:
        credits = await _reserve(tx.later(), actor.workspace_id, run)
    except CreditsExhausted:
        return
    if credits:
        await _requeue(tx.later(), actor, run, credits)


async def _reserve(tx: Tx, workspace_id: UUID, run: RunState) -> int:
    """Reserves the credits of the sections without a result, none while the run is active. Returns how many."""
    counts = await queries.count_sections(tx, workspace_id, run.id)
    credits = 0 if run.is_active else counts["unsealed"] * SECTION_CREDITS
    await reserve_credits(tx, workspace_id, credits)
    return credits


_REQUEUE_SECTIONS = sql("""
UPDATE research_sections SET status = 'queued', attempts = 0, failure = NULL
 WHERE workspace_id = :workspace_id AND run_id = :run_id AND status <> 'completed'""")
_REQUEUE_RUN = sql("""
UPDATE research_runs SET status = 'queued', failure = NULL, finished_at = NULL,
       credits_reserved = credits_reserved + :credits
 WHERE workspace_id = :workspace_id AND id = :run_id""")


async def _requeue(tx: Tx, actor: Actor, run: RunState, credits: int) -> None:
    await tx.run(_REQUEUE_SECTIONS, workspace_id=actor.workspace_id, run_id=run.id)
    await tx.run(_REQUEUE_RUN, workspace_id=actor.workspace_id, run_id=run.id, credits=credits)
    detail = {"briefId": str(run.brief_id), "trigger": "retry"}
    await log_change(tx, actor, "research_run", run.id, None, "queued", **detail)
