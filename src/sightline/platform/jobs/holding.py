"""A worker's hold of a job: what it writes is written only while nobody else has taken the job over."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from sightline.platform.db import Database, Tx
from sightline.platform.jobs import queries


class HoldLost(Exception):
    """The job is somebody else's now: this worker was silent for too long, or was told to end."""


@dataclass(frozen=True, slots=True)
class Hold:
    """One attempt of one worker at one job. No two attempts at a job are the same."""

    job_id: int
    worker_id: UUID
    attempt: int


class HeldDatabase(Database):
    """The worker's database as a handler sees it: `write` raises HoldLost when the job is not its own any more.

    While such a transaction is open the job cannot be taken over, so its commit is never one too late. A worker that
    freezes inside one is thrown out by the server after `frozen_after`.
    """

    def __init__(self, db: Database, hold: Hold, frozen_after: timedelta) -> None:
        self.pool, self.clock, self.idle, self.turns = db.pool, db.clock, db.idle, db.turns
        self.hold = hold
        self.is_lost = False
        self._frozen_after = f"{max(1, int(frozen_after.total_seconds() * 1000))}ms"

    def write(self) -> AbstractAsyncContextManager[Tx]:
        return self._held()

    @asynccontextmanager
    async def _held(self) -> AsyncIterator[Tx]:
        async with self._transaction() as tx:
            hold = self.hold
            self._lose_unless(
                await tx.value(queries.HOLD, hold.job_id, hold.worker_id, hold.attempt, self._frozen_after)
            )
            yield tx

    async def ensure_held(self) -> None:
        async with self.read() as tx:
            self._lose_unless(await tx.value(queries.IS_HELD, self.hold.job_id, self.hold.worker_id, self.hold.attempt))

    def _lose_unless(self, is_held: object) -> None:
        if not is_held:
            self.is_lost = True
            raise HoldLost


async def ensure_held(db: Database) -> None:
    """Raises HoldLost when the running job is somebody else's by now: to ask before something costly outside.

    Does nothing outside of jobs.
    """
    if isinstance(db, HeldDatabase):
        await db.ensure_held()
