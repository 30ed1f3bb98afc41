"""Reads a page of a list in one statement: its records, its total, and the position where the next page begins."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from typing import Any, TypeVar

from msgspec import UNSET, Struct

from sightline.platform.db.database import Row, Tx
from sightline.platform.db.sql import Position, Statement, Where, Window, sql
from sightline.platform.lists.large import PAGE_BYTES, AsRecords, LargeRecords, split
from sightline.platform.lists.listing import Listing, Order, Selection, changed_since, select_rows
from sightline.platform.lists.single import LargeRecord
from sightline.platform.lists.totals import Totals
from sightline.platform.wire import Page

ShownStruct = TypeVar("ShownStruct", bound=Struct)

# From this offset on, finding the ids of a page first costs less than reading the rows that the offset skips.
IDS_FIRST_FROM = 200
# From this offset on it is worth knowing the total before the page, to read a late page from the end.
_FAR = 5_000
# For a LIMIT with a parameter PostgreSQL assumes a tenth of the rows and plans each page again, which takes longer than
# reading it. With this constant LIMIT inside, it keeps the plan.
_MOST_ROWS = 101

_PAGE = """
SELECT {columns}, {alias}.{moment} AS moment, {alias}.{tie} AS tie, {total}
  FROM ({rows}) AS {alias}
 ORDER BY {order}"""
# A record of at most :share bytes has its columns, and NULL as large_id, bytes and moment; a larger one has only these.
# The driver does not decode NULL, so the unused columns cost nothing.
_PAGE_OF_TEXTS = """
SELECT shown.*, {alias}.{tie} AS tie, {total},
       CASE WHEN shown.id IS NULL THEN {alias}.id END AS large_id,
       CASE WHEN shown.id IS NULL THEN {alias}.bytes END AS bytes,
       CASE WHEN shown.id IS NULL THEN {alias}.{moment} END AS moment
  FROM (SELECT *, ({size})::bigint AS bytes FROM ({rows}) AS {alias}) AS {alias}
  LEFT JOIN LATERAL (SELECT {columns} WHERE bytes <= :share) AS shown ON true
 ORDER BY {order}"""
_PORTION = """
SELECT {columns} FROM (SELECT * FROM {table}) AS {alias}
 WHERE workspace_id = :workspace_id AND id = ANY(:ids::uuid[]){still} ORDER BY array_position(:ids::uuid[], id)"""


async def read_list(
    tx: Tx,
    listing: Listing,
    where: Where,
    window: Window,
    updated_since: datetime | None = None,
    as_records: AsRecords[Any] | None = None,
) -> Page[Any]:
    """Returns a page; with `updated_since` of the changes up to the horizon. Raises ValidationFailed."""
    order = listing.order
    if updated_since is not None:
        order = listing.changed
        where.conditions += await changed_since(tx, where, order.moment, updated_since)
    return await read_selection(tx, listing, select_rows(listing, where, order), window, as_records=as_records)


async def read_whole(tx: Tx, listing: Listing, where: Where, window: Window, *, at_once: bool) -> Page[Any]:
    """Returns a page with all its records, for a response that shows more than the list.

    Raises LargeRecord for a page with large ones that is read `at_once`.
    """
    page = await read_list(tx, listing if at_once else replace(listing, size=""), where, window)
    if page.rest:
        raise LargeRecord
    return page


async def read_selection(
    tx: Tx,
    listing: Listing,
    selection: Selection,
    window: Window,
    totals: Totals | None = None,
    as_records: AsRecords[Any] | None = None,
) -> Page[Any]:
    """Returns a page of a selection. Raises ValidationFailed if `after` belongs to another list or order.

    `as_records` turns rows into records, if it takes more than their first columns; it may read by the columns' names.
    `totals` keeps the total, if the list has versions.
    """
    as_records = as_records or as_structs(listing.record)
    reading = _Reading(tx, listing, selection, totals)
    rows, total = await reading.late_rows(window) or await reading.rows(window)
    shown, has_cursor = rows[: window.limit], selection.order.has_cursor
    # After a position, one row more shows that there is a next page; at an offset, the total does.
    has_more = len(rows) > window.limit if window.after else window.offset + len(shown) < total
    after = _position_of(shown[-1], selection.order) if shown and has_more and has_cursor else None
    rest = None
    if listing.size:
        shown, portions = split(shown, window.limit)
        rest = LargeRecords(portions, *_portion_of(listing, selection), as_records) if portions else None
    items = await as_records(tx, shown) if shown else []
    return Page(items, total, window, after if has_cursor else UNSET, rest)


def as_structs(kind: type[ShownStruct]) -> AsRecords[ShownStruct]:
    """Returns what turns rows into structs. The first columns of a row are the fields, in their order."""
    fields = len(kind.__struct_fields__)

    async def as_records(tx: Tx, rows: Sequence[Row]) -> list[ShownStruct]:
        return [kind(*row[:fields]) for row in rows]

    return as_records


class _Reading:
    """Reads rows of a selection, with the total in the same statement."""

    def __init__(self, tx: Tx, listing: Listing, selection: Selection, totals: Totals | None) -> None:
        self.tx = tx
        self.listing = listing
        self.selection = selection
        self.totals = totals
        self.key = b"" if totals is None else _key_of(listing, selection)

    async def rows(self, window: Window) -> tuple[list[Row], int]:
        """Returns the rows at the window's offset, or after its position and then one more if there is one."""
        values = self.selection.where.values | {"limit": window.limit, "offset": window.offset}
        ranges = self.selection.ranges
        if window.after is not None:
            where = self.selection.where.copy()
            after = self.selection.order.after(where, window.after)
            ranges = [f"{one} AND {after}" for one in ranges]
            values = where.values | {"limit": window.limit + 1, "offset": 0}
        if self.selection.source == self.listing.table and len(ranges) == 1 and values["offset"] < IDS_FIRST_FROM:
            rows = self._rows_in_order(ranges[0], values)
        else:
            rows = self._rows_by_id(ranges)
            values["reach"] = values["limit"] + values["offset"]
        return await self._read(rows, values, window)

    async def late_rows(self, window: Window) -> tuple[list[Row], int] | None:
        """The rows at an offset that is nearer to the end, read from there; None for any other window."""
        if self.totals is None or window.after is not None or window.offset < _FAR:
            return None
        total = await self._count()
        if not total // 2 < window.offset < total:
            return None
        reach = total - window.offset
        limit = min(window.limit, reach)
        values = self.selection.where.values | {"limit": limit, "offset": reach - limit, "reach": reach}
        read = await self._read(self._rows_by_id(self.selection.ranges, from_end=True), values, window)
        return read if read[1] == total else None  # otherwise the list has changed, and the rows are others

    def _rows_in_order(self, range_: str, values: dict[str, Any]) -> str:
        table, order = self.listing.table, self.selection.order.clause()
        rows = f"SELECT * FROM {table} WHERE {range_} ORDER BY {order}"
        if not self.selection.is_filtered and values["offset"] == 0 and values["limit"] <= _MOST_ROWS:
            rows = f"SELECT * FROM ({rows} LIMIT {_MOST_ROWS}) AS {self.listing.name} ORDER BY {order}"
        return f"{rows} LIMIT :limit OFFSET :offset"

    def _rows_by_id(self, ranges: Sequence[str], *, from_end: bool = False) -> str:
        """Finds the ids first, from indexes alone.

        No range is read further than the page may reach; a row of several ranges is taken once.
        """
        order, source = self.selection.order, self.selection.source
        columns, in_order = ", ".join(dict.fromkeys(("id", order.moment, order.tie))), order.clause(from_end=from_end)
        parts = [f"(SELECT {columns} FROM {source} WHERE {one} ORDER BY {in_order} LIMIT :reach)" for one in ranges]
        if each := self.selection.each:
            parts = [
                f"SELECT DISTINCT part.* FROM ({each}) AS each CROSS JOIN LATERAL {part} AS part" for part in parts
            ]
        ids = f"SELECT id FROM ({' UNION '.join(parts)}) AS ranges ORDER BY {in_order} LIMIT :limit OFFSET :offset"
        return f"SELECT * FROM {self.listing.table} WHERE workspace_id = :workspace_id AND id IN ({ids})"

    async def _read(self, rows: str, values: dict[str, Any], window: Window) -> tuple[list[Row], int]:
        if self.listing.size:
            values["share"] = PAGE_BYTES // window.limit
        found = await self._run(_page_of(self.listing, self.selection.order, rows, self._total()), values)
        if found:
            return found, found[0]["total"]
        total = await self._count()
        # A row that was added since the page was read is not of this page's total.
        return [], total if window.after else min(total, window.offset)

    async def _count(self) -> int:
        [row] = await self._run(sql("SELECT {total}", total=self._total()), self.selection.where.values)
        total: int = row["total"]
        return total

    def _total(self) -> str:
        """The columns `total`, and `version` if totals are kept: null when the total is true at this time only."""
        if self.totals is None:
            return f"{self.selection.count} AS total"
        versions = self.listing.versions
        version = f"""
    (SELECT coalesce(sum(version), 0)::bigint FROM feed_versions
      WHERE workspace_id = :workspace_id AND feed = '{versions}')"""
        may_keep = "true"
        if "horizon" in self.selection.where.values:
            latest = f"max({self.selection.order.moment})"
            may_keep = f"(SELECT {latest} FROM {versions} WHERE workspace_id = :workspace_id) <= :horizon"
        return f"""
    CASE WHEN {may_keep} AND {version} = :known_version THEN :known_total ELSE {self.selection.count} END AS total,
    CASE WHEN {may_keep} THEN {version} END AS version"""

    async def _run(self, statement: Statement, values: dict[str, Any]) -> list[Row]:
        """Runs a statement that has a total, and keeps the total."""
        if self.totals is None:
            return await self.tx.rows(statement, **{name: values[name] for name in statement.names})
        version, total = self.totals.get(self.key, (-1, 0))
        values = values | {"known_version": version, "known_total": total}
        used = {name: values[name] for name in statement.names}  # the total alone has no use for those of the ranges
        rows = await self.tx.rows(statement, **used)
        if rows and rows[0]["version"] is not None:
            self.totals.keep(self.key, rows[0]["version"], rows[0]["total"])
        return rows


def _key_of(listing: Listing, selection: Selection) -> bytes:
    """The key of a total: hashed, since the values of a filter may be long."""
    values = sorted((name, value) for name, value in selection.where.values.items() if name != "horizon")
    return blake2b(repr((listing.versions, selection.count, values)).encode(), digest_size=16).digest()


def _position_of(row: Row, order: Order) -> Position:
    return Position(order.name, row["moment"] or datetime.fromisoformat(row[order.moment]), row["tie"])


def _portion_of(listing: Listing, selection: Selection) -> tuple[Statement, dict[str, Any]]:
    """The statement for records of a page by their ids, and its other values.

    Leaves out records that were written after the selection's horizon: the client would start again too late.
    """
    values: dict[str, Any] = {"workspace_id": selection.where.workspace_id}
    still = ""
    if "horizon" in selection.where.values:
        still = f" AND {listing.name}.{selection.order.moment} <= :horizon"
        values["horizon"] = selection.where.values["horizon"]
    columns = listing.large_columns or listing.columns
    return sql(_PORTION, table=listing.table, alias=listing.name, columns=columns, still=still), values


@lru_cache(maxsize=1024)
def _page_of(listing: Listing, order: Order, rows: str, total: str) -> Statement:
    """The statement of a page; composing it costs more than looking it up."""
    alias = listing.name
    return sql(
        _PAGE_OF_TEXTS if listing.size else _PAGE,
        rows=rows,
        alias=alias,
        columns=listing.columns,
        size=listing.size,
        order=order.clause(alias),
        moment=order.moment,
        tie=order.tie,
        total=total,
    )
