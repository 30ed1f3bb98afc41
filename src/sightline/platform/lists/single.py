"""One record: a small one is read at once, a large one when no other is."""

from dataclasses import dataclass
from typing import Any

from sightline.platform.db.database import Row, Tx
from sightline.platform.db.sql import Statement, sql

SMALL_BYTES = 64 * 1024
_MOST_CHANGED_AT_ONCE = 1024 * 1024  # as much as a body may have: larger records are made by files
ANY_BYTES = 2**31 - 1


class LargeRecord(Exception):
    """What was to be read at once is large. The endpoint then calls the handler again in the turn for large records."""


@dataclass(frozen=True, slots=True)
class SingleRecord:
    """The statements for a record: if it is small, of any size, and whether it is there."""

    small: Statement
    whole: Statement
    known: Statement

    @classmethod
    def of(cls, rows: str, columns: str, size: str, large_columns: str = "", *, lock: str = "") -> "SingleRecord":
        """`rows` is what follows FROM; the columns and `size` are what they are of a Listing.

        `lock` is for a record to be changed, such as `FOR UPDATE`: up to 1 MiB is then small.
        """
        most = _MOST_CHANGED_AT_ONCE if lock else SMALL_BYTES
        return cls(
            sql(f"SELECT {columns} FROM {rows} AND ({size}) <= {most} {lock}"),
            sql(f"SELECT {large_columns or columns} FROM {rows} {lock}"),
            sql(f"SELECT FROM {rows}"),
        )

    @classmethod
    def by_reference(
        cls, table: str, columns: str, size: str, large_columns: str = "", *, lock: str = ""
    ) -> "dict[str, SingleRecord]":
        """The statements for each form of a reference, by `Ref.column`."""
        rows = f"{table} WHERE workspace_id = :workspace_id AND"
        return {
            column: cls.of(f"{rows} {column} = :ref", columns, size, large_columns, lock=lock)
            for column in ("id", "number")
        }

    async def find(self, tx: Tx, *, at_once: bool, **values: Any) -> Row:
        """Returns the row. Raises NotFound, and LargeRecord for a large one that is read `at_once`."""
        if not at_once:
            return await tx.found(self.whole, **values)
        row = await tx.row(self.small, **values)
        if row is None:
            await tx.found(self.known, **values)
            raise LargeRecord
        return row
