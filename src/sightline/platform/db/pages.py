"""One page of a list, in one statement."""

from dataclasses import dataclass

from sightline.platform.db.database import Row, Tx
from sightline.platform.db.sql import Where, Window, sql

# From this offset on, looking up the rows of a page by id costs less than reading the rows that the offset skips:
# see docs/decisions/0021-feeds.md.
IDS_FIRST_FROM = 200

_PAGE = "SELECT {columns}, {total} AS total FROM ({rows}) AS {table} ORDER BY {order}"


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of records: its table, what is shown of a row, and how its length is kept when nothing is filtered.

    `count` is an expression that may use `:workspace_id`. `size`, where records may be large, is an expression for the
    bytes of one (see `portions.stored_size`): then `platform.lists` reads the pages.
    """

    table: str
    columns: str
    count: str
    size: str = "0"


def rows_of_page(table: str, where: Where, order: str, window: Window) -> str:
    """The subquery for the rows of a page, by `:limit` and `:offset`."""
    if window.offset < IDS_FIRST_FROM:
        return f"SELECT * FROM {table} WHERE {where} ORDER BY {order} LIMIT :limit OFFSET :offset"
    return rows_by_id(table, f"SELECT id FROM {table} WHERE {where} ORDER BY {order} LIMIT :limit OFFSET :offset")


def rows_by_id(table: str, ids: str) -> str:
    """The subquery for the rows whose ids another one finds, from indexes alone."""
    return f"SELECT * FROM {table} WHERE workspace_id = :workspace_id AND id IN ({ids})"


def count_rows_of(listing: Listing, where: Where) -> str:
    """An expression for how many records there are in all."""
    return listing.count if where.is_everything else f"(SELECT count(*) FROM {listing.table} WHERE {where})"


async def read_page(tx: Tx, listing: Listing, where: Where, order: str, window: Window) -> tuple[list[Row], int]:
    """The rows, each with the total as its last column, and the total.

    `order` must be total, and its columns qualified: a bare `created_at` is the column as it is shown.
    """
    count = count_rows_of(listing, where)
    page = sql(
        _PAGE,
        rows=rows_of_page(listing.table, where, order, window),
        table=listing.table,
        columns=listing.columns,
        order=order,
        total=count,
    )
    rows = await tx.rows(page, **where.values, limit=window.limit, offset=window.offset)
    if rows:
        return rows, rows[0]["total"]
    return [], await count_of_empty_page(tx, count, where, window)


async def count_of_empty_page(tx: Tx, count: str, where: Where, window: Window) -> int:
    """The length of a list that has no row at the window's offset."""
    return 0 if window.offset == 0 else await tx.value(sql("SELECT {count}", count=count), **where.values)
