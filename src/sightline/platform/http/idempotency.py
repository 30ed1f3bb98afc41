"""Idempotency-Key: the answer of a creating request is kept for 24 hours, in the transaction that created."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta
from hashlib import sha256
from uuid import UUID

import msgspec

from sightline.platform.access import Actor
from sightline.platform.db import Database, Row, Tx, sql
from sightline.platform.errors import Conflict, KeyReused, Refusal, ValidationFailed
from sightline.platform.http.bodies import run_beside
from sightline.platform.http.problems import Answer

KEPT = timedelta(hours=24)
LONGEST = 255
AT_ONCE = 1000


class KeyInUse(Conflict):
    """409: a request with the same Idempotency-Key is still running."""

    code = "IDEMPOTENCY_KEY_IN_USE"


class RecordDeleted(Refusal):
    """410: the record that the first request with this Idempotency-Key created is deleted."""

    status, code, title = 410, "RECORD_DELETED", "The record is deleted"


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

    def autocommit(self) -> AbstractAsyncContextManager[Tx]:
        return self._part()

    snapshot = autocommit
    transaction = autocommit


_TAKE = sql("SELECT pg_try_advisory_xact_lock(hashtextextended(:request, 7))")
_FIND = sql("""
SELECT body_hash, status, headers, body FROM idempotency_keys
 WHERE workspace_id = :workspace_id AND key_id = :key_id AND operation = :operation AND value = :value
   AND created_at > :oldest""")
_KEEP = sql("""
INSERT INTO idempotency_keys
    (workspace_id, key_id, operation, value, body_hash, status, headers, body, record_id, created_at)
VALUES (:workspace_id, :key_id, :operation, :value, :body_hash, :status, :headers, :body, :record_id, :now)
ON CONFLICT (workspace_id, key_id, operation, value) DO UPDATE
   SET body_hash = excluded.body_hash, status = excluded.status, headers = excluded.headers,
       body = excluded.body, record_id = excluded.record_id, created_at = excluded.created_at""")
_FORGET = sql("""
DELETE FROM idempotency_keys WHERE (workspace_id, key_id, operation, value) IN
    (SELECT workspace_id, key_id, operation, value FROM idempotency_keys WHERE created_at <= :oldest
      ORDER BY created_at LIMIT :most FOR UPDATE SKIP LOCKED)""")


class _Created(msgspec.Struct):
    """What is read of a kept answer: the id of the record that was created."""

    id: UUID | None = None


async def answer_once(  # noqa: PLR0913 - what identifies a request, and how it is answered
    db: Database,
    actor: Actor,
    operation: str,
    value: str,
    body: bytes,
    make: Callable[[Database], Awaitable[Answer]],
    *,
    runs_again: bool = False,
) -> Answer:
    """The kept answer, or `make`'s, kept in the transaction in which it was made. A refusal keeps nothing.

    `runs_again`: the body itself names what is created, so a repeat calls `make`, which answers with its current state.
    Raises KeyReused for another body under the same key, KeyInUse while the first request still runs, RecordDeleted
    when what was created is deleted.
    """
    if not 1 <= len(value) <= LONGEST:
        raise ValidationFailed.of("Idempotency-Key", f"Needs 1 to {LONGEST} characters")
    body_hash = await run_beside(_hash_of, body)
    request = {"workspace_id": actor.workspace_id, "key_id": actor.id, "operation": operation, "value": value}
    async with db.transaction() as tx:
        if not await tx.value(_TAKE, request=f"{actor.workspace_id}:{actor.id}:{operation}:{value}"):
            raise KeyInUse("A request with this Idempotency-Key is still running.")
        kept = await tx.row(_FIND, **request, oldest=tx.now - KEPT)
        if kept is not None:
            _refuse_repeat(kept, body_hash)
            return await make(OneTransaction(db, tx)) if runs_again else _replayed(kept)
        status, headers, answer = await make(OneTransaction(db, tx))
        await tx.run(
            _KEEP,
            **request,
            body_hash=body_hash,
            status=status,
            headers=[(name.decode(), text.decode("latin-1")) for name, text in headers],
            body=answer,
            record_id=msgspec.json.decode(answer, type=_Created).id,
        )
        return status, headers, answer


def _refuse_repeat(kept: Row, body_hash: bytes) -> None:
    if kept["body_hash"] != body_hash:
        raise KeyReused("This Idempotency-Key came with another body before.")
    if kept["status"] == RecordDeleted.status:
        raise RecordDeleted("What this request created is deleted. Use a new Idempotency-Key to create it again.")


def _replayed(kept: Row) -> Answer:
    pairs = msgspec.json.decode(kept["headers"], type=list[tuple[str, str]])
    headers = [(name.encode(), text.encode("latin-1")) for name, text in pairs]
    return kept["status"], [*headers, (b"idempotent-replayed", b"true")], kept["body"]


async def forget_expired(db: Database, _tools: object) -> None:
    """Removes answers older than 24 hours; a worker does it every minute."""
    async with db.autocommit() as tx:
        while await tx.run(_FORGET, oldest=tx.now - KEPT, most=AT_ONCE) == AT_ONCE:
            pass


def _hash_of(body: bytes) -> bytes:
    """Of the JSON, not of its spelling: spaces and the order of names do not make another body."""
    return sha256(msgspec.json.encode(msgspec.json.decode(body), order="sorted")).digest()
