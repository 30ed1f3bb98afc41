"""One page of a list, in one statement."""

from dataclasses import dataclass

from sightline.platform.db.database import Row, Tx
from sightline.platform.db.sql import Where, Window

# Keys first, then rows: what an offset skips is read from the index alone.
_PAGE = """
WITH found AS MATERIALIZED (SELECT id FROM {table} WHERE {where} ORDER BY {order} LIMIT {limit} OFFSET {offset})
SELECT {columns}, {total} FROM {table} WHERE workspace_id = $1 AND id IN (SELECT id FROM found) ORDER BY {order}"""


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of records: its table, what is shown of a row, and how its length is kept when nothing is filtered.

    `count` is an expression that may use $1, the workspace.
    """

    table: str
    columns: str
    count: str


async def read_page(tx: Tx, listing: Listing, where: Where, order: str, window: Window) -> tuple[list[Row], int]:
    """The rows, each with the total as a last column of its own, and the total. `order` is total."""
    total = listing.count if where.is_everything else f"(SELECT count(*) FROM {listing.table} WHERE {where})"
    bounds = {"limit": where.value(window.limit), "offset": where.value(window.offset)}
    statement = _PAGE.format(
        table=listing.table, columns=listing.columns, where=where, order=order, total=total, **bounds
    )
    rows = await tx.rows(statement, *where.values)
    if rows:
        return rows, rows[0][-1]
    return [], 0 if window.offset == 0 else await tx.value(f"SELECT {total}", *where.values[:-2])
