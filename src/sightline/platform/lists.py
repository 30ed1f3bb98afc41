"""A page of a list that is followed by position. Records that do not fit are read while the page is sent."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Any, TypeVar
from uuid import UUID

from msgspec import UNSET, Struct

from sightline.platform.db import Row, Tx, Where, Window
from sightline.platform.db.feeds import (
    Feed,
    Order,
    Selection,
    Totals,
    changed_since,
    read_feed,
    read_portion,
    select_rows,
)
from sightline.platform.wire import Page

Shown = TypeVar("Shown")
ShownStruct = TypeVar("ShownStruct", bound=Struct)
AsRecords = Callable[[Tx, Sequence[Row]], Awaitable[list[Shown]]]


@dataclass(frozen=True, slots=True)
class Listing:
    """A list in two orders: its own, and with `updatedSince` the oldest change first.

    `count` is an expression for its length when nothing is filtered; it may use `:workspace_id`.
    """

    feed: Feed
    order: Order
    count: str

    @property
    def changed(self) -> Order:
        return Order(f"{self.feed.table}.changed", "updated_at", "id", UUID)


async def read_list(
    tx: Tx,
    listing: Listing,
    where: Where,
    updated_since: datetime | None,
    window: Window,
    as_records: AsRecords[Shown],
) -> Page[Shown]:
    """Returns a page; with `updated_since` of the changes up to the horizon. Raises ValidationFailed."""
    order = listing.order
    if updated_since is not None:
        order = listing.changed
        where.conditions += await changed_since(tx, where, order.moment, updated_since)
    selection = select_rows(listing.feed.table, where, order, listing.count)
    return await read_selection(tx, listing.feed, selection, window, as_records)


async def read_selection(
    tx: Tx,
    feed: Feed,
    selection: Selection,
    window: Window,
    as_records: AsRecords[Shown],
    totals: Totals | None = None,
) -> Page[Shown]:
    """Returns a page of a feed. Raises ValidationFailed if `after` belongs to another list, or another order of it.

    `as_records` turns rows into records; it may read by the columns' names.
    """

    async def read_more(tx: Tx, ids: list[UUID]) -> list[Shown]:
        return await as_records(tx, await read_portion(tx, feed, selection, ids))

    found = await read_feed(tx, feed, selection, window, totals)
    items = await as_records(tx, found.rows) if found.rows else []
    after = found.after if selection.order.has_cursor else UNSET
    return Page(items, found.total, window, after, found.rest, read_more)


def as_structs(kind: type[ShownStruct]) -> AsRecords[ShownStruct]:
    """Returns what turns rows into structs whose fields have the names of columns."""
    fields: Any = itemgetter(*kind.__struct_fields__)

    async def as_records(tx: Tx, rows: Sequence[Row]) -> list[ShownStruct]:
        return [kind(*fields(row)) for row in rows]

    return as_records
