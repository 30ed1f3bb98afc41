"""Deleting a signal. Decisions: Signals."""

from sightline.platform.access import Actor
from sightline.platform.db import Database, Tx, retry_transaction
from sightline.platform.errors import Conflict
from sightline.platform.refs import SignalRef
from sightline.platform.wire import Expectation
from sightline.signals import queries, read
from sightline.signals.insights.same_words import lock_statements, remove_quotes_of
from sightline.signals.records import SignalDeletion
from sightline.workspaces.bulk import add_to_counts
from sightline.workspaces.changes import log_change


async def delete_signal(db: Database, actor: Actor, ref: SignalRef, expect: Expectation) -> SignalDeletion:
    """Deletes a signal with its content, its quotes in insights, and insights of which no quote is left.

    Insights that a person accepted, edited, merged or linked stay. Evidence of ideas keeps its quotes, which no longer
    name the signal. Raises NotFound, PreconditionFailed, Conflict.
    """
    busy = Conflict("The records that the signal is linked with keep changing. Try again.")
    return await retry_transaction(db, lambda tx: _delete(tx, actor, ref, expect), busy)


async def _delete(tx: Tx, actor: Actor, ref: SignalRef, expect: Expectation) -> SignalDeletion:
    await lock_statements(tx, actor.workspace_id)
    signal = await queries.lock_signal(tx, actor.workspace_id, ref)
    tx = tx.later()
    expect(read.tag_of(signal))
    removed = await remove_quotes_of(tx, actor, signal["id"])
    await log_change(tx, actor, "signal", signal["id"], signal["public_id"], "deleted")
    await tx.run(queries.REMOVE_SIGNAL, workspace_id=actor.workspace_id, id=signal["id"])
    await add_to_counts(tx, actor.workspace_id, {"insight": -removed, "signal": -1})
    return SignalDeletion(True, signal["id"], signal["public_id"])
