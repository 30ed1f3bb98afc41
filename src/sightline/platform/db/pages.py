"""One page of a short list, by offset, in one statement."""

from dataclasses import dataclass
from functools import lru_cache

from sightline.platform.db.database import Row, Tx
from sightline.platform.db.sql import Statement, Where, Window, sql

# From this offset on, looking up the rows of a page by id costs less than reading the rows that the offset skips:
# see docs/decisions/0021-feeds.md.
IDS_FIRST_FROM = 200

_PAGE = "SELECT {columns}, {count} AS total FROM ({rows}) AS {table} ORDER BY {order}"


@dataclass(frozen=True, slots=True)
class ShortList:
    """A list of records: its table, its columns, and an expression for its length when nothing is filtered.

    `count` may use `:workspace_id`.
    """

    table: str
    columns: str
    count: str


async def read_page(tx: Tx, listing: ShortList, where: Where, order: str, window: Window) -> tuple[list[Row], int]:
    """The rows and the total.

    `order` must be total, and its columns qualified: a bare `created_at` is the column as it is shown.
    """
    count = listing.count if where.is_everything else f"(SELECT count(*) FROM {listing.table} WHERE {where})"
    page = _page(listing, rows_of_page(listing.table, where, order, window), order, count)
    rows = await tx.rows(page, **where.values, limit=window.limit, offset=window.offset)
    if rows or window.offset == 0:
        return rows, rows[0]["total"] if rows else 0
    total = await tx.value(sql("SELECT {count}", count=count), **where.values)
    return [], min(total, window.offset)  # without rows that were added since the page was read


@lru_cache(maxsize=1024)
def _page(listing: ShortList, rows: str, order: str, count: str) -> Statement:
    """The statement of a page; composing it takes 8 us."""
    return sql(_PAGE, rows=rows, table=listing.table, columns=listing.columns, order=order, count=count)


def rows_of_page(table: str, where: Where, order: str, window: Window) -> str:
    """The subquery for the rows of a page, by `:limit` and `:offset`."""
    columns = "*" if window.offset < IDS_FIRST_FROM else "id"
    rows = f"SELECT {columns} FROM {table} WHERE {where} ORDER BY {order} LIMIT :limit OFFSET :offset"
    return rows if columns == "*" else rows_by_id(table, rows)


def rows_by_id(table: str, ids: str) -> str:
    """The subquery for the rows whose ids another one finds, from indexes alone."""
    return f"SELECT * FROM {table} WHERE workspace_id = :workspace_id AND id IN ({ids})"
