"""The routes of signals. Specification: Signals."""

from sightline.intelligence.embedded import EmbeddedEngine
from sightline.platform.db import Window
from sightline.platform.errors import Conflict, NotFound
from sightline.platform.http.bodies import MIB
from sightline.platform.http.operations import Call, operation
from sightline.platform.lists.paging import Paging
from sightline.platform.lists.totals import Totals
from sightline.platform.refs import SignalRef
from sightline.platform.scopes import Scope
from sightline.platform.wire import Page, Versioned
from sightline.signals import change, create, delete, read
from sightline.signals.processing import request
from sightline.signals.records import (
    CreatedSignal,
    CreatedSignals,
    Include,
    NewSignal,
    NewSignals,
    ProcessingReceipt,
    Signal,
    SignalChanges,
    SignalDeletion,
    SignalFilters,
)

LARGEST_SIGNAL = 8 * MIB


@operation("GET", "/signals", scopes=[Scope.SIGNALS_READ], paging=Paging(20, 100, clamp=True, cursor=True))
async def list_signals(call: Call, query: SignalFilters, window: Window) -> Page[Signal]:
    """Lists signals, newest first; with `updatedSince` the oldest change first.

    To keep a copy, list with `updatedSince` and follow `Link` to the end. Next time start at the latest `updatedAt`
    received, and replace records by `id`. No change is missed, even during concurrent writes. Links to insights,
    initiatives and studies that are added later do not count as changes.

    A large page, usually with `include=raw`, is sent in pieces: a signal that is deleted before its piece is left out.
    """
    async with call.db.autocommit() as tx:
        return await read.list_signals(tx, call.tools[Totals], call.actor, query, window)


@operation("GET", "/signals/{ref}", scopes=[Scope.SIGNALS_READ])
async def get_signal(call: Call, ref: SignalRef, query: Include) -> Versioned[Signal]:
    """Gets one signal."""
    async with call.db.autocommit() as tx:
        return await read.get_signal(tx, call.actor, ref, query, at_once=call.at_once)


@operation(
    "POST",
    "/signals",
    scopes=[Scope.SIGNALS_WRITE],
    status=201,
    body_limit=LARGEST_SIGNAL,
    refuses=[NotFound, Conflict],
    example={
        "name": "Call about exports",
        "text": "The export of large tables takes ten minutes. Could you add a progress bar?",
        "signalType": "support_ticket",
        "providerType": "zendesk",
        "sourceKey": "support-desk",
        "externalId": "ticket-4711",
        "accounts": [{"domain": "globex.test"}],
    },
)
async def create_signal(call: Call, new: NewSignal) -> Versioned[CreatedSignal]:
    """Creates a signal, or updates the one with the same identity, and queues its content to be processed.

    Wording and dates are stored as sent. Poll the signal until it is `processed` or `failed`: its insights rest on
    exact quotes. An account is linked if it is named by id, or if exactly one has the id, external id or domain that
    is described; it is created only with `createMissingAccounts`. An update keeps omitted fields and adds accounts; the
    signal is processed again only if its content changed.
    """
    return await create.create_signal(call.db, call.tools[EmbeddedEngine], call.actor, new, call.expect)


@operation(
    "POST",
    "/signals/batch",
    scopes=[Scope.SIGNALS_WRITE],
    status=201,
    body_limit=LARGEST_SIGNAL,
    refuses=[NotFound, Conflict],
    example={
        "signals": [
            {
                "name": "Call about exports",
                "text": "WEBVTT\n\n00:01.000 --> 00:04.000\n<v Bo>The export stops at 8,000 rows.</v>",
                "textFormat": "vtt",
            },
            {"text": "From: Bo <bo@globex.test>\nSubject: Exports\n\nThey take an hour.", "textFormat": "eml"},
        ]
    },
)
async def create_signals(call: Call, new: NewSignals) -> CreatedSignals:
    """Creates or updates several signals, as `POST /signals` does each: all of them, or none."""
    return await create.create_signals(call.db, call.tools[EmbeddedEngine], call.actor, new.signals)


@operation(
    "PATCH",
    "/signals/{ref}",
    scopes=[Scope.SIGNALS_WRITE],
    body_limit=LARGEST_SIGNAL,
    refuses=[Conflict],
    example={"name": "Call with Globex about exports", "context": "support"},
)
async def change_signal(call: Call, ref: SignalRef, changes: SignalChanges) -> Versioned[Signal]:
    """Changes the fields that are sent; a new text or transcript is processed again.

    `accountIds` replace the accounts; `accountId` is the primary one and counts among them, null leaves none primary.
    """
    return await change.change_signal(call.db, call.actor, ref, changes, call.expect, at_once=call.at_once)


@operation("DELETE", "/signals/{ref}", scopes=[Scope.SIGNALS_DELETE], refuses=[Conflict])
async def delete_signal(call: Call, ref: SignalRef) -> SignalDeletion:
    """Deletes a signal for good, with unreviewed insights that rest on it alone.

    Reviewed insights and evidence of ideas keep their quotes, which no longer name the signal.
    """
    return await delete.delete_signal(call.db, call.actor, ref, call.expect)


@operation("POST", "/signals/{ref}/process", scopes=[Scope.SIGNALS_WRITE], status=202)
async def process_signal(call: Call, ref: SignalRef) -> ProcessingReceipt:
    """Queues a signal to be processed again, unless it is queued already.

    Unreviewed insights are replaced, the others stay. Poll `statusUrl` until the signal is `processed`
    or `failed`.
    """
    async with call.db.transaction() as tx:
        return await request.request_processing(tx, call.actor, ref, call.expect)
