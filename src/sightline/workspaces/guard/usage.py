"""The time at which each key was last used: the first at once, later ones every few seconds."""

import asyncio
from uuid import UUID

import structlog

from sightline.platform.db import Database, sql
from sightline.platform.db.database import first_line

WRITE_SECONDS = 5.0

# In the order of ids, so that processes that write the same keys do not deadlock. Returns the keys that are left
# out, since another transaction has them locked, such as one that removes their creator.
_SAVE = sql("""
    WITH due AS (
        SELECT id FROM api_keys WHERE id = ANY(:ids) AND (last_used_at IS NULL OR last_used_at < :now)
    ), free AS (
        SELECT id FROM api_keys WHERE id IN (SELECT id FROM due) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
    ), saved AS (
        UPDATE api_keys k SET last_used_at = :now FROM free WHERE k.id = free.id RETURNING k.id
    )
    SELECT id FROM due WHERE id NOT IN (SELECT id FROM saved)""")


class KeyUsage:
    """Collects used keys in `seen`. The time of the write is stored as their last use."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.seen: set[UUID] = set()
        self._is_late = False  # as it was logged
        self._log = structlog.get_logger().bind()  # as logs are configured now

    async def keep_writing(self) -> None:
        while True:
            await asyncio.sleep(WRITE_SECONDS)
            await self.write()

    async def write(self) -> None:
        """Writes all keys in one statement. Keys that it cannot write now are kept for the next write."""
        if not self.seen:
            return
        used = sorted(self.seen)
        self.seen.clear()
        try:
            async with asyncio.timeout(WRITE_SECONDS), self._db.autocommit() as tx:
                self.seen.update(row["id"] for row in await tx.rows(_SAVE, ids=used))
        except Exception as error:  # the next write tries again after any error
            self.seen.update(used)
            if not self._is_late:
                self._log.warning("The last use of keys is not written; it is tried again", reason=first_line(error))
            self._is_late = True
        except asyncio.CancelledError:
            self.seen.update(used)
            raise
        else:
            if self._is_late:
                self._log.info("The last use of keys is written again")
            self._is_late = False
