"""One page of a list, in one statement; of large records, at most 1 MiB at once.

The statement of a page of large records numbers the portions by the bytes of the page that precede a record. It reads
the records of the first portion, and of the others only the ids.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from uuid import UUID

from sightline.platform.db.database import Row, Tx
from sightline.platform.db.sql import Statement, Where, Window, sql

# From this offset on, looking up the rows of a page by id costs less than reading the rows that the offset skips:
# see docs/decisions/0021-feeds.md.
IDS_FIRST_FROM = 200
PORTION_BYTES = 1024 * 1024  # the last record of a portion may exceed it
_COMPRESSED = 8  # how much larger a compressed value counts: text has a third of its size, repetition a hundredth

_PAGE = "SELECT {columns}, {more} FROM ({rows}) AS {table} ORDER BY {order}"
# The columns of the record, null from the second portion on; `key`, its id from then on; `portion`, null in the first.
# What is null costs no time to decode: most pages have one portion.
PAGE_IN_PORTIONS = f"""
SELECT shown.*, CASE WHEN portion > 0 THEN {{table}}.id END AS key, nullif(portion, 0) AS portion, {{more}}
  FROM (SELECT *, coalesce(sum({{size}}) OVER (ORDER BY {{order}} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
                  / {PORTION_BYTES} AS portion
          FROM ({{rows}}) AS {{table}}) AS {{table}}
  LEFT JOIN LATERAL (SELECT {{columns}} WHERE portion = 0) AS shown ON true
 ORDER BY {{order}}"""
_PORTION = """
SELECT {columns} FROM {table}
 WHERE workspace_id = :workspace_id AND id = ANY(:ids::uuid[]) ORDER BY array_position(:ids::uuid[], id)"""


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of records: its table, what is shown of a row, and how its length is kept when nothing is filtered.

    `count` is an expression that may use `:workspace_id`. `size`, where records may be large, is an expression for the
    bytes of one (see `stored_size`): then the page is read in portions.
    """

    table: str
    columns: str
    count: str
    size: str = ""


async def read_page(tx: Tx, listing: Listing, where: Where, order: str, window: Window) -> tuple[list[Row], int]:
    """The rows, in portions if the records may be large (see `split_page`), and the total.

    `order` must be total, and its columns qualified: a bare `created_at` is the column as it is shown.
    """
    count = listing.count if where.is_everything else f"(SELECT count(*) FROM {listing.table} WHERE {where})"
    page = _page(listing, rows_of_page(listing.table, where, order, window), order, count)
    rows = await tx.rows(page, **where.values, limit=window.limit, offset=window.offset)
    if rows or window.offset == 0:
        return rows, rows[0]["total"] if rows else 0
    return [], await tx.value(sql("SELECT {count}", count=count), **where.values)


@lru_cache(maxsize=1024)
def _page(listing: Listing, rows: str, order: str, count: str) -> Statement:
    """The statement of a page; composing it takes 8 us."""
    return sql(
        PAGE_IN_PORTIONS if listing.size else _PAGE,
        rows=rows,
        table=listing.table,
        columns=listing.columns,
        size=listing.size,
        order=order,
        more=f"{count} AS total",
    )


def rows_of_page(table: str, where: Where, order: str, window: Window) -> str:
    """The subquery for the rows of a page, by `:limit` and `:offset`."""
    columns = "*" if window.offset < IDS_FIRST_FROM else "id"
    rows = f"SELECT {columns} FROM {table} WHERE {where} ORDER BY {order} LIMIT :limit OFFSET :offset"
    return rows if columns == "*" else rows_by_id(table, rows)


def rows_by_id(table: str, ids: str) -> str:
    """The subquery for the rows whose ids another one finds, from indexes alone."""
    return f"SELECT * FROM {table} WHERE workspace_id = :workspace_id AND id IN ({ids})"


def stored_size(*columns: str) -> str:
    """An expression for the bytes that columns of variable length hold, without reading them."""
    return " + ".join(
        f"coalesce(pg_column_size({column}) * "
        f"CASE WHEN pg_column_compression({column}) IS NULL THEN 1 ELSE {_COMPRESSED} END, 0)"
        for column in columns
    )


def split_page(rows: list[Row]) -> tuple[list[Row], list[list[UUID]]]:
    """Returns the rows of the first portion, and the ids of each of the others."""
    if not rows or rows[-1]["portion"] is None:
        return rows, []
    first, *others = [list(portion) for _, portion in groupby(rows, itemgetter("portion"))]
    return first, [[row["key"] for row in portion] for portion in others]


async def read_portion(tx: Tx, table: str, columns: str, workspace_id: UUID, ids: Sequence[UUID]) -> list[Row]:
    """Returns the columns of the records that still exist, in the order of the ids."""
    portion = sql(_PORTION, table=table, columns=columns)
    return await tx.rows(portion, workspace_id=workspace_id, ids=ids)
