"""Idempotency-Key: the answer of a creating request is kept for 24 hours, in the transaction that created."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta
from hashlib import sha256

import msgspec

from sightline.platform.access import Actor
from sightline.platform.db import Database, Tx
from sightline.platform.errors import Conflict, KeyReused, ValidationFailed
from sightline.platform.http.problems import Answer

KEPT = timedelta(hours=24)
LONGEST = 255


class KeyInUse(Conflict):
    """409: a request with the same Idempotency-Key is still running."""

    code = "IDEMPOTENCY_KEY_IN_USE"


class OneTransaction(Database):
    """A database whose every transaction is part of the one that is already open, so that all commit together.

    Each part is a savepoint: one that fails leaves the rest as it was, and can be tried again.
    """

    def __init__(self, database: Database, tx: Tx) -> None:
        super().__init__(database.pool, database.clock)
        self._tx = tx

    @asynccontextmanager
    async def _part(self) -> AsyncIterator[Tx]:
        async with self._tx.connection.transaction():
            yield self._tx

    def read(self) -> AbstractAsyncContextManager[Tx]:
        return self._part()

    snapshot = read
    write = read


_TAKE = "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 7))"
_FIND = """
SELECT body_hash, status, headers, body FROM idempotency_keys
 WHERE workspace_id = $1 AND key_id = $2 AND operation = $3 AND value = $4 AND created_at > $5"""
_KEEP = """
INSERT INTO idempotency_keys (workspace_id, key_id, operation, value, body_hash, status, headers, body, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (workspace_id, key_id, operation, value) DO UPDATE
   SET body_hash = excluded.body_hash, status = excluded.status, headers = excluded.headers,
       body = excluded.body, created_at = excluded.created_at"""
_FORGET = """
DELETE FROM idempotency_keys WHERE (workspace_id, key_id, operation, value) IN
    (SELECT workspace_id, key_id, operation, value FROM idempotency_keys WHERE created_at <= $1
      ORDER BY created_at LIMIT 20 FOR UPDATE SKIP LOCKED)"""


async def answer_once(  # noqa: PLR0913 - what tells one request from another
    db: Database,
    actor: Actor,
    operation: str,
    value: str,
    body: bytes,
    make: Callable[[Database], Awaitable[Answer]],
    *,
    anew: bool = False,
) -> Answer:
    """The kept answer, or `make`'s, kept in the transaction in which it was made. A refusal keeps nothing.

    `anew`: what is made carries an identity of its own, and a repeat shows it as it is now.
    Raises KeyReused for another body under the same key, KeyInUse while the first request still runs.
    """
    if not 1 <= len(value) <= LONGEST:
        raise ValidationFailed.of("Idempotency-Key", f"Needs 1 to {LONGEST} characters")
    body_hash = _hash_of(body)
    async with db.write() as tx:
        if not await tx.value(_TAKE, f"{actor.workspace_id}:{actor.id}:{operation}:{value}"):
            raise KeyInUse("A request with this Idempotency-Key is still running.")
        identity = (actor.workspace_id, actor.id, operation, value)
        kept = await tx.row(_FIND, *identity, tx.now - KEPT)
        if kept is not None:
            if kept["body_hash"] != body_hash:
                raise KeyReused("This Idempotency-Key came with another body before.")
            if anew:
                return await make(OneTransaction(db, tx))
            pairs = msgspec.json.decode(kept["headers"], type=list[tuple[str, str]])
            headers = [(name.encode(), text.encode("latin-1")) for name, text in pairs]
            return kept["status"], [*headers, (b"idempotent-replayed", b"true")], kept["body"]
        status, headers, answer = await make(OneTransaction(db, tx))
        shown = [(name.decode(), text.decode("latin-1")) for name, text in headers]
        await tx.run(_KEEP, *identity, body_hash, status, shown, answer, tx.now)
        await tx.run(_FORGET, tx.now - KEPT)
        return status, headers, answer


def _hash_of(body: bytes) -> bytes:
    """Of the JSON, not of its spelling: spaces and the order of names do not make another body."""
    return sha256(msgspec.json.encode(msgspec.json.decode(body), order="sorted")).digest()
