"""What a list is: its order, what it shows, and which rows a filter selects."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from msgspec import Struct

from sightline.platform.db.database import Tx
from sightline.platform.db.horizon import find_horizon
from sightline.platform.db.sql import Position, Where
from sightline.platform.errors import ValidationFailed


@dataclass(frozen=True, slots=True)
class Order:
    """A total order: by a time, then by a column that orders equal times. `name` appears in cursors.

    Without `has_cursor` the first column may be anything; such an order is read by offset only. `tie_ascends`: equal
    times are in ascending order, whatever the order of the times.
    """

    name: str
    moment: str
    tie: str
    tie_type: type[int] | type[UUID]
    is_descending: bool = False
    has_cursor: bool = True
    tie_ascends: bool = False

    def clause(self, table: str = "", *, from_end: bool = False) -> str:
        """The columns to order by, qualified with the table if there is one."""
        prefix, tie_descends = f"{table}." if table else "", self.is_descending and not self.tie_ascends
        descends = (self.is_descending is not from_end, tie_descends is not from_end)
        moment, tie = (" DESC" if each else "" for each in descends)
        return f"{prefix}{self.moment}{moment}, {prefix}{self.tie}{tie}"

    def after(self, where: Where, position: Position) -> str:
        """Returns the condition for all rows after a position. Raises ValidationFailed for one of another order."""
        if not self.has_cursor or position.order != self.name or not isinstance(position.tie, self.tie_type):
            raise ValidationFailed.of("after", "Belongs to another list, or to another order of this one")
        moment, tie = where.value("after_moment", position.moment), where.value("after_tie", position.tie)
        return f"({self.moment}, {self.tie}) {'<' if self.is_descending else '>'} ({moment}, {tie})"


@dataclass(frozen=True, slots=True)
class Listing:
    """A list: a table or a FROM item, its alias if it is not the table's name, its columns, and its own order.

    The first columns are the fields of `record`, in their order, unless the list turns rows into records itself.
    `count` is an expression for its length when nothing is filtered; it may use `:workspace_id`. `size`, where records
    may be large, is an expression for the bytes of one (see `stored_size`); the columns then have `id`, and each
    `moment` as `iso` writes it. `versions` is the table whose changes are counted (see the triggers `move_feed`), so
    that totals can be kept. Records that are read in portions have the `large_columns`, if they differ: what would be
    many Python objects may come as JSON.
    """

    table: str
    record: type[Struct]
    columns: str
    order: Order
    count: str = "0"
    size: str = ""
    alias: str = ""
    versions: str = ""
    large_columns: str = ""

    @property
    def name(self) -> str:
        return self.alias or self.table

    @property
    def changed(self) -> Order:
        """The order of changes: the oldest first."""
        return Order(f"{self.name}.changed", "updated_at", "id", UUID)


@dataclass(frozen=True, slots=True)
class Selection:
    """The rows of a list that a filter selects, as conditions that indexes answer in the list's order."""

    where: Where  # the values that the other fields name; `horizon` is the last time of writing (see `changed_since`)
    order: Order
    source: str  # the table or FROM item of the rows
    ranges: Sequence[str]  # conditions of which a row meets at least one; one index answers each in the list's order
    count: str  # an expression for the number of rows; equal filters have equal texts, by which totals are kept
    # A query, where only the database knows how many ranges there are, such as the insights of an account: each range
    # is read for every row, which it names `each`, as in `record_id = each.record_id`.
    each: str = ""

    @property
    def is_filtered(self) -> bool:
        """Whether it selects by more than times. How rare a value is, PostgreSQL knows only with the value."""
        return not self.where.values.keys() <= {"workspace_id", "horizon", "since"}


def select_rows(listing: Listing, where: Where, order: Order) -> Selection:
    """Selects rows of the list's table as one range."""
    count = listing.count if where.is_everything else f"(SELECT count(*) FROM {listing.table} WHERE {where})"
    return Selection(where, order, listing.table, [str(where)], count)


async def changed_since(tx: Tx, where: Where, moment: str, since: datetime | None) -> list[str]:
    """Returns the conditions for rows written at or after a time, up to the horizon, and adds their values.

    `moment` is the column with the time of writing. No row is ever added among the selected ones, so a client
    that starts again at the latest time it received misses none.
    """
    conditions = [f"{moment} <= {where.value('horizon', await find_horizon(tx))}"]
    if since is not None:
        conditions.append(f"{moment} >= {where.value('since', since)}")
    return conditions
