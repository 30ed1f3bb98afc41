"""Public numbers for an existing workspace: taken when nothing in the file is left to refuse."""

from collections import Counter
from collections.abc import Mapping
from uuid import UUID

from sightline.platform.db import Database, Tx, sql
from sightline.workspaces.bulk import Numbers

_NUMBER_ROWS = "UPDATE {table} SET number = :before - number WHERE workspace_id = :workspace_id AND number < 0"
_NUMBER_CHANGES = sql("""
    UPDATE changes SET public_id = :prefix::text || (:before - substr(public_id, length(:prefix) + 1)::bigint)
     WHERE written = pg_current_xact_id() AND workspace_id = :workspace_id
       AND starts_with(public_id, :prefix || '-')""")


class LateNumbers(Numbers):
    """Gives -1, -2, ... for a while, which no other transaction sees; `settle` replaces them.

    A refused file takes no number. If another request takes a number that the file gives, one of the two starts again.
    """

    def __init__(self, db: Database, tx: Tx, workspace_id: UUID) -> None:
        super().__init__(db, tx, workspace_id, inside=False)
        self.counts: Counter[str] = Counter()
        self.largest: dict[str, int] = {}

    async def take(self, kind: str, count: int) -> range:
        """Returns `count` numbers, in the order of the records that get them."""
        last = self.counts[kind]
        self.counts[kind] += count
        return range(-last - 1, -last - 1 - count, -1)

    async def raise_to(self, kind: str, number: int) -> None:
        """Keeps the largest number that the file gives."""
        self.largest[kind] = number

    async def settle(self, tables: Mapping[str, str]) -> None:
        """Takes the numbers, and gives them to the rows and the trail."""
        for kind, number in self.largest.items():
            await super().raise_to(kind, number)
        for kind, count in self.counts.items():
            values = {"workspace_id": self.workspace_id, "before": (await super().take(kind, count))[0] - 1}
            await self.tx.run(sql(_NUMBER_ROWS, table=tables[kind]), **values)
            await self.tx.run(_NUMBER_CHANGES, **values, prefix=f"{kind.upper()}-")
