"""Adding the saved sources of a run to a product. Specification: POST /research/run, add and retry_addition."""

from uuid import UUID

from sightline.platform.access import Actor
from sightline.platform.db import Tx, sql
from sightline.platform.jobs import JobKind, add_job
from sightline.research.commands import AddCommand, RetryAdditionCommand
from sightline.research.delivery import queries
from sightline.research.delivery.queries import Pending
from sightline.research.refusals import DestinationUnavailable, IncompatibleRun
from sightline.research.runs.queries import RunState, count_sections, find_run, lock_run
from sightline.research.runs.stop import ChangedRun
from sightline.workspaces.changes import log_change
from sightline.workspaces.credits import reserve_credits

ADD_SOURCES = JobKind("research.add")


async def add(tx: Tx, actor: Actor, command: AddCommand) -> ChangedRun:
    """Queues the addition of a run's sources to a product, unless `_needs_no_addition`. Returns the run.

    Raises NotFound, CreditsExhausted, IncompatibleRun, DestinationUnavailable.
    """
    run = await lock_run(tx, actor.workspace_id, command.run_id, command.brief_id)
    tx = tx.later()
    pending = await queries.count_pending(tx, actor.workspace_id, run)
    if not run.is_active and _needs_no_addition(run, command.product_id, pending):
        return ChangedRun(await find_run(tx, actor.workspace_id, run.brief_id, run.id))
    reserved = run.credits_reserved if run.is_being_added else 0  # by an ended run for its addition alone
    credits = max(pending.new - reserved, 0)
    await reserve_credits(tx, actor.workspace_id, credits)
    if run.is_active:
        raise IncompatibleRun("The run has not ended.", currentStatus=run.status)
    if not (await count_sections(tx, actor.workspace_id, run.id))["completed"]:
        raise IncompatibleRun("No section of the run is completed.", currentStatus=run.status)
    if run.addition_product_id != command.product_id and not await _may_go_anywhere(tx, actor, run):
        raise DestinationUnavailable("The findings belong to another product.", field="command.productId")
    if not await queries.hold_product(tx, actor.workspace_id, command.product_id):
        raise DestinationUnavailable("The workspace has no such product.", field="command.productId")
    return await _queue(tx, actor, run, command.product_id, credits)


def _needs_no_addition(run: RunState, product_id: UUID, pending: Pending) -> bool:
    """Whether the addition to this product is queued, running or failed, or completed with nothing left to deliver.

    Only `retry_addition` continues one that failed.
    """
    if run.addition_status is None or run.addition_product_id != product_id:
        return False
    return run.addition_status != "completed" or not pending.sources


async def _may_go_anywhere(tx: Tx, actor: Actor, run: RunState) -> bool:
    """Whether the run has no addition yet, or one without signals to a product that was deleted."""
    if run.addition_status is None:
        return True
    return not run.addition_signal_ids and not await queries.hold_product(
        tx, actor.workspace_id, run.addition_product_id
    )


async def retry_addition(tx: Tx, actor: Actor, command: RetryAdditionCommand) -> ChangedRun:
    """Continues an addition that failed. Raises NotFound, CreditsExhausted, IncompatibleRun, DestinationUnavailable."""
    run = await lock_run(tx, actor.workspace_id, command.run_id, command.brief_id)
    tx = tx.later()
    has_failed = run.addition_status == "failed"
    credits = 0
    if has_failed:
        credits = (await queries.count_pending(tx, actor.workspace_id, run)).new
    await reserve_credits(tx, actor.workspace_id, credits)
    if not has_failed or run.is_active:
        raise IncompatibleRun("The run has no addition that failed.", currentStatus=run.status)
    if run.addition_product_id is None or not await queries.hold_product(
        tx, actor.workspace_id, run.addition_product_id
    ):
        raise DestinationUnavailable("The product of the addition was deleted.")
    return await _queue(tx, actor, run, run.addition_product_id, credits)


_QUEUE = sql("""
UPDATE research_runs
   SET addition_status = 'queued', addition_product_id = :product_id, addition_failure = NULL,
       credits_reserved = credits_reserved + :credits
 WHERE workspace_id = :workspace_id AND id = :run_id""")


async def _queue(tx: Tx, actor: Actor, run: RunState, product_id: UUID, credits: int) -> ChangedRun:
    await tx.run(_QUEUE, workspace_id=actor.workspace_id, run_id=run.id, product_id=product_id, credits=credits)
    detail = {"briefId": str(run.brief_id), "productId": str(product_id)}
    await log_change(tx, actor, "research_run", run.id, None, "addition_queued", **detail)
    await add_job(tx, ADD_SOURCES, actor.workspace_id, run.id)
    return ChangedRun(await find_run(tx, actor.workspace_id, run.brief_id, run.id))
