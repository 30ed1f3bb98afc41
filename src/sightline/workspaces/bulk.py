"""Numbers and counts for many records at once."""

from collections.abc import Mapping
from random import getrandbits
from uuid import UUID

from sightline.platform.db import Database, Tx

_TAKE = """
INSERT INTO public_numbers AS numbers (workspace_id, kind, last) VALUES ($1, $2, $3)
ON CONFLICT (workspace_id, kind) DO UPDATE SET last = numbers.last + $3
RETURNING last"""

_RAISE = """
INSERT INTO public_numbers AS numbers (workspace_id, kind, last) VALUES ($1, $2, $3)
ON CONFLICT (workspace_id, kind) DO UPDATE SET last = $3 WHERE numbers.last < $3"""

_COUNT = """
INSERT INTO record_counts AS counts (workspace_id, kind, slot, count) VALUES ($1, $2, $3, $4)
ON CONFLICT (workspace_id, kind, slot) DO UPDATE SET count = counts.count + $4"""


class Numbers:
    """Public numbers in blocks.

    In a workspace that this transaction makes, nobody else waits for the row, and a refusal takes it away again.
    Elsewhere each block is a statement of its own on another connection: others go on, a refusal leaves a hole.
    """

    def __init__(self, db: Database, tx: Tx, workspace_id: UUID, *, inside: bool) -> None:
        self.db = db
        self.tx = tx
        self.workspace_id = workspace_id
        self.inside = inside

    async def take(self, kind: str, count: int) -> int:
        """The first of `count` numbers that follow each other."""
        if self.inside:
            last = await self.tx.value(_TAKE, self.workspace_id, kind, count)
        else:
            async with self.db.read() as alone:
                last = await alone.value(_TAKE, self.workspace_id, kind, count)
        first: int = last - count + 1
        return first

    async def raise_to(self, kind: str, number: int) -> None:
        """No number up to this one is given out any more."""
        if self.inside:
            await self.tx.run(_RAISE, self.workspace_id, kind, number)
        else:
            async with self.db.read() as alone:
                await alone.run(_RAISE, self.workspace_id, kind, number)


async def add_to_counts(tx: Tx, workspace_id: UUID, growth: Mapping[str, int]) -> None:
    """By kind of record: how many came, less those that went. Last in a transaction, as the rows stay locked."""
    for kind, count in sorted(growth.items()):
        if count:
            await tx.run(_COUNT, workspace_id, kind, getrandbits(4), count)
