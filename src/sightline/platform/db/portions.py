"""Pages in portions: records that are too large to be read at once are read a few at a time.

The statement of a page numbers the portions by the bytes of the page that precede a record. It reads the records of
the first portion, and of the others only the ids.
"""

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from uuid import UUID

from sightline.platform.db.database import Row, Tx
from sightline.platform.db.sql import sql

PORTION_BYTES = 1024 * 1024  # the last record of a portion may exceed it
_COMPRESSED = 8  # how much larger a compressed value counts: text has a third of its size, repetition a hundredth

# The columns of the record, null from the second portion on; `key`, its id from then on; `portion`, null in the first.
# What is null costs no time to decode: most pages have one portion.
PAGE_IN_PORTIONS = """
SELECT shown.*, CASE WHEN portion > 0 THEN {table}.id END AS key, nullif(portion, 0) AS portion, {more}
  FROM (SELECT *, coalesce(sum({size}) OVER (ORDER BY {order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
                  / :portion_bytes AS portion
          FROM ({rows}) AS {table}) AS {table}
  LEFT JOIN LATERAL (SELECT {columns} WHERE portion = 0) AS shown ON true
 ORDER BY {order}"""
_PORTION = """
SELECT {columns} FROM {table}
 WHERE workspace_id = :workspace_id AND id = ANY(:ids::uuid[]) ORDER BY array_position(:ids::uuid[], id)"""


def stored_size(*columns: str) -> str:
    """An expression for the bytes that columns of variable length hold, without reading them."""
    return " + ".join(
        f"coalesce(pg_column_size({column}) * "
        f"CASE WHEN pg_column_compression({column}) IS NULL THEN 1 ELSE {_COMPRESSED} END, 0)"
        for column in columns
    )


def split_page(rows: list[Row]) -> tuple[list[Row], list[list[UUID]]]:
    """Returns the rows of the first portion, and the ids of each of the others."""
    if rows[-1]["portion"] is None:
        return rows, []
    first, *others = [list(portion) for _, portion in groupby(rows, itemgetter("portion"))]
    return first, [[row["key"] for row in portion] for portion in others]


async def read_portion(tx: Tx, table: str, columns: str, workspace_id: UUID, ids: Sequence[UUID]) -> list[Row]:
    """Returns the columns of the records that still exist, in the order of the ids."""
    portion = sql(_PORTION, table=table, columns=columns)
    return await tx.rows(portion, workspace_id=workspace_id, ids=ids)
