"""Creating a signal, or updating the one with the same identity. Decisions: Signals."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import Any
from uuid import UUID

import msgspec

from sightline.catalog.accounts.matching import (
    AccountClues,
    find_only_match,
    find_or_add_account,
    lock_accounts_and_counts,
)
from sightline.intelligence.embedded import EmbeddedEngine
from sightline.platform.access import Actor
from sightline.platform.db import Database, Row, Tx, retry_when_overtaken
from sightline.platform.db.updates import same_json
from sightline.platform.errors import Conflict, Fault, NotFound, ValidationFailed
from sightline.platform.ids import new_id
from sightline.platform.refs import SignalRef
from sightline.platform.wire import Expectation, Versioned, Word, expect_anything
from sightline.signals import material, queries, read
from sightline.signals.change import (
    find_changed,
    refuse_accounts,
    refuse_two_primaries,
    stated_columns,
    store,
    with_primary,
)
from sightline.signals.formats import Conversation, read_beside
from sightline.signals.processing import request
from sightline.signals.raw_data import Raw, has_content, raw_of
from sightline.signals.records import (
    CreatedSignal,
    CreatedSignals,
    NewAccount,
    NewSignal,
    NewSource,
    NewTranscript,
    NewTurn,
    label_of,
)
from sightline.workspaces.numbers import take_number

FILE_SOURCE = "file"  # of texts without an identity
_BUSY = Conflict("The records that the signal names keep changing. Try again.")

# The defaults of each type of signal: how its content is read, and which kind of evidence it is.
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


async def create_signal(
    db: Database, engine: EmbeddedEngine, actor: Actor, new: NewSignal, expect: Expectation = expect_anything
) -> Versioned[CreatedSignal]:
    """Creates or updates a signal. Raises ValidationFailed, NotFound, PreconditionFailed, Conflict.

    Concurrent requests with one identity create one signal: the others find it and update it.
    """
    refuse_two_primaries(new.source_links or [])
    new = await _with_format(new)

    async def attempt() -> Versioned[CreatedSignal] | None:
        number = await _number(db, actor, new)
        async with db.transaction() as tx:
            await _lock_accounts(tx, actor, [new])
            return await _write(tx, engine, actor, new, expect, number)

    return await retry_when_overtaken(attempt, _BUSY)


async def create_signals(
    db: Database, engine: EmbeddedEngine, actor: Actor, sent: Sequence[NewSignal]
) -> CreatedSignals:
    """Creates or updates several signals in one transaction. Raises as `create_signal`, naming the signal."""
    new = []
    for place, each in enumerate(sent):
        with _naming(place):
            refuse_two_primaries(each.source_links or [])
            new.append(await _with_format(each))
    # Two requests lock what both have in the same order.
    places = sorted(range(len(new)), key=lambda place: (new[place].source_key or "", new[place].external_id or ""))

    async def attempt() -> CreatedSignals | None:
        numbers = {place: await _number(db, actor, new[place]) for place in places}
        created: dict[int, CreatedSignal] = {}
        with suppress(_Overtaken):
            async with db.transaction() as tx:
                await _lock_accounts(tx, actor, new)
                for place in places:
                    with _naming(place):
                        written = await _write(tx, engine, actor, new[place], expect_anything, numbers[place])
                    if written is None:
                        raise _Overtaken
                    created[place] = written.record
            return CreatedSignals([created[place] for place in range(len(new))])
        return None

    return await retry_when_overtaken(attempt, _BUSY)


class _Overtaken(Exception):
    """Another request took an identity: what was written is rolled back."""


@contextmanager
def _naming(place: int) -> Iterator[None]:
    """Names the signal of a list in what is refused."""
    try:
        yield
    except ValidationFailed as refused:
        faults = [Fault(f"signals[{place}].{fault.path}", fault.message) for fault in refused.extras["errors"]]
        raise ValidationFailed(faults) from None


async def _write(
    tx: Tx, engine: EmbeddedEngine, actor: Actor, new: NewSignal, expect: Expectation, number: int | None
) -> Versioned[CreatedSignal] | None:
    """Returns None if another request took or deleted the identity; the caller retries."""
    known = await _known(tx, actor, new)
    await _refuse_unknown(tx, actor, new)
    if known is not None:
        return await _update(tx.later(), actor, new, expect, known)
    return None if number is None else await _add(tx, engine, actor, new, expect, number)


async def _with_format(new: NewSignal) -> NewSignal:
    """Returns the signal with the fields that its text states, read by its format. Raises ValidationFailed."""
    if new.text is None or new.text_format in (None, "plain"):
        return new
    try:
        return described(new, await read_beside(new.text_format, new.text), new.text.encode())
    except ValueError as error:
        raise ValidationFailed.of("text", str(error)) from None


def described(new: NewSignal, read: Conversation, source: bytes) -> NewSignal:
    """Returns the signal with the fields that were read from its text, unless the request states them.

    Without an identity it has the identity of the `source`, so that the same text again changes nothing.
    """
    known: dict[str, Any] = {"text": read.text, "transcript": None}
    said: dict[str, Any] = {"name": read.name, "created_at": read.created_at}
    if read.turns:
        turns = [NewTurn(**turn) for turn in read.turns]
        known["transcript"] = NewTranscript(turns=turns, duration_seconds=read.duration_seconds)
    elif read.addresses:
        said |= {"signal_type": "support_ticket", "context": "support"}
        known["accounts"] = [*(new.accounts or ()), *(NewAccount(email=Word(address)) for address in read.addresses)]
    if new.source_key is None and new.external_id is None:
        known |= {"source_key": FILE_SOURCE, "external_id": sha256(source).hexdigest()[:32]}
    said = {name: value for name, value in said.items() if getattr(new, name) is None}
    return msgspec.structs.replace(new, **known, **said)


async def _number(db: Database, actor: Actor, new: NewSignal) -> int | None:
    """Takes a number for a new signal before anything is locked; returns None if the identity is known."""
    async with db.autocommit() as tx:
        if await queries.is_known(tx, actor.workspace_id, new.source_key, new.external_id):
            return None
        return await take_number(db, tx, actor.workspace_id, "signal")


async def _known(tx: Tx, actor: Actor, new: NewSignal) -> Row | None:
    if new.source_key is None or new.external_id is None:
        return None
    identity = {"source_key": new.source_key, "external_id": new.external_id}
    return await tx.row(queries.LOCK_KNOWN, workspace_id=actor.workspace_id, **identity)


async def _refuse_unknown(tx: Tx, actor: Actor, new: NewSignal) -> None:
    """Raises ValidationFailed for unknown accounts, NotFound for an unknown integration."""
    if not (new.integration_id or new.account_id or new.account_ids):
        return
    accounts = with_primary(new.account_id, new.account_ids or ())
    named = await queries.find_named(tx, actor.workspace_id, new.integration_id, accounts)
    refuse_accounts(new.account_id, new.account_ids or [], named["unknown_accounts"])
    if new.integration_id is not None and not named["has_integration"]:
        raise NotFound("The workspace has no such integration.", field="integrationId")


async def _lock_accounts(tx: Tx, actor: Actor, sent: Iterable[NewSignal]) -> None:
    adding = [new for new in sent if new.create_missing_accounts]
    await lock_accounts_and_counts(
        tx, actor.workspace_id, (_clues(one) for new in adding for one in new.accounts or ())
    )


def _clues(described: NewAccount) -> AccountClues:
    return AccountClues(described.id, described.external_id, described.domain, described.name, described.email)


async def _accounts(tx: Tx, actor: Actor, new: NewSignal) -> list[UUID]:
    """Returns the accounts, the primary one first. A described account is linked if exactly one matches."""
    accounts = with_primary(new.account_id, new.account_ids or ())
    for described in new.accounts or ():
        clues = _clues(described)
        if new.create_missing_accounts:
            account = await find_or_add_account(tx, actor, clues)
        else:
            account = await find_only_match(tx, actor.workspace_id, clues)
        accounts += [account] if account else []
    return list(dict.fromkeys(accounts))


async def _add(
    tx: Tx, engine: EmbeddedEngine, actor: Actor, new: NewSignal, expect: Expectation, number: int
) -> Versioned[CreatedSignal] | None:
    """Returns None if another request took the identity; the caller retries."""
    raw = raw_of(None, **_content(new))
    if not has_content(raw, new.data or {}):
        raise ValidationFailed.of("text", "Send text, a transcript, data or rawData")
    expect(None)
    columns = _new_columns(tx, engine, new, raw) | {"id": new_id(), "number": number}
    if await queries.add_signal(tx, actor, columns, new.created_at or tx.now) is None:
        return None
    if raw:
        await queries.save_raw(tx, actor.workspace_id, columns["id"], raw)
    accounts = await _accounts(tx, actor, new)
    await queries.add_accounts(tx, actor.workspace_id, columns["id"], accounts)
    if columns["processing_id"] is not None:
        await request.queue(tx, actor.workspace_id, columns["id"])
    return await _shown(tx, actor, columns["id"])


def _content(new: NewSignal) -> dict[str, Any]:
    return {
        "text": new.text,
        "transcript": new.transcript,
        "raw_data": new.raw_data,
        "participants": new.participants,
    }


def _new_columns(tx: Tx, engine: EmbeddedEngine, new: NewSignal, raw: Raw) -> dict[str, Any]:
    is_read = new.analysis_profile != "none"
    signal_type = new.signal_type or ("transcript" if new.transcript else None)
    read_as, kind = _READ_AS[signal_type]
    provider = new.provider_type or "api"
    source = new.source or NewSource()
    content = material.material_of("text", raw, new.data or {})
    return {
        "name": new.name or material.name_of(content, engine.name_idea) or "Signal",
        "status": "pending" if is_read else "processed",
        "context": new.context or "other",
        "signal_type": signal_type,
        "processor_type": new.processor_type or read_as,
        "provider_type": provider,
        "evidence_kind": new.evidence_kind or kind,
        "analysis_profile": new.analysis_profile or "customer_evidence",
        "source_label": new.source_label or label_of(provider),
        "source_type": source.type or provider,
        "external_data": source.external_data or {},
        "source_links": [link.stored for link in new.source_links or ()],
        "data": new.data or {},
        "transcript": material.summary_of(raw, new.transcript),
        "import": new.import_,
        "integration_id": new.integration_id,
        "source_key": new.source_key,
        "external_id": new.external_id,
        "account_id": new.account_id,
        "process_after": tx.now if is_read else None,
        "processing_id": new_id() if is_read else None,
    }


async def _update(tx: Tx, actor: Actor, new: NewSignal, expect: Expectation, before: Row) -> Versioned[CreatedSignal]:
    """Omitted fields stay, accounts are added. Leaves `updated_at` alone if nothing changed."""
    expect(read.tag_of(before))
    id = before["id"]
    raw_before = await queries.find_raw(tx, actor.workspace_id, id)
    raw = raw_of(raw_before, **_content(new))
    changes = find_changed(stated_columns(new), before)
    has_new_raw = not same_json(raw, raw_before or {})
    if has_new_raw:
        await queries.save_raw(tx, actor.workspace_id, id, raw)
        changes["transcript"] = material.summary_of(raw, new.transcript, queries.decoded(before["transcript"]))
    profile = changes.get("analysis_profile", before["analysis_profile"])
    if has_new_raw or "analysis_profile" in changes or ("data" in changes and material.reads_data(raw)):
        changes |= request.again(tx, profile)
    linked = await queries.add_accounts(tx, actor.workspace_id, id, await _accounts(tx, actor, new))
    await store(tx, actor, before, changes, has_new_accounts=bool(linked))
    return await _shown(tx, actor, id)


async def _shown(tx: Tx, actor: Actor, id: UUID) -> Versioned[CreatedSignal]:
    row = await queries.find_signal(tx, actor.workspace_id, SignalRef(id=id))
    is_waiting = row["status"] in ("pending", "processing")
    job_id = row["processing_id"] if is_waiting else None
    return Versioned(queries.as_created_signal(row, job_id), read.tag_of(row))
