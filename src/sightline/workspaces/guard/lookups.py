"""Looks up keys that are not cached. Most of them may be forged.

The checksum of a key is not secret, so anyone can send well-formed keys that do not exist. All of them share one
connection, one statement at a time and at most 4 keys in a statement.
"""

import asyncio
from collections import deque
from collections.abc import Iterable

from sightline.platform.db import Database, Tx, sql
from sightline.workspaces.keys.records import StoredKey

AT_ONCE = 4

FIND_STORED_KEYS = sql("""
    SELECT k.id, k.workspace_id, k.name, k.secret_hash, k.scopes, k.created_at, k.expires_at, k.revoked_at,
           k.member_id, k.last_used_at IS NOT NULL, CASE WHEN m.active THEN m.role END, k.token_id
      FROM api_keys k
      LEFT JOIN members m ON m.workspace_id = k.workspace_id AND m.id = k.member_id
     WHERE k.token_id = ANY(:token_ids)""")


async def find_stored_keys(tx: Tx, token_ids: Iterable[str]) -> dict[str, StoredKey]:
    """Returns the keys that exist, by the id in their text."""
    found = {}
    for row in await tx.rows(FIND_STORED_KEYS, token_ids=[*token_ids]):
        *fields, token_id = row
        found[token_id] = StoredKey(*fields)
    return found


class UnknownKeys:
    """A queue of look-ups. A task works it off and ends when the queue is empty."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._waiting: deque[tuple[str, asyncio.Future[StoredKey | None]]] = deque()
        self._task: asyncio.Task[None] | None = None

    async def find(self, token_id: str) -> StoredKey | None:
        """Returns the key, or None if it does not exist. Raises the errors of the database."""
        found: asyncio.Future[StoredKey | None] = asyncio.get_running_loop().create_future()
        self._waiting.append((token_id, found))
        if self._task is None:
            self._task = asyncio.create_task(self._look_up_all())
        return await found

    async def _look_up_all(self) -> None:
        try:
            while self._waiting:
                await self._look_up([self._waiting.popleft() for _ in range(min(AT_ONCE, len(self._waiting)))])
        finally:
            self._task = None

    async def _look_up(self, batch: list[tuple[str, "asyncio.Future[StoredKey | None]"]]) -> None:
        try:
            async with self._db.autocommit() as tx:
                keys = await find_stored_keys(tx, {token_id for token_id, _ in batch})
        except Exception as error:
            for _, found in (*batch, *self._waiting):  # nobody waits for another that fails as slowly
                if not found.done():
                    found.set_exception(error)
            self._waiting.clear()
            return
        for token_id, found in batch:
            if not found.done():
                found.set_result(keys.get(token_id))
