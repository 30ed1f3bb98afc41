"""A feed: a list that others read to its end, however long it is, and under filters.

A page is put together from streams. Each is a range of rows that one index holds in the feed's order, so no more of it
is read than the page may need; a row that stands in several is shown once. The exact total is counted in the statement
of the page, and only when the feed has moved since it was counted last.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

from sightline.platform.db.database import Row, Tx
from sightline.platform.db.sql import Position, Where, Window
from sightline.platform.errors import ValidationFailed

MOST_TOTALS = 10_000
_NOT_KEPT = -1
_NEVER = "false"
_FAR = 5_000

# Keys first, then rows: what an offset skips is read from the indexes alone. One more than asked for tells of a next.
# There is a row also when the page is empty, for the total.
_PAGE = """
WITH version AS MATERIALIZED (
    SELECT CASE WHEN {unless} THEN {not_kept} ELSE
        (SELECT coalesce(sum(version), 0)::bigint FROM feed_versions WHERE workspace_id = $1 AND feed = '{feed}')
    END AS feed_version),
state AS MATERIALIZED (
    SELECT feed_version, CASE WHEN feed_version = {known}::bigint THEN {kept}::bigint ELSE {count} END AS total
      FROM version),
found AS MATERIALIZED (
    SELECT id AS found_id FROM ({streams}) AS streams ORDER BY {direction} LIMIT {length} OFFSET {offset})
SELECT {columns}, total, feed_version
  FROM state LEFT JOIN (found JOIN {table} ON workspace_id = $1 AND id = found_id) ON true ORDER BY {order}"""

# A page that is nearer to the end is read from there: how far that is, the exact total says.
_LENGTH_FROM_END = "(SELECT greatest(0, least({length}::bigint, total - {offset}::bigint)) FROM state)"
_OFFSET_FROM_END = "(SELECT greatest(0, total - {offset}::bigint - {length}::bigint) FROM state)"
_REACH_FROM_END = "(SELECT greatest(0, total - {offset}::bigint) FROM state)"

_STREAM = "(SELECT {keys} FROM {source} WHERE {where} ORDER BY {order} LIMIT {reach})"


@dataclass(frozen=True, slots=True)
class Order:
    """A total order: by a moment, then by what tells equal moments apart. `name` stands in cursors."""

    name: str
    moment: str
    tie: str
    tie_type: type[int] | type[UUID]
    is_descending: bool = False

    def clause(self, *, from_end: bool = False) -> str:
        is_descending = self.is_descending is not from_end
        return f"{self.moment} DESC, {self.tie} DESC" if is_descending else f"{self.moment}, {self.tie}"

    @property
    def keys(self) -> str:
        """The columns by which a row is found and put in its place."""
        return ", ".join(dict.fromkeys(("id", self.moment, self.tie)))

    def after(self, where: Where, position: Position) -> str:
        """The condition of everything that follows a position. Raises ValidationFailed for one of another order."""
        if position.order != self.name or not isinstance(position.tie, self.tie_type):
            raise ValidationFailed.of("after", "Belongs to another list, or to another order of this one")
        moment, tie = where.value(position.moment), where.value(position.tie)
        return f"({self.moment}, {self.tie}) {'<' if self.is_descending else '>'} ({moment}, {tie})"


class Stream(NamedTuple):
    """A range of rows: columns `id` and the order's, from a table or a view of one, under conditions."""

    source: str
    conditions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """What of a feed is wanted. `where` numbers the values of all the texts.

    `count` gives the number of rows as an expression. `unless` is a condition under which that number holds for this
    moment only, whatever becomes of the feed; `identity` tells apart what is counted.
    """

    where: Where
    order: Order
    streams: Sequence[Stream]
    count: str
    identity: tuple[Any, ...]
    unless: str = _NEVER


@dataclass(frozen=True, slots=True)
class Feed:
    """A table that is read as a feed: what is shown of a row, and the row's place in an order."""

    name: str
    table: str
    columns: str
    place: Callable[[Row, Order], Position]


class FeedPage(NamedTuple):
    """Rows of the feed's columns, how many there are in all, and where the next page begins, if there is one."""

    rows: list[Row]
    total: int
    after: Position | None


@dataclass(slots=True)
class Totals:
    """What was counted, in this process: the longest unused goes first."""

    most: int = MOST_TOTALS
    known: OrderedDict[tuple[Any, ...], tuple[int, int]] = field(default_factory=OrderedDict)

    def find(self, key: tuple[Any, ...]) -> tuple[int, int]:
        """The version of the feed at which it was counted, and the total."""
        if key not in self.known:
            return _NOT_KEPT - 1, 0
        self.known.move_to_end(key)
        return self.known[key]

    def keep(self, key: tuple[Any, ...], version: int, total: int) -> None:
        if version == _NOT_KEPT:
            return
        self.known[key] = version, total
        self.known.move_to_end(key)
        if len(self.known) > self.most:
            self.known.popitem(last=False)


async def read_feed(tx: Tx, feed: Feed, wanted: Selection, window: Window, totals: Totals) -> FeedPage:
    """Raises ValidationFailed for a position of another order."""
    key = (feed.name, wanted.where.workspace_id, *wanted.identity)
    is_far = window.after is None and window.offset >= _FAR
    if is_far and key not in totals.known:
        await read_feed(tx, feed, wanted, Window(1), totals)
    version, kept = totals.find(key)
    where = wanted.where.copy()
    statement = _PAGE.format(
        columns=feed.columns,
        table=feed.table,
        feed=feed.name,
        order=wanted.order.clause(),
        count=wanted.count,
        unless=wanted.unless,
        not_kept=_NOT_KEPT,
        known=where.value(version),
        kept=where.value(kept),
        **_found(where, wanted, window, from_end=is_far and window.offset > kept // 2),
    )
    rows = await tx.rows(statement, *where.values)
    total, seen = rows[0][-2:]
    totals.keep(key, seen, total)
    if rows[0][0] is None:
        return FeedPage([], total, None)
    shown = rows[: window.limit]
    return FeedPage(shown, total, feed.place(shown[-1], wanted.order) if len(rows) > len(shown) else None)


def _found(where: Where, wanted: Selection, window: Window, *, from_end: bool) -> dict[str, str]:
    """How the keys of a page are found. With a position the offset only says how many lie before it."""
    skipped = window.offset if window.after is None else 0
    length, offset = where.value(window.limit + 1), where.value(skipped)
    reach = f"{length}::bigint + {offset}::bigint"
    after = () if window.after is None else (wanted.order.after(where, window.after),)
    if from_end:
        bounds = {"length": length, "offset": offset}
        length, offset, reach = (
            text.format(**bounds) for text in (_LENGTH_FROM_END, _OFFSET_FROM_END, _REACH_FROM_END)
        )
    direction = wanted.order.clause(from_end=from_end)
    streams = [
        _STREAM.format(
            keys=wanted.order.keys,
            source=stream.source,
            where=" AND ".join((*stream.conditions, *after)),
            order=direction,
            reach=reach,
        )
        for stream in wanted.streams
    ]
    return {"streams": " UNION ".join(streams), "direction": direction, "length": length, "offset": offset}
