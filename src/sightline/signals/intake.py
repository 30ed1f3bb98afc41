"""Taking a signal in, or updating the one that its identity names. Decisions: Signals."""

from typing import Any
from uuid import UUID

import asyncpg
from msgspec import UNSET

from sightline.catalog.accounts import KnownAs, find_account, find_or_add_account
from sightline.intelligence.engine import Engine
from sightline.platform.access import Actor
from sightline.platform.db import Database, Tx
from sightline.platform.db.database import Row
from sightline.platform.errors import Conflict, Fault, NotFound, ValidationFailed
from sightline.platform.ids import new_id
from sightline.platform.refs import SignalRef
from sightline.platform.wire import Expectation, Versioned, expect_anything
from sightline.signals import content, detail, processing, queries, queries_intake
from sightline.signals.records_intake import LONGEST_NAME, NewSignal, SourceLinkWish, TakenSignal
from sightline.workspaces.changes import log_change
from sightline.workspaces.numbers import take_number

_ATTEMPTS = 8
_OVERTAKEN = (asyncpg.ForeignKeyViolationError, asyncpg.UniqueViolationError, asyncpg.DeadlockDetectedError)

# How each type of signal is read, and what kind of evidence it is, where nothing else is said.
_READ_AS = {
    "transcript": ("conversation", "conversation"),
    "support_ticket": ("text", "support"),
    "review": ("review", "review"),
    "discovery_report": ("document", "report"),
    "meeting_notes": ("document", "note"),
    "reconstructed_notes": ("document", "note"),
    "feedback_record": ("feedback", "feedback"),
    None: ("text", "note"),
}


async def take_signal(
    db: Database, engine: Engine, actor: Actor, wish: NewSignal, expect: Expectation = expect_anything
) -> Versioned[TakenSignal]:
    """Raises ValidationFailed, NotFound, CreatorNotAllowed, PreconditionFailed.

    Concurrent creators of one identity make one signal: who comes second finds it and updates it.
    """
    refuse_two_primaries(wish.source_links or [])
    for _ in range(_ATTEMPTS):
        number = await _number(db, actor, wish)
        try:
            async with db.write() as tx:
                known = await _known(tx, actor, wish)
                await _refuse_unknown(tx, actor, wish)
                actor.require_writer()
                if known is None and number is None:
                    continue
                shown = await (
                    _add(tx, engine, actor, wish, expect, number)
                    if known is None
                    else _update(tx.later(), actor, wish, expect, known)
                )
        except _OVERTAKEN:
            continue
        if shown is not None:
            return shown
    raise Conflict("The records that the signal names keep changing. Try again.")


async def _number(db: Database, actor: Actor, wish: NewSignal) -> int | None:
    """A new signal's number, taken before anything is locked; None for what is known already."""
    async with db.read() as tx:
        if await queries_intake.is_known(tx, actor.workspace_id, wish.source_key, wish.external_id):
            return None
        return await take_number(tx, actor.workspace_id, "signal")


async def _known(tx: Tx, actor: Actor, wish: NewSignal) -> Row | None:
    if wish.source_key is None or wish.external_id is None:
        return None
    return await queries_intake.lock_known(tx, actor.workspace_id, wish.source_key, wish.external_id)


async def _refuse_unknown(tx: Tx, actor: Actor, wish: NewSignal) -> None:
    """Raises ValidationFailed for members of sets, NotFound for the integration."""
    if not (wish.integration_id or wish.account_id or wish.account_ids):
        return
    primary = [wish.account_id] if wish.account_id else []
    named = await queries_intake.find_named(
        tx, actor.workspace_id, wish.integration_id, [*primary, *(wish.account_ids or ())]
    )
    refuse_accounts(wish.account_id, wish.account_ids or [], named["no_accounts"])
    if wish.integration_id is not None and not named["has_integration"]:
        raise NotFound("The workspace has no such integration.", field="integrationId")


def refuse_accounts(primary: UUID | None, others: list[Any], unknown: list[UUID]) -> None:
    """Raises ValidationFailed that names each field with accounts the workspace has not."""
    faults = [Fault("accountId", f"Not in this workspace: {primary}")] if primary in unknown else []
    shown = ", ".join(str(id) for id in others if id in unknown)
    faults += [Fault("accountIds", f"Not in this workspace: {shown}")] if shown else []
    if faults:
        raise ValidationFailed(faults, field=faults[0].path if len(faults) == 1 else None)


def refuse_two_primaries(links: list[SourceLinkWish]) -> None:
    if sum(bool(link.primary) for link in links) > 1:
        raise ValidationFailed.of("sourceLinks", "At most one may be primary")


async def _accounts(tx: Tx, actor: Actor, wish: NewSignal) -> list[UUID]:
    """The primary account first. What is only described is linked where exactly one account fits."""
    named = [*([wish.account_id] if wish.account_id else []), *(wish.account_ids or ())]
    for described in wish.accounts or ():
        known = KnownAs(described.id, described.external_id, described.domain, described.name)
        if wish.create_missing_accounts:
            found = await find_or_add_account(tx, actor, known)
            named += [found] if found else []
        else:
            matching = await find_account(tx, actor.workspace_id, known)
            named += matching if len(matching) == 1 else []
    return list(dict.fromkeys(named))


async def _add(
    tx: Tx, engine: Engine, actor: Actor, wish: NewSignal, expect: Expectation, number: int | None
) -> Versioned[TakenSignal] | None:
    """None when the identity was taken meanwhile."""
    raw = content.raw_of(None, **_content(wish))
    if not content.has_content(raw, wish.data or {}):
        raise ValidationFailed.of("text", "Send text, a transcript, data or rawData")
    expect(None)
    columns = _new_columns(tx, engine, wish, raw) | {"id": new_id(), "number": number}
    if await queries_intake.add_signal(tx, actor, columns, wish.created_at or tx.now) is None:
        return None
    if raw:
        await queries_intake.save_raw(tx, actor.workspace_id, columns["id"], raw)
    accounts = await _accounts(tx, actor, wish)
    await queries_intake.add_accounts(tx, actor.workspace_id, columns["id"], accounts)
    if columns["processing_id"] is not None:
        await processing.queue(tx, actor.workspace_id, columns["id"])
    return await _shown(tx, actor, columns["id"])


def _content(wish: NewSignal) -> dict[str, Any]:
    return {
        "text": wish.text,
        "transcript": wish.transcript,
        "raw_data": wish.raw_data,
        "participants": wish.participants,
    }


def _new_columns(tx: Tx, engine: Engine, wish: NewSignal, raw: content.Raw) -> dict[str, Any]:
    is_read = wish.analysis_profile != "none"
    signal_type = wish.signal_type or ("transcript" if wish.transcript else None)
    read_as, kind = _READ_AS[signal_type]
    provider = wish.provider_type or "api"
    source_type, external_data = _source(wish)
    return {
        "name": wish.name or _name(engine, wish),
        "status": "pending" if is_read else "processed",
        "context": wish.context or "other",
        "signal_type": signal_type,
        "processor_type": wish.processor_type or read_as,
        "provider_type": provider,
        "evidence_kind": wish.evidence_kind or kind,
        "analysis_profile": wish.analysis_profile or "customer_evidence",
        "source_label": wish.source_label or provider.replace("_", " ").capitalize(),
        "source_type": source_type or provider,
        "external_data": external_data or {},
        "source_links": [link.stored for link in wish.source_links or ()],
        "data": wish.data or {},
        "transcript": content.summary_of(raw, wish.transcript),
        "import": wish.import_,
        "integration_id": wish.integration_id,
        "source_key": wish.source_key,
        "external_id": wish.external_id,
        "account_id": wish.account_id,
        "process_after": tx.now if is_read else None,
        "processing_id": new_id() if is_read else None,
    }


def _source(wish: NewSignal) -> tuple[str | None, dict[str, Any] | None]:
    if wish.source is None:
        return None, None
    return wish.source.type, wish.source.external_data


def _name(engine: Engine, wish: NewSignal) -> str:
    if wish.text is not None:
        return content.subject_of(wish.text) or engine.name_idea(content.without_headers(wish.text))
    speakers = [turn.speaker for turn in wish.transcript.turns if turn.speaker] if wish.transcript else []
    told = f"Conversation with {', '.join(dict.fromkeys(speakers))}" if speakers else "Signal"
    return told if len(told) <= LONGEST_NAME else f"{told[: LONGEST_NAME - 1]}\u2026"


async def _update(tx: Tx, actor: Actor, wish: NewSignal, expect: Expectation, was: Row) -> Versioned[TakenSignal]:
    """What is omitted stays, accounts are added. Nothing moves where nothing is another than before."""
    expect(detail.versioned(was).tag)
    id = was["id"]
    before = await queries_intake.find_raw(tx, actor.workspace_id, id)
    raw = content.raw_of(before, **_content(wish))
    given = _changed_columns(wish, was)
    if raw != (before or {}):
        await queries_intake.save_raw(tx, actor.workspace_id, id, raw)
        given["transcript"] = content.summary_of(raw, wish.transcript, detail.decoded(was["transcript"]))
    profile = given.get("analysis_profile", was["analysis_profile"])
    if raw != (before or {}) or "analysis_profile" in given or ("data" in given and content.reads_data(raw)):
        given |= processing.again(tx, profile)
    linked = await queries_intake.add_accounts(tx, actor.workspace_id, id, await _accounts(tx, actor, wish))
    await store(tx, actor, was, given, ["accounts"] if linked else [])
    return await _shown(tx, actor, id)


def _changed_columns(wish: NewSignal, was: Row) -> dict[str, Any]:
    source_type, external_data = _source(wish)
    plain = {name: getattr(wish, name) for name in _PLAIN}
    links = None if wish.source_links is None else [link.stored for link in wish.source_links]
    wished = plain | {"source_type": source_type, "external_data": external_data, "import": wish.import_}
    wished["source_links"] = links
    return {name: value for name, value in wished.items() if value is not None and value != detail.decoded(was[name])}


_PLAIN = (
    *("name", "context", "signal_type", "processor_type", "provider_type", "evidence_kind", "analysis_profile"),
    *("source_label", "data", "integration_id", "account_id", "created_at"),
)


async def store(tx: Tx, actor: Actor, was: Row, columns: dict[str, Any], linked: list[str]) -> None:
    """Writes columns that are another than before, and what follows from them."""
    if not columns and not linked:
        return
    if columns:
        await queries_intake.change_signal(tx, actor.workspace_id, was["id"], columns)
    fields = [name for name in columns if name not in ("processing_id", "process_after", "failure")]
    await log_change(tx, actor, "signal", was["id"], was["public_id"], "updated", fields=fields + linked)
    if columns.get("processing_id") is not None:
        await processing.queue(tx, actor.workspace_id, was["id"])


async def _shown(tx: Tx, actor: Actor, id: UUID) -> Versioned[TakenSignal]:
    row = await queries_intake.lock_signal(tx, actor.workspace_id, SignalRef(id=id))
    is_waiting = row["status"] in ("pending", "processing")
    job_id = row["processing_id"] if is_waiting else None
    signal = TakenSignal(*(*queries.fields_of(row), UNSET, job_id))
    return Versioned(signal, detail.versioned(row).tag)
