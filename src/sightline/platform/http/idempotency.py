"""Idempotency-Key: the answer to a POST is kept for 24 hours, in the transaction that it reports.

No answer to a POST of the API shows a secret, so all of them are kept.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

import msgspec

from sightline.platform.access import Actor
from sightline.platform.db import Database, Row, Statement, Tx, sql
from sightline.platform.db.database import block
from sightline.platform.errors import Conflict, KeyReused, Refusal, ValidationFailed
from sightline.platform.http.bodies import run_by_size
from sightline.platform.http.operations import Call, Operation
from sightline.platform.http.problems import Answer
from sightline.platform.wire import Record, record_of

KEPT = timedelta(hours=24)
LONGEST_DELETION = timedelta(minutes=10)  # of a file
LONGEST = 255
FORGOTTEN_AT_ONCE = 1000
_RUNNING = "A request with this Idempotency-Key is still running."

Shown = Callable[[Any], Answer]


class KeyInUse(Conflict):
    """409: a request with the same Idempotency-Key is still running."""

    code = "IDEMPOTENCY_KEY_IN_USE"


class RecordDeleted(Refusal):
    """410: the record that the first request with this Idempotency-Key wrote is deleted."""

    status, code, title = 410, "RECORD_DELETED", "The record is deleted"


class OneTransaction(Database):
    """A database whose every transaction is part of the one that is already open, so that all commit together.

    Each part is a savepoint: one that fails leaves the rest as it was, and can be tried again. What must not wait for
    the transaction, such as a number, commits alone, unless all is only `tried`.
    """

    def __init__(self, database: Database, tx: Tx, *, tried: bool = False) -> None:
        super().__init__(database.pool, database.clock)
        self.beside = database.beside
        self._tx = tx
        self._is_tried = tried

    @asynccontextmanager
    async def autocommit(self, *, writes: bool = False) -> AsyncIterator[Tx]:
        async with block(self._tx.connection):
            yield self._tx

    snapshot = autocommit
    transaction = autocommit

    async def alone(self, tx: Tx, statement: Statement, /, **values: Any) -> Row:
        if not self._is_tried:
            # Not in this transaction: a number's statement does not wait for the disk, and neither would the commit.
            assert self.beside is not None  # noqa: S101 - every server has one
            async with self.beside.autocommit() as alone:
                return await alone.one(statement, **values)
        part = tx.connection.transaction()
        await part.start()
        try:
            return await tx.one(statement, **values)
        finally:
            await part.rollback()  # which frees the rows that it has locked


_TAKE = sql("SELECT pg_try_advisory_xact_lock(hashtextextended(:request, 7))")
_WAIT = sql("SELECT pg_advisory_xact_lock(hashtextextended(:request, 7))")
_FIND = sql("""
SELECT body_hash, status, headers, body, is_one_deleted(workspace_id, quoted_ids) AS is_gone FROM idempotency_keys
 WHERE workspace_id = :workspace_id AND key_id = :key_id AND operation = :operation AND value = :value
   AND created_at > :oldest""")
_KEEP = sql("""
INSERT INTO idempotency_keys AS kept
    (workspace_id, key_id, operation, value, body_hash, status, headers, body, record_id, quoted_ids, created_at)
VALUES (:workspace_id, :key_id, :operation, :value, :body_hash, :status, :headers, :body, :record_id, :quoted_ids, :now)
ON CONFLICT (workspace_id, key_id, operation, value) DO UPDATE
   SET body_hash = excluded.body_hash, status = excluded.status, headers = excluded.headers, body = excluded.body,
       record_id = excluded.record_id, quoted_ids = excluded.quoted_ids, created_at = excluded.created_at
 WHERE kept.created_at <= :oldest""")
_FORGET = sql("""
DELETE FROM idempotency_keys WHERE (workspace_id, key_id, operation, value) IN
    (SELECT workspace_id, key_id, operation, value FROM idempotency_keys WHERE created_at <= :oldest
      ORDER BY created_at LIMIT :most FOR UPDATE SKIP LOCKED)""")

# What triggers do for a record that is deleted when the answer is kept already. What they have locked they will empty.
_EMPTY = sql("""
UPDATE idempotency_keys SET status = 410, headers = '[]', body = ''
 WHERE (workspace_id, key_id, operation, value) IN
    (SELECT workspace_id, key_id, operation, value FROM idempotency_keys WHERE created_at > :since AND status <> 410
        AND quoted_ids IS NOT NULL AND is_one_deleted(workspace_id, quoted_ids) FOR UPDATE SKIP LOCKED)""")


@dataclass(frozen=True, slots=True)
class RepeatableRequest:
    """A request with an Idempotency-Key: `name` identifies it, `body_hash` its content."""

    name: dict[str, Any]
    body_hash: bytes

    @classmethod
    async def of(cls, actor: Actor, operation: str, keys: set[str], body: bytes) -> "RepeatableRequest":
        """No body counts as an empty one. Raises ValidationFailed for two keys and for an empty or too long one."""
        value, *others = {key.strip(" \t") for key in keys}  # the space after a value is not part of it
        if others or not 1 <= len(value) <= LONGEST:
            raise ValidationFailed.of("Idempotency-Key", f"Needs one key of 1 to {LONGEST} characters")
        name = {"workspace_id": actor.workspace_id, "key_id": actor.id, "operation": operation, "value": value}
        return cls(name, await run_by_size(_hash_of, body))

    async def find(self, tx: Tx) -> Answer | None:
        """Returns the kept answer, or None. Raises KeyReused for another body, RecordDeleted if its record is gone."""
        kept = await tx.row(_FIND, **self.name, oldest=tx.now - KEPT)
        if kept is None:
            return None
        if kept["body_hash"] != self.body_hash:
            raise KeyReused("This Idempotency-Key came with another body before.")
        if kept["is_gone"] or kept["status"] == RecordDeleted.status:
            raise RecordDeleted("What this request wrote or quoted is deleted. Send it with a new Idempotency-Key.")
        pairs = msgspec.json.decode(kept["headers"], type=list[tuple[str, str]])
        headers = [(name.encode(), text.encode("latin-1")) for name, text in pairs]
        return kept["status"], [*headers, (b"idempotent-replayed", b"true")], kept["body"]

    async def keep(self, tx: Tx, answer: Answer, record_ids: list[UUID]) -> None:
        """Keeps the answer unless there is one. It goes when one of the records is deleted, whose text it repeats.

        Raises KeyInUse if another transaction has kept one meanwhile.
        """
        status, headers, body = answer
        if not await tx.run(
            _KEEP,
            **self.name,
            body_hash=self.body_hash,
            status=status,
            headers=[(name.decode(), text.decode("latin-1")) for name, text in headers],
            body=body,
            record_id=next(iter(record_ids), None),
            quoted_ids=record_ids[1:] or None,
            oldest=tx.now - KEPT,
        ):
            raise KeyInUse(_RUNNING)


async def answer_once(
    request: RepeatableRequest, operation: Operation, call: Call, arguments: list[Any], shown: Shown
) -> Answer:
    """Returns the kept answer, or the handler's, which `shown` makes of its result.

    A refusal is not kept. Raises KeyReused, KeyInUse, RecordDeleted.
    """
    if operation.calls_out is not None and any(map(operation.calls_out, arguments)):
        return await _answer_outside(request, operation, call, arguments, shown)
    async with call.db.transaction() as tx:
        if not await tx.value(_TAKE, request=str(request.name)):
            raise KeyInUse(_RUNNING)
        known = await request.find(tx)
        if known is not None and not operation.runs_again:
            return known
        within = msgspec.structs.replace(call, db=OneTransaction(call.db, tx), at_once=False)
        result = await operation.handler(within, *arguments)
        answer = shown(result)
        if known is None and operation.runs_again:  # no text is kept, since a repeat comes here too
            await request.keep(tx, (answer[0], [], b""), record_of(result).quoted_ids[:1])
        elif known is None:
            await request.keep(tx, answer, record_of(result).quoted_ids)
        return answer


async def _answer_outside(
    request: RepeatableRequest, operation: Operation, call: Call, arguments: list[Any], shown: Shown
) -> Answer:
    """Returns the kept answer, or that of a handler that calls other services while no transaction is open.

    The handler keeps its answer in its last transaction. Two requests with one key may run at once: the one that ends
    later returns the answer that the other kept. Raises KeyReused, RecordDeleted, and the handler's refusal without an
    answer that is kept.
    """

    async def find() -> Answer | None:
        async with call.db.autocommit() as tx:
            return await request.find(tx)

    async def keep(tx: Tx, result: Record) -> None:
        await tx.run(_WAIT, request=str(request.name))  # before any row is locked, as answer_once does
        await request.keep(tx, shown(result), result.quoted_ids)

    if (known := await find()) is not None:
        return known
    try:
        return shown(await operation.handler(msgspec.structs.replace(call, keep=keep, at_once=False), *arguments))
    except Refusal:
        if (known := await find()) is not None:
            return known
        raise


async def forget_expired(db: Database, _tools: object) -> None:
    """Removes answers older than 24 hours, and what was kept of a record while its deletion, of up to 10 minutes, ran.

    A worker does it every minute.
    """
    async with db.autocommit() as tx:
        await tx.run(_EMPTY, since=tx.now - LONGEST_DELETION)
        while await tx.run(_FORGET, oldest=tx.now - KEPT, most=FORGOTTEN_AT_ONCE) == FORGOTTEN_AT_ONCE:
            pass


def _hash_of(body: bytes) -> bytes:
    """Of the JSON, not of its spelling: spaces and the order of names do not make another body."""
    return sha256(msgspec.json.encode(msgspec.json.decode(body or b"{}"), order="sorted")).digest()
