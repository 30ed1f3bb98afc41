"""What can be asked of signals. Specification: Signals."""

from sightline.intelligence.engine import Engine
from sightline.platform.access import Scope
from sightline.platform.db import Window
from sightline.platform.db.feeds import Totals
from sightline.platform.errors import Conflict, CreatorNotAllowed, NotFound
from sightline.platform.http.bodies import MIB
from sightline.platform.http.operations import Call, operation
from sightline.platform.http.queries import Paging
from sightline.platform.refs import SignalRef
from sightline.platform.wire import Page, Versioned
from sightline.signals import changes, detail, intake, processing
from sightline.signals.records import Include, Signal, SignalFilters
from sightline.signals.records_intake import (
    NewSignal,
    ProcessingReceipt,
    SignalChanges,
    SignalDeletion,
    TakenSignal,
)

LARGEST_SIGNAL = 8 * MIB


@operation("GET", "/signals", scopes=[Scope.SIGNALS_READ], paging=Paging(20, 100, clamp=True, cursor=True))
async def list_signals(call: Call, query: SignalFilters, window: Window) -> Page[Signal]:
    """Lists signals, newest first; with `updatedSince` the oldest change first.

    To keep a copy, ask with `updatedSince` and follow `Link` to the end; next time begin with the latest `updatedAt`
    received, and drop by `id` what comes twice. No change is ever passed over, whatever others write meanwhile. Links
    to insights, initiatives and studies that come later do not count as changes.
    """
    async with call.db.read() as tx:
        return await detail.list_signals(tx, call.tool(Totals), call.actor, query, window)


@operation("GET", "/signals/{ref}", scopes=[Scope.SIGNALS_READ])
async def get_signal(call: Call, ref: SignalRef, query: Include) -> Versioned[Signal]:
    """Gets one signal."""
    async with call.db.read() as tx:
        return await detail.get_signal(tx, call.actor, ref, query)


@operation(
    "POST",
    "/signals",
    scopes=[Scope.SIGNALS_WRITE],
    status=201,
    body_limit=LARGEST_SIGNAL,
    keeps_answers=True,
    refuses=[NotFound, CreatorNotAllowed, Conflict],
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
async def take_signal(call: Call, wish: NewSignal) -> Versioned[TakenSignal]:
    """Takes a signal in, or updates the one with the same identity, and has its content processed.

    Wording and dates are kept as they are. Poll the signal until it is `processed` or `failed`: its insights rest on
    exact quotes. An account is linked only when it is named by id, or when exactly one has the id, external id or
    domain that is described; it is made only with `createMissingAccounts`. An update leaves what was omitted and adds
    accounts; nothing is processed again unless the content is another.
    """
    engine = call.tool(Engine)  # type: ignore[type-abstract]  # tools are found by what they stand for
    return await intake.take_signal(call.db, engine, call.actor, wish, call.expect)


@operation(
    "PATCH",
    "/signals/{ref}",
    scopes=[Scope.SIGNALS_WRITE],
    body_limit=LARGEST_SIGNAL,
    refuses=[CreatorNotAllowed, Conflict],
    example={"name": "Call with Globex about exports", "context": "support"},
)
async def change_signal(call: Call, ref: SignalRef, wish: SignalChanges) -> Versioned[Signal]:
    """Changes what is sent and leaves the rest; another text or transcript is processed anew.

    `accountIds` replace the accounts; `accountId` is the primary one and counts among them, null leaves none primary.
    """
    return await changes.change_signal(call.db, call.actor, ref, wish, call.expect)


@operation("DELETE", "/signals/{ref}", scopes=[Scope.SIGNALS_DELETE], refuses=[CreatorNotAllowed, Conflict])
async def delete_signal(call: Call, ref: SignalRef) -> SignalDeletion:
    """Deletes a signal for good, with what processing found in it alone and nobody has reviewed.

    Insights that somebody reviewed, and the evidence of ideas, keep their words.
    """
    return await changes.delete_signal(call.db, call.actor, ref, call.expect)


@operation("POST", "/signals/{ref}/process", scopes=[Scope.SIGNALS_WRITE], status=202, refuses=[CreatorNotAllowed])
async def process_signal(call: Call, ref: SignalRef) -> ProcessingReceipt:
    """Has a signal processed again; joins what waits already.

    Insights that nobody has reviewed are replaced, the others stay. Poll `statusUrl` until the signal is `processed`
    or `failed`.
    """
    async with call.db.write() as tx:
        return await processing.request_processing(tx, call.actor, ref, call.expect)
