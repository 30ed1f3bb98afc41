"""One page of a list with large records. Records that do not fit are read while the page is sent."""

from collections.abc import Awaitable, Callable, Sequence
from functools import lru_cache, partial
from typing import TypeVar
from uuid import UUID

from sightline.platform.db import Row, Statement, Tx, Where, Window, sql
from sightline.platform.db.pages import Listing, count_of_empty_page, count_rows_of, rows_of_page
from sightline.platform.db.portions import PAGE_IN_PORTIONS, PORTION_BYTES, read_portion, split_page
from sightline.platform.wire import Page

Shown = TypeVar("Shown")
AsRecords = Callable[[Tx, Sequence[Row]], Awaitable[list[Shown]]]


async def read_list(
    tx: Tx, listing: Listing, where: Where, order: str, window: Window, as_records: AsRecords[Shown]
) -> Page[Shown]:
    """Reads a page in one statement, its records up to 1 MiB of stored size.

    `order` must be total, and its columns qualified. `as_records` turns rows into records; it may read by the columns'
    names.
    """
    count = count_rows_of(listing, where)
    page = _page(listing, rows_of_page(listing.table, where, order, window), order, count)
    values = {"limit": window.limit, "offset": window.offset, "portion_bytes": PORTION_BYTES}
    rows = await tx.rows(page, **where.values, **values)
    if not rows:
        return Page([], await count_of_empty_page(tx, count, where, window), window)
    first, rest = split_page(rows)
    items = await as_records(tx, first)
    read_more = partial(_read_portion, listing, where.workspace_id, as_records)
    return Page(items, rows[0]["total"], window, rest=rest, read_more=read_more)


@lru_cache(maxsize=1024)
def _page(listing: Listing, rows: str, order: str, count: str) -> Statement:
    """The statement of a page; composing it takes 8 us."""
    return sql(
        PAGE_IN_PORTIONS,
        rows=rows,
        table=listing.table,
        columns=listing.columns,
        size=listing.size,
        order=order,
        more=f"{count} AS total",
    )


async def _read_portion(
    listing: Listing, workspace_id: UUID, as_records: AsRecords[Shown], tx: Tx, ids: list[UUID]
) -> list[Shown]:
    return await as_records(tx, await read_portion(tx, listing.table, listing.columns, workspace_id, ids))
