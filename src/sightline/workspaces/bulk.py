"""Numbers, counts and changes for many records at once."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from sightline.platform.access import Actor
from sightline.platform.db import Database, Tx, sql
from sightline.platform.db.sql import columns
from sightline.platform.ids import new_id
from sightline.workspaces.changes import slot

TAKE = sql("""
    INSERT INTO public_numbers AS numbers (workspace_id, kind, last) VALUES (:workspace_id, :kind, :count)
    ON CONFLICT (workspace_id, kind) DO UPDATE SET last = numbers.last + :count
    RETURNING last""")

RAISE = sql("""
    INSERT INTO public_numbers AS numbers (workspace_id, kind, last) VALUES (:workspace_id, :kind, :number)
    ON CONFLICT (workspace_id, kind) DO UPDATE SET last = :number WHERE numbers.last < :number""")

_COUNT = sql("""
    INSERT INTO record_counts AS counts (workspace_id, kind, slot, count)
    VALUES (:workspace_id, :kind, :slot, :count)
    ON CONFLICT (workspace_id, kind, slot) DO UPDATE SET count = counts.count + :count""")


class Numbers:
    """Public numbers in blocks.

    `inside`: takes numbers in this transaction, for a workspace that it creates. No other request waits for the row.
    Otherwise each block is a statement on another connection, so that other requests do not wait. What is not stored
    then leaves a gap in the numbers.
    """

    def __init__(self, db: Database, tx: Tx, workspace_id: UUID, *, inside: bool) -> None:
        self.db = db
        self.tx = tx
        self.workspace_id = workspace_id
        self.inside = inside

    async def take(self, kind: str, count: int) -> Sequence[int]:
        """Returns `count` numbers, which grow."""
        if self.inside:
            last = await self.tx.value(TAKE, workspace_id=self.workspace_id, kind=kind, count=count)
        else:
            async with self.db.autocommit() as alone:
                last = await alone.value(TAKE, workspace_id=self.workspace_id, kind=kind, count=count)
        return range(last - count + 1, last + 1)

    async def raise_to(self, kind: str, number: int) -> None:
        """Raises the next number above this one."""
        if self.inside:
            await self.tx.run(RAISE, workspace_id=self.workspace_id, kind=kind, number=number)
        else:
            async with self.db.autocommit() as alone:
                await alone.run(RAISE, workspace_id=self.workspace_id, kind=kind, number=number)

    async def give_back(self) -> None:
        """Called when nothing is stored. Does nothing: a transaction that took the numbers itself loses them."""

    async def settle(self, tables: Mapping[str, str]) -> None:
        """Called when everything is stored. `tables`: by kind. Does nothing, as each number was taken at once."""


async def add_to_counts(tx: Tx, workspace_id: UUID, growth: Mapping[str, int]) -> None:
    """Adds to the stored counts, by kind of record. Call it last in a transaction: the rows stay locked."""
    for kind, count in sorted(growth.items()):
        if count:
            await tx.run(_COUNT, workspace_id=workspace_id, kind=kind, slot=slot(tx), count=count)


_CHANGE = columns("workspace_id, id, kind, record_id, public_id, action, actor_kind, actor_id, at, detail")


async def log_changes(
    tx: Tx, actor: Actor, kind: str, action: str, changes: Iterable[tuple[UUID, str | None, dict[str, Any]]]
) -> None:
    """Adds one change for each record: id, public id and detail, which has names of fields, no texts."""
    rows = (
        (actor.workspace_id, new_id(), kind, id, public_id, action, actor.kind, actor.id, tx.now, detail)
        for id, public_id, detail in changes
    )
    await tx.connection.copy_records_to_table("changes", records=rows, columns=_CHANGE)
