"""The SQL of signals: reading."""

from typing import Any
from uuid import UUID

import msgspec

from sightline.platform.db import Position, Tx, Window
from sightline.platform.db.database import Row
from sightline.platform.db.feeds import Feed, FeedPage, Order, Totals, read_feed
from sightline.platform.errors import NotFound
from sightline.platform.refs import SignalRef
from sightline.signals.filters import CHANGED, select_signals
from sightline.signals.records import Signal, SignalFilters, SignalProvenance, Source

# In the order of Signal's fields, less what as_signal() puts together; the version and the order's columns come last.
SIGNAL = """
    id, 'SIGNAL-' || number, name, workspace_id, status, context, signal_type, processor_type, provider_type,
    evidence_kind, analysis_profile, source_facet, source_label, source_links, source_type, external_data, data,
    transcript, import, insight_ids, account_ids, initiative_ids, study_ids, account_id,
    (SELECT a.external_id FROM accounts AS a WHERE a.workspace_id = signals.workspace_id AND a.id = account_id),
    external_id, iso(created_at), iso(updated_at), version, created_at, updated_at, number"""

_FIND = f"SELECT {SIGNAL} FROM signals WHERE workspace_id = $1 AND {{}} = $2"
_RAW = "SELECT signal_id, raw FROM signal_raw WHERE workspace_id = $1 AND signal_id = ANY($2)"


def fields_of(row: Row) -> list[Any]:
    """The fields of a Signal, less its raw data."""
    return [*row[:11], SignalProvenance(*row[8:11]), *row[11:14], Source(row[14], row[15]), *row[16:28]]


def as_signal(row: Row) -> Signal:
    return Signal(*fields_of(row))


def version_of(row: Row) -> int:
    version: int = row[28]
    return version


def _place(row: Row, order: Order) -> Position:
    _, created_at, updated_at, number = row[28:32]
    return Position(order.name, updated_at, row[0]) if order is CHANGED else Position(order.name, created_at, number)


_FEED = Feed("signals", "signals", SIGNAL, _place)


async def find_signal(tx: Tx, workspace_id: UUID, ref: SignalRef) -> Row:
    """The columns of SIGNAL. Raises NotFound."""
    row = await tx.row(_FIND.format(ref.column), workspace_id, ref.value)
    if row is None:
        raise NotFound
    return row


async def page_of_signals(
    tx: Tx, totals: Totals, workspace_id: UUID, wanted: SignalFilters, window: Window
) -> FeedPage:
    """Newest first; with `updated_since` the oldest change first, and none that a change still under way precedes."""
    return await read_feed(tx, _FEED, await select_signals(tx, workspace_id, wanted), window, totals)


async def find_raw(tx: Tx, workspace_id: UUID, ids: list[UUID]) -> dict[UUID, msgspec.Raw]:
    """What is stored of the whole content, unparsed, by signal."""
    return {row[0]: row[1] for row in await tx.rows(_RAW, workspace_id, ids)}
