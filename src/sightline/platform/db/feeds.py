"""A feed: a list that others read to its end, however long it is and under any filter.

A page is read from the front of one index or several, in one statement with its total, and names the position after
which the next one begins. Of a record that exceeds its share of 1 MiB only the id and the size are read; from the first
such record on the page is read in portions of 256 KiB. The statements are written out in docs/decisions/0021-feeds.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple
from uuid import UUID

from sightline.platform.db.database import Row, Tx
from sightline.platform.db.horizon import find_horizon
from sightline.platform.db.pages import IDS_FIRST_FROM, rows_by_id
from sightline.platform.db.sql import Position, Statement, Where, Window, sql
from sightline.platform.errors import ValidationFailed

PAGE_BYTES = 1024 * 1024  # what the records of a page that are read at once may have together
PORTION_BYTES = 256 * 1024  # a record that is larger is a portion of its own
BYTES_OF_TOTALS = 8 * 1024 * 1024
BYTES_OF_A_TOTAL = 384  # a hashed key, two numbers, and their place in the dictionary

# From this offset on it is worth knowing the total before the page, to read a late page from the end.
_FAR = 5_000
# Of a limit that is a value PostgreSQL assumes a tenth of the rows, so it plans each page again, which takes longer
# than to read it. Below this limit, which it knows, it keeps the plan.
_MOST_ROWS = 101
_COMPRESSED = 8  # how much larger a compressed value counts: text has a third of its size, repetition a hundredth

_PAGE = """
SELECT {columns}, {alias}.{moment} AS moment, {alias}.{tie} AS tie, {total}
  FROM ({rows}) AS {alias}
 ORDER BY {order}"""
# The columns of a large record are null, and those of its place and size are null for the others: null is not decoded.
_PAGE_OF_TEXTS = """
SELECT shown.*, {alias}.{tie} AS tie, {total},
       CASE WHEN shown.id IS NULL THEN {alias}.id END AS large_id,
       CASE WHEN shown.id IS NULL THEN {alias}.bytes END AS bytes,
       CASE WHEN shown.id IS NULL THEN {alias}.{moment} END AS moment
  FROM (SELECT *, ({size})::bigint AS bytes FROM ({rows}) AS {alias}) AS {alias}
  LEFT JOIN LATERAL (SELECT {columns} WHERE bytes <= :share) AS shown ON true
 ORDER BY {order}"""
_PORTION = """
SELECT {columns} FROM {table}
 WHERE workspace_id = :workspace_id AND id = ANY(:ids::uuid[]){still} ORDER BY array_position(:ids::uuid[], id)"""


@dataclass(frozen=True, slots=True)
class Order:
    """A total order: by a time, then by a column that orders equal times. `name` appears in cursors.

    Without `has_cursor` the first column may be a number; such an order is read by offset only.
    """

    name: str
    moment: str
    tie: str
    tie_type: type[int] | type[UUID]
    is_descending: bool = False
    has_cursor: bool = True

    def clause(self, table: str = "", *, from_end: bool = False) -> str:
        """The columns to order by, qualified with the table if there is one."""
        prefix, direction = f"{table}." if table else "", " DESC" if self.is_descending is not from_end else ""
        return f"{prefix}{self.moment}{direction}, {prefix}{self.tie}{direction}"

    def after(self, where: Where, position: Position) -> str:
        """Returns the condition for all rows after a position. Raises ValidationFailed for one of another order."""
        if not self.has_cursor or position.order != self.name or not isinstance(position.tie, self.tie_type):
            raise ValidationFailed.of("after", "Belongs to another list, or to another order of this one")
        moment, tie = where.value("after_moment", position.moment), where.value("after_tie", position.tie)
        return f"({self.moment}, {self.tie}) {'<' if self.is_descending else '>'} ({moment}, {tie})"


@dataclass(frozen=True, slots=True)
class Selection:
    """The part of a feed that a filter selects.

    `ranges` are conditions on rows of `source`, each of which one index answers in the feed's order; a row may be in
    several. `count` is an expression for the number of rows, and equal for equal filters. `where` holds the values that
    all of these name; one that is named `horizon`, of `changed_since`, is the time after which rows are left out.
    `each`, if the number of ranges is known to the database alone, is a query: the ranges hold for each of its rows,
    which they call `each`.
    """

    where: Where
    order: Order
    source: str
    ranges: Sequence[str]
    count: str
    each: str = ""

    @property
    def is_filtered(self) -> bool:
        """Whether anything but times is asked for. How rare a value is, is known only with the value."""
        return not self.where.values.keys() <= {"workspace_id", "horizon", "since"}


def select_rows(table: str, where: Where, order: Order, count: str) -> Selection:
    """Selects rows of one table as one range. `count` is the number of all rows, for when nothing is filtered."""
    if not where.is_everything:
        count = f"(SELECT count(*) FROM {table} WHERE {where})"
    return Selection(where, order, table, [str(where)], count)


@dataclass(frozen=True, slots=True)
class Feed:
    """What is shown of a feed: a table or a FROM item, its alias if it is not the table's name, and its columns.

    `size`, where records may be large, is an expression for the bytes of one (see `stored_size`); the columns then have
    `id`, and each `moment` as `iso` writes it. `versions` is the table whose changes are counted (see the triggers
    `move_feed`), so that totals can be kept.
    """

    table: str
    columns: str
    size: str = ""
    alias: str = ""
    versions: str = ""

    @property
    def name(self) -> str:
        return self.alias or self.table


class FeedPage(NamedTuple):
    """Rows with the feed's columns, the ids of those still to be read, the total, and where the next page begins."""

    rows: list[Row]
    rest: list[list[UUID]]
    total: int
    after: Position | None


class Totals(dict[bytes, tuple[int, int]]):
    """The totals that this process counted, each after the version of its feed; forgets the least recently read."""

    def __init__(self, most: int = BYTES_OF_TOTALS // BYTES_OF_A_TOTAL) -> None:
        self.most = most

    def keep(self, key: bytes, version: int, total: int) -> None:
        self.pop(key, None)
        self[key] = version, total
        if len(self) > self.most:
            del self[next(iter(self))]


async def changed_since(tx: Tx, where: Where, moment: str, since: datetime | None) -> list[str]:
    """Returns the conditions for rows written at or after a time, up to the horizon, and adds their values.

    `moment` is the column with the time of writing. No row is ever added among the selected ones, so a client
    that starts again at the latest time it received misses none.
    """
    conditions = [f"{moment} <= {where.value('horizon', await find_horizon(tx))}"]
    if since is not None:
        conditions.append(f"{moment} >= {where.value('since', since)}")
    return conditions


async def read_feed(tx: Tx, feed: Feed, selection: Selection, window: Window, totals: Totals | None = None) -> FeedPage:
    """Reads a page; keeps its total in `totals`, if the feed has versions.

    Raises ValidationFailed for a position of another order.
    """
    reading = _Reading(tx, feed, selection, totals)
    if totals is not None and window.after is None and window.offset >= _FAR:
        total = await reading.count()
        if total // 2 < window.offset < total:
            page = await reading.page_from_end(window, total)
            if page.total == total:  # otherwise the feed has changed, and the rows are others
                return page
    return await reading.page(window)


async def read_portion(tx: Tx, feed: Feed, selection: Selection, ids: Sequence[UUID]) -> list[Row]:
    """Returns the columns of these records of a page, in the order of the ids.

    Leaves out records that were deleted meanwhile, or written after the selection's horizon: the client would start
    again too late.
    """
    values: dict[str, Any] = {"workspace_id": selection.where.workspace_id, "ids": ids}
    still = ""
    if "horizon" in selection.where.values:
        still = f" AND {feed.name}.{selection.order.moment} <= :horizon"
        values["horizon"] = selection.where.values["horizon"]
    return await tx.rows(sql(_PORTION, table=feed.table, columns=feed.columns, still=still), **values)


def stored_size(*columns: str) -> str:
    """An expression for the bytes that columns of variable length hold, without reading them."""
    return " + ".join(
        f"coalesce(pg_column_size({column}) * "
        f"CASE WHEN pg_column_compression({column}) IS NULL THEN 1 ELSE {_COMPRESSED} END, 0)"
        for column in columns
    )


class _Reading:
    """Reads pages of a selection, each with its total in the same statement."""

    def __init__(self, tx: Tx, feed: Feed, selection: Selection, totals: Totals | None) -> None:
        self.tx = tx
        self.feed = feed
        self.selection = selection
        self.totals = totals
        self.key = b"" if totals is None else _key_of(feed, selection)

    async def count(self) -> int:
        """The total alone."""
        [row] = await self._run(sql("SELECT {total}", total=self._total()), self.selection.where.values)
        total: int = row["total"]
        return total

    async def page(self, window: Window) -> FeedPage:
        """The page after the window's position, or else at its offset."""
        values = self.selection.where.values | {"limit": window.limit, "offset": window.offset}
        ranges = self.selection.ranges
        if window.after is not None:
            where = self.selection.where.copy()
            after = self.selection.order.after(where, window.after)
            ranges = [f"{one} AND {after}" for one in ranges]
            values = where.values | {"limit": window.limit + 1, "offset": 0}
        if self.selection.source == self.feed.table and len(ranges) == 1 and values["offset"] < IDS_FIRST_FROM:
            return await self._read(self._rows_in_order(ranges[0], values), values, window)
        values["reach"] = values["limit"] + values["offset"]
        return await self._read(self._rows_by_id(ranges), values, window)

    async def page_from_end(self, window: Window, total: int) -> FeedPage:
        """The page at the window's offset, if the total is this one."""
        reach = total - window.offset
        limit = min(window.limit, reach)
        rows = self._rows_by_id(self.selection.ranges, from_end=True)
        numbers = {"limit": limit, "offset": reach - limit, "reach": reach}
        return await self._read(rows, self.selection.where.values | numbers, window)

    def _rows_in_order(self, range_: str, values: dict[str, Any]) -> str:
        table, order = self.feed.table, self.selection.order.clause()
        rows = f"SELECT * FROM {table} WHERE {range_} ORDER BY {order}"
        if not self.selection.is_filtered and values["offset"] == 0 and values["limit"] <= _MOST_ROWS:
            rows = f"SELECT * FROM ({rows} LIMIT {_MOST_ROWS}) AS {self.feed.name} ORDER BY {order}"
        return f"{rows} LIMIT :limit OFFSET :offset"

    def _rows_by_id(self, ranges: Sequence[str], *, from_end: bool = False) -> str:
        """No range is read further than the page may reach; a row of several ranges is taken once."""
        order, source = self.selection.order, self.selection.source
        columns, in_order = ", ".join(dict.fromkeys(("id", order.moment, order.tie))), order.clause(from_end=from_end)
        parts = [f"(SELECT {columns} FROM {source} WHERE {one} ORDER BY {in_order} LIMIT :reach)" for one in ranges]
        if each := self.selection.each:
            parts = [
                f"SELECT DISTINCT part.* FROM ({each}) AS each CROSS JOIN LATERAL {part} AS part" for part in parts
            ]
        ids = f"SELECT id FROM ({' UNION '.join(parts)}) AS ranges ORDER BY {in_order} LIMIT :limit OFFSET :offset"
        return rows_by_id(self.feed.table, ids)

    async def _read(self, rows: str, values: dict[str, Any], window: Window) -> FeedPage:
        """Reads the page. After a position, one row more shows that there is a next page; at an offset, the total."""
        order = self.selection.order
        if self.feed.size:
            values["share"] = PAGE_BYTES // window.limit
        found = await self._run(_page_of(self.feed, order, rows, self._total()), values)
        if not found:
            total = await self.count()
            # A row that was added since the page was read is not of this page's total.
            return FeedPage([], [], total if window.after else min(total, window.offset), None)
        total, shown = found[0]["total"], found[: window.limit]
        has_more = len(found) > window.limit if window.after else window.offset + len(shown) < total
        after = self._position_of(shown[-1]) if has_more and order.has_cursor else None
        rows_at_once, rest = _split(shown, window.limit) if self.feed.size else (shown, [])
        return FeedPage(rows_at_once, rest, total, after)

    def _position_of(self, row: Row) -> Position:
        order = self.selection.order
        moment: datetime = row["moment"] or datetime.fromisoformat(row[order.moment])
        return Position(order.name, moment, row["tie"])

    def _total(self) -> str:
        """The columns `total`, and `version` if totals are kept: null when the total is true at this time only."""
        if self.totals is None:
            return f"{self.selection.count} AS total"
        version = f"""
    (SELECT coalesce(sum(version), 0)::bigint FROM feed_versions
      WHERE workspace_id = :workspace_id AND feed = '{self.feed.versions}')"""
        may_keep = "true"
        if "horizon" in self.selection.where.values:
            latest = f"max({self.selection.order.moment})"
            may_keep = f"(SELECT {latest} FROM {self.feed.versions} WHERE workspace_id = :workspace_id) <= :horizon"
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


def _key_of(feed: Feed, selection: Selection) -> bytes:
    """The key of a total: hashed, since the values of a filter may be long."""
    values = sorted((name, value) for name, value in selection.where.values.items() if name != "horizon")
    return blake2b(repr((feed.versions, selection.count, values)).encode(), digest_size=16).digest()


@lru_cache(maxsize=1024)
def _page_of(feed: Feed, order: Order, rows: str, total: str) -> Statement:
    """The statement of a page; composing it costs more than looking it up."""
    alias = feed.name
    return sql(
        _PAGE_OF_TEXTS if feed.size else _PAGE,
        rows=rows,
        alias=alias,
        columns=feed.columns,
        size=feed.size,
        order=order.clause(alias),
        moment=order.moment,
        tie=order.tie,
        total=total,
    )


def _split(rows: list[Row], limit: int) -> tuple[list[Row], list[list[UUID]]]:
    """Returns the rows before the first large one, and the ids of that and the others in portions."""
    before = next((n for n, row in enumerate(rows) if row["large_id"] is not None), len(rows))
    portions: list[list[UUID]] = []
    room = 0
    for row in rows[before:]:
        size = row["bytes"] or PAGE_BYTES // limit
        if size > room:
            portions.append([])
            room = PORTION_BYTES
        portions[-1].append(row["large_id"] or row["id"])
        room -= size
    return rows[:before], portions
