"""Changing a signal, and deleting it. Decisions: Signals."""

from typing import Any
from uuid import UUID

from asyncpg import DeadlockDetectedError, ForeignKeyViolationError
from msgspec import UNSET

from sightline.platform.access import Actor
from sightline.platform.db import Database, Tx
from sightline.platform.db.database import Row
from sightline.platform.errors import Conflict
from sightline.platform.refs import SignalRef
from sightline.platform.wire import Expectation, Versioned, expect_anything
from sightline.signals import content, detail, intake, processing, queries, queries_intake
from sightline.signals.records import Signal
from sightline.signals.records_intake import SignalChanges, SignalDeletion
from sightline.workspaces.bulk import add_to_counts
from sightline.workspaces.changes import log_change

_ATTEMPTS = 8
_OVERTAKEN = (ForeignKeyViolationError, DeadlockDetectedError)


async def change_signal(
    db: Database, actor: Actor, ref: SignalRef, wish: SignalChanges, expect: Expectation = expect_anything
) -> Versioned[Signal]:
    """Raises NotFound, ValidationFailed, CreatorNotAllowed, PreconditionFailed.

    Looks again when an account that is to be linked goes away between looking and linking.
    """
    intake.refuse_two_primaries(wish.source_links or [])
    for _ in range(_ATTEMPTS):
        try:
            async with db.write() as tx:
                await _change(tx, actor, ref, wish, expect)
                return detail.versioned(await queries.find_signal(tx, actor.workspace_id, ref))
        except _OVERTAKEN:
            continue
    raise Conflict("The records that the change names keep changing. Try again.")


async def _change(tx: Tx, actor: Actor, ref: SignalRef, wish: SignalChanges, expect: Expectation) -> None:
    was = await queries_intake.lock_signal(tx, actor.workspace_id, ref)
    tx = tx.later()
    primary = wish.account_id or None
    accounts: list[UUID] = [] if wish.account_ids is UNSET else list(dict.fromkeys(wish.account_ids))
    if primary or accounts:
        named = await queries_intake.find_named(
            tx, actor.workspace_id, None, [*([primary] if primary else []), *accounts]
        )
        intake.refuse_accounts(primary, accounts, named["no_accounts"])
    actor.require_writer()
    expect(detail.versioned(was).tag)
    columns = _columns(wish, was) | await _content(tx, actor, wish, was)
    linked = await _link(tx, actor.workspace_id, was, wish, accounts)
    if wish.account_id is UNSET and wish.account_ids is not UNSET and was["account_id"] not in (None, *accounts):
        columns["account_id"] = None
    await intake.store(tx, actor, was, columns, ["accounts"] if linked else [])


def _columns(wish: SignalChanges, was: Row) -> dict[str, Any]:
    """The columns that become another."""
    names = ("name", "context", "signal_type", "source_label", "data", "account_id")
    wished = {name: getattr(wish, name) for name in names}
    if wish.source_links is not UNSET:
        wished["source_links"] = [link.stored for link in wish.source_links]
    if wish.source is not UNSET:
        wished |= {"source_type": wish.source.type, "external_data": wish.source.external_data}
    return {name: value for name, value in wished.items() if value is not UNSET and value != detail.decoded(was[name])}


async def _content(tx: Tx, actor: Actor, wish: SignalChanges, was: Row) -> dict[str, Any]:
    """Stores a new content; the columns that follow from it."""
    if wish.text is UNSET and wish.transcript is UNSET and wish.data is UNSET:
        return {}
    text = None if wish.text is UNSET else wish.text
    transcript = None if wish.transcript is UNSET else wish.transcript
    before = await queries_intake.find_raw(tx, actor.workspace_id, was["id"])
    raw = content.raw_of(before, text=text, transcript=transcript)
    summary = content.summary_of(raw, transcript, detail.decoded(was["transcript"]))
    has_new_data = wish.data is not UNSET and wish.data != detail.decoded(was["data"]) and content.reads_data(raw)
    if raw == (before or {}) and summary == detail.decoded(was["transcript"]):
        return processing.again(tx, was["analysis_profile"]) if has_new_data else {}
    await queries_intake.save_raw(tx, actor.workspace_id, was["id"], raw)
    return {"transcript": summary} | processing.again(tx, was["analysis_profile"])


async def _link(tx: Tx, workspace_id: UUID, was: Row, wish: SignalChanges, accounts: list[UUID]) -> int:
    """How many links changed. The primary account counts among the accounts."""
    if wish.account_ids is UNSET:
        return await queries_intake.add_accounts(
            tx, workspace_id, was["id"], [wish.account_id] if wish.account_id else []
        )
    wanted = list(dict.fromkeys([*([wish.account_id] if wish.account_id else []), *accounts]))
    dropped = await queries_intake.drop_other_accounts(tx, workspace_id, was["id"], wanted)
    return dropped + await queries_intake.add_accounts(tx, workspace_id, was["id"], wanted)


async def delete_signal(
    db: Database, actor: Actor, ref: SignalRef, expect: Expectation = expect_anything
) -> SignalDeletion:
    """For good, with its content, and with what processing found in it alone and nobody has reviewed.

    Insights that somebody reviewed and evidence of ideas keep their words. Raises NotFound, CreatorNotAllowed,
    PreconditionFailed.
    """
    for _ in range(_ATTEMPTS):
        try:
            async with db.write() as tx:
                return await _delete(tx, actor, ref, expect)
        except _OVERTAKEN:
            continue
    raise Conflict("The records that the signal is linked with keep changing. Try again.")


async def _delete(tx: Tx, actor: Actor, ref: SignalRef, expect: Expectation) -> SignalDeletion:
    was = await queries_intake.lock_signal(tx, actor.workspace_id, ref)
    tx = tx.later()
    actor.require_writer()
    expect(detail.versioned(was).tag)
    insights = await queries_intake.remove_signal(tx, actor.workspace_id, was["id"])
    for insight in insights:
        await log_change(tx, actor, "insight", insight, None, "deleted")
    await log_change(tx, actor, "signal", was["id"], was["public_id"], "deleted")
    await add_to_counts(tx, actor.workspace_id, {"insight": -len(insights), "signal": -1})
    return SignalDeletion(True, was["id"], was["public_id"])
