"""When each key was last used, written down every few seconds instead of with every request."""

import asyncio
import logging
from contextlib import suppress
from uuid import UUID

from sightline.platform.db import Database
from sightline.workspaces import queries

WRITE_SECONDS = 5.0

_log = logging.getLogger(__name__)


class KeyUsage:
    """`seen` are the keys used since the last writing; the moment written is that of the writing."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._task: asyncio.Task[None] | None = None
        self.seen: set[UUID] = set()

    def start(self) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._keep_writing())

    async def stop(self) -> None:
        """Writes what is left, if the database answers."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        await self.write()

    async def _keep_writing(self) -> None:
        while True:
            await asyncio.sleep(WRITE_SECONDS)
            await self.write()

    async def write(self) -> None:
        """One statement for all keys. What cannot be written is kept for the next time."""
        if not self.seen:
            return
        used = sorted(self.seen)
        self.seen.clear()
        try:
            async with asyncio.timeout(WRITE_SECONDS), self._db.read() as tx:
                await queries.save_last_used(tx, used)
        except Exception as error:  # whatever it was, the next writing tries again
            self.seen.update(used)
            _log.warning("When keys were last used is not written yet: %s", error)
        except asyncio.CancelledError:
            self.seen.update(used)
            raise
