"""Changing a signal. Decisions: Signals."""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from msgspec import UNSET

from sightline.platform.access import Actor
from sightline.platform.db import Database, Row, Tx, retry_transaction, update_record
from sightline.platform.db.sql import columns
from sightline.platform.db.updates import same, same_json
from sightline.platform.errors import Conflict, Fault, ValidationFailed
from sightline.platform.refs import SignalRef
from sightline.platform.wire import Expectation, Versioned
from sightline.signals import material, queries, read
from sightline.signals.insights.same_words import follow_accounts, lock_statements
from sightline.signals.processing import request
from sightline.signals.raw_data import raw_of
from sightline.signals.records import NewSignal, NewSourceLink, Signal, SignalChanges
from sightline.workspaces.changes import log_change

_OF_PROCESSING = ("processing_id", "process_after", "failure")


async def change_signal(
    db: Database, actor: Actor, ref: SignalRef, changes: SignalChanges, expect: Expectation, *, at_once: bool
) -> Versioned[Signal]:
    """Changes a signal. Raises NotFound, ValidationFailed, PreconditionFailed, Conflict.

    Raises LargeRecord for a large one that is changed `at_once`.
    """
    refuse_two_primaries(changes.source_links or [])
    busy = Conflict("The records that the change names keep changing. Try again.")
    return await retry_transaction(db, lambda tx: _change(tx, actor, ref, changes, expect, at_once), busy)


async def _change(
    tx: Tx, actor: Actor, ref: SignalRef, changes: SignalChanges, expect: Expectation, at_once: bool
) -> Versioned[Signal]:
    if changes.account_ids is not UNSET:
        await lock_statements(tx, actor.workspace_id)
    before = await queries.lock_signal(tx, actor.workspace_id, ref, at_once=at_once)
    tx = tx.later()
    primary = changes.account_id or None
    accounts: list[UUID] = [] if changes.account_ids is UNSET else list(dict.fromkeys(changes.account_ids))
    if primary or accounts:
        named = await queries.find_named(tx, actor.workspace_id, None, with_primary(primary, accounts))
        refuse_accounts(primary, accounts, named["unknown_accounts"])
    expect(read.tag_of(before))
    columns = find_changed(stated_columns(changes), before) | await _store_content(tx, actor, changes, before)
    has_new_accounts = await _set_accounts(tx, actor, before, changes, accounts)
    if changes.account_ids is not UNSET and changes.account_id is UNSET:
        columns |= _primary_among(before["account_id"], accounts)
    await store(tx, actor, before, columns, has_new_accounts=has_new_accounts)
    return read.versioned(await queries.find_signal(tx, actor.workspace_id, ref))


def with_primary(primary: UUID | None, others: Iterable[UUID]) -> list[UUID]:
    """Returns all accounts, each once, the primary one first."""
    return list(dict.fromkeys([*([primary] if primary else []), *others]))


def _primary_among(primary: UUID | None, accounts: Sequence[UUID]) -> dict[str, Any]:
    """Returns the column to change when new accounts leave the primary one out: it is no longer one."""
    return {} if primary is None or primary in accounts else {"account_id": None}


def refuse_accounts(primary: UUID | None, others: Sequence[Any], unknown: Sequence[UUID]) -> None:
    """Raises ValidationFailed naming each field that has unknown accounts."""
    faults = [Fault("accountId", f"Not in this workspace: {primary}")] if primary in unknown else []
    shown = ", ".join(str(id) for id in others if id in unknown)
    faults += [Fault("accountIds", f"Not in this workspace: {shown}")] if shown else []
    if faults:
        raise ValidationFailed(faults, field=faults[0].path if len(faults) == 1 else None)


def refuse_two_primaries(links: Sequence[NewSourceLink]) -> None:
    """Raises ValidationFailed if more than one link is primary."""
    if sum(bool(link.primary) for link in links) > 1:
        raise ValidationFailed.of("sourceLinks", "At most one may be primary")


_AS_SENT = columns(
    "name, context, signal_type, processor_type, provider_type, evidence_kind, analysis_profile, source_label, data, "
    "integration_id, account_id, created_at"
)


def stated_columns(sent: NewSignal | SignalChanges) -> dict[str, Any]:
    """Returns the columns that a request sets, without omitted fields: in a POST, null counts as omitted."""
    omitted = None if isinstance(sent, NewSignal) else UNSET
    stated = {name: getattr(sent, name, omitted) for name in _AS_SENT}
    stated["import"] = getattr(sent, "import_", omitted)
    if sent.source:
        stated |= {"source_type": sent.source.type, "external_data": sent.source.external_data}
    if sent.source_links is not omitted:
        stated["source_links"] = [link.stored for link in sent.source_links or ()]
    return {name: value for name, value in stated.items() if value is not omitted}


def find_changed(stated: dict[str, Any], before: Row) -> dict[str, Any]:
    """Returns the columns whose value differs from the stored one."""
    return {name: value for name, value in stated.items() if not same(before[name], value)}


async def _store_content(tx: Tx, actor: Actor, changes: SignalChanges, before: Row) -> dict[str, Any]:
    """Stores a new text or transcript. Returns its summary, and if engines read the change, columns for processing."""
    if changes.text is UNSET and changes.transcript is UNSET and changes.data is UNSET:
        return {}
    text = None if changes.text is UNSET else changes.text
    transcript = None if changes.transcript is UNSET else changes.transcript
    raw_before = await queries.find_raw(tx, actor.workspace_id, before["id"])
    raw = raw_of(raw_before, text=text, transcript=transcript)
    summary_before = queries.decoded(before["transcript"])
    summary = material.summary_of(raw, transcript, summary_before)
    if same_json(raw, raw_before or {}) and summary == summary_before:
        has_new_data = changes.data is not UNSET and not same(before["data"], changes.data)
        reads_new_data = has_new_data and material.reads_data(raw)
        return request.again(tx, before["analysis_profile"]) if reads_new_data else {}
    await queries.save_raw(tx, actor.workspace_id, before["id"], raw)
    return {"transcript": summary} | request.again(tx, before["analysis_profile"])


async def _set_accounts(tx: Tx, actor: Actor, before: Row, changes: SignalChanges, accounts: list[UUID]) -> bool:
    """Links the accounts and the primary one. Returns whether a link changed.

    If `accountIds` is sent, unlinks all others, and insights that processing made of the signal follow.
    """
    workspace_id, id = actor.workspace_id, before["id"]
    new_accounts = with_primary(changes.account_id or None, accounts)
    if changes.account_ids is UNSET:
        return bool(await queries.add_accounts(tx, workspace_id, id, new_accounts))
    others = {"workspace_id": workspace_id, "signal_id": id, "account_ids": new_accounts}
    lost = [row["account_id"] for row in await tx.rows(queries.REMOVE_OTHER_ACCOUNTS, **others)]
    if not await queries.add_accounts(tx, workspace_id, id, new_accounts) and not lost:
        return False
    await follow_accounts(tx, actor, id, lost)
    return True


async def store(tx: Tx, actor: Actor, before: Row, columns: dict[str, Any], *, has_new_accounts: bool) -> None:
    """Writes the changed columns, logs the change, and queues the signal if it is pending.

    Does nothing if neither a column nor an account changed; else sets `updated_at`.
    """
    if not columns and not has_new_accounts:
        return
    await update_record(
        tx, "signals", actor.workspace_id, before["id"], columns or {"account_id": before["account_id"]}
    )
    fields = [name for name in columns if name not in _OF_PROCESSING] + (["accounts"] if has_new_accounts else [])
    await log_change(tx, actor, "signal", before["id"], before["public_id"], "updated", fields=fields)
    if columns.get("processing_id") is not None:
        await request.queue(tx, actor.workspace_id, before["id"])


async def append_passages(
    tx: Tx, actor: Actor, id: UUID, passages: Sequence[str], external_data: dict[str, Any]
) -> None:
    """Appends the passages that the text lacks, each as a paragraph, and sets members of `source.external_data`.

    A signal whose text changes is processed again. Raises NotFound.
    """
    before = await queries.lock_signal(tx, actor.workspace_id, SignalRef(id=id))
    tx = tx.later()
    raw = await queries.find_raw(tx, actor.workspace_id, id) or {}
    text = raw.get("text") or ""
    missing = [passage for passage in passages if passage not in text]
    stored = queries.decoded(before["external_data"])
    columns = find_changed({"external_data": stored | external_data}, before)
    if missing:
        appended = "\n\n".join([text, *missing] if text else missing)
        await queries.save_raw(tx, actor.workspace_id, id, raw_of(raw, text=appended))
        columns |= request.again(tx, before["analysis_profile"])
    await store(tx, actor, before, columns, has_new_accounts=False)
