"""A worker's hold of a job: it writes only while no other worker has taken the job over."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta
from typing import NamedTuple

from sightline.platform.db import Database, Tx
from sightline.platform.jobs import queries


class HoldLost(Exception):
    """Another worker has the job now: this one sent no heartbeat for too long, or is shutting down."""


class Hold(NamedTuple):
    """One run of a job. No two runs of a job have the same number."""

    id: int
    run: int


class HeldDatabase(Database):
    """The worker's database as a handler sees it: `transaction` raises HoldLost when another worker has the job.

    While such a transaction is open the job cannot be taken over, so its commit is never too late. If a worker freezes
    inside one, the server ends its session after `frozen_after`.
    """

    def __init__(self, db: Database, hold: Hold, frozen_after: timedelta) -> None:
        vars(self).update(vars(db))  # the same pool
        self.is_lost = False
        self._hold = hold._asdict()
        self._frozen_after = f"{max(1, int(frozen_after.total_seconds() * 1000))}ms"

    def transaction(self) -> AbstractAsyncContextManager[Tx]:
        return self._held()

    @asynccontextmanager
    async def _held(self) -> AsyncIterator[Tx]:
        async with self._transaction() as tx:
            if not await tx.value(queries.HOLD, frozen_after=self._frozen_after, **self._hold):
                self.is_lost = True
                raise HoldLost
            yield tx


async def ensure_held(db: Database) -> None:
    """Raises HoldLost when another worker has taken the job over; call it before a costly outside request.

    Does nothing outside of jobs.
    """
    if isinstance(db, HeldDatabase):
        async with db.transaction():
            pass
