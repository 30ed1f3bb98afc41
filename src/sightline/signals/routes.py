"""What can be asked of signals. Specification: Signals."""

from sightline.platform.access import Scope
from sightline.platform.db import Window
from sightline.platform.db.feeds import Totals
from sightline.platform.http.operations import Call, operation
from sightline.platform.http.queries import Paging
from sightline.platform.refs import SignalRef
from sightline.platform.wire import Page, Versioned
from sightline.signals import detail
from sightline.signals.records import Include, Signal, SignalFilters


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
