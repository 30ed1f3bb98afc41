"""One page of a list with large records. Records that do not fit are read while the page is sent."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar
from uuid import UUID

from sightline.platform.db import Row, Tx, Where, Window
from sightline.platform.db.pages import Listing, read_page, read_portion, split_page
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

    async def read_more(tx: Tx, ids: list[UUID]) -> list[Shown]:
        return await as_records(tx, await read_portion(tx, listing.table, listing.columns, where.workspace_id, ids))

    rows, total = await read_page(tx, listing, where, order, window)
    first, rest = split_page(rows)
    return Page(await as_records(tx, first) if first else [], total, window, rest=rest, read_more=read_more)
