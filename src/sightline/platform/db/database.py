"""The pool and the transaction."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from contextvars import ContextVar
from datetime import datetime
from typing import Any, Union

import asyncpg
import msgspec
from asyncpg.pool import PoolConnectionProxy

from sightline.platform.clock import Clock
from sightline.platform.db.sql import Statement
from sightline.platform.db.turns import Turns

Connection = Union["asyncpg.Connection[asyncpg.Record]", "PoolConnectionProxy[asyncpg.Record]"]
Row = asyncpg.Record

_ENCODE = msgspec.json.encode

CONNECT_SECONDS = 10.0
# A request that meets a database that does not answer fails within 10 s: it waits for a connection, then for an answer.
WAIT_SECONDS = 3.0
ANSWER_SECONDS = 6.0
CLOSE_SECONDS = 2.0

# The name of our sessions. A session that only reads has another one: nobody has to wait for its writes.
OURS = "sightline"
_ONLY_READS = f"SET LOCAL application_name = '{OURS} reading'"

_may_have_committed: ContextVar[bool] = ContextVar("may_have_committed", default=False)


def may_have_committed() -> bool:
    """Whether the current task, and so the current request, has sent a COMMIT or a write that commits alone."""
    return _may_have_committed.get()


class DatabaseUnavailable(Exception):
    """The database cannot be reached or used; the message is one clear line that says what to do."""


class Tx(msgspec.Struct, frozen=True):
    """One transaction, and the one moment at which everything in it happens."""

    connection: Connection
    now: datetime
    commits_alone: bool = False  # autocommit: no transaction is open
    clock: Clock = Clock()

    def later(self) -> "Tx":
        """The same transaction at the present moment: after a wait for a lock, it is later than what it waited for."""
        return Tx(self.connection, self.clock.now(), self.commits_alone, self.clock)

    async def row(self, statement: Statement, /, **values: Any) -> Row | None:
        """The first row, or None: `tx.row(FIND_IDEA, workspace_id=..., id=...)`."""
        return await self.connection.fetchrow(*self._call(statement, values))

    async def rows(self, statement: Statement, /, **values: Any) -> list[Row]:
        """All rows."""
        return await self.connection.fetch(*self._call(statement, values))

    async def value(self, statement: Statement, /, **values: Any) -> Any:
        """The first column of the first row, or None."""
        return await self.connection.fetchval(*self._call(statement, values))

    async def run(self, statement: Statement, /, **values: Any) -> int:
        """Runs a statement that returns no rows. Returns the number of rows it changed."""
        status = await self.connection.execute(*self._call(statement, values))
        return int(count) if (count := status.rpartition(" ")[2]).isdigit() else 0

    async def run_many(self, statement: Statement, values: Iterable[dict[str, Any]]) -> None:
        """Runs a statement once for each set of values, in one round trip."""
        await self.connection.executemany(statement.text, [self._arguments(statement, each) for each in values])

    def _call(self, statement: Statement, values: dict[str, Any]) -> tuple[Any, ...]:
        if self.commits_alone and statement.writes:
            _may_have_committed.set(True)
        return (statement.text, *self._arguments(statement, values))

    def _arguments(self, statement: Statement, values: dict[str, Any]) -> list[Any]:
        for name in statement.from_transaction:
            if name not in values:
                values[name] = self.now if name == "now" else self.clock.offset
        return statement.arguments(values)


class Database:
    """A pool of connections to one PostgreSQL database."""

    def __init__(self, pool: "asyncpg.Pool[Row]", clock: Clock) -> None:
        self.pool = pool
        self.clock = clock
        self.idle: list[PoolConnectionProxy[Row]] = []
        self.turns = Turns(pool.get_max_size())
        self.wait_seconds: float | None = None
        self.closing: set[asyncio.Task[None]] = set()

    @classmethod
    async def connect(
        cls,
        url: str,
        *,
        size: int = 10,
        clock: Clock | None = None,
        through_pooler: bool = False,
        is_impatient: bool = False,
    ) -> "Database":
        """Opens the pool. `through_pooler`: statements are not kept prepared, for a transaction pooler in between.

        `is_impatient`: raises TimeoutError when no connection is free for 3 s or a statement takes longer than 6 s.
        Raises DatabaseUnavailable when the server cannot be reached, refuses us, or is older than PostgreSQL 15.
        """
        try:
            pool = await asyncpg.create_pool(
                url,
                min_size=min(2, size),
                max_size=size,
                init=_prepare_pooled if through_pooler else _prepare_connection,
                reset=_keep_as_is,
                timeout=CONNECT_SECONDS,
                command_timeout=ANSWER_SECONDS if is_impatient else None,
                statement_cache_size=0 if through_pooler else 1000,
                max_cached_statement_lifetime=0,
                server_settings={} if through_pooler else {"application_name": OURS, "jit": "off"},
            )
        except (OSError, asyncpg.PostgresError, ValueError, asyncpg.InterfaceError) as error:
            raise DatabaseUnavailable(f"The database cannot be reached: {first_line(error)}") from error
        database = cls(pool, clock or Clock())
        database.wait_seconds = WAIT_SECONDS if is_impatient else None
        await database._refuse_old_server()
        return database

    async def _refuse_old_server(self) -> None:
        async with self.pool.acquire() as connection:
            version = connection.get_server_version()
        if version.major < 15:
            await self.close()
            raise DatabaseUnavailable(f"PostgreSQL 15 or newer is needed; this server is {version.major}.")

    def autocommit(self) -> AbstractAsyncContextManager[Tx]:
        """A connection without a transaction: every statement is one of its own, and commits if it writes."""
        return _Autocommit(self)

    def snapshot(self) -> AbstractAsyncContextManager[Tx]:
        """A read-only transaction in which nothing moves, for reads of more than one statement that must agree."""
        return self._transaction(isolation="repeatable_read", readonly=True)

    def transaction(self) -> AbstractAsyncContextManager[Tx]:
        """A transaction, committed when the block is left, rolled back when it is left by an exception."""
        return self._transaction()

    @asynccontextmanager
    async def _transaction(self, **options: Any) -> AsyncIterator[Tx]:
        async with _Borrowed(self) as connection:
            transaction = connection.transaction(**options)
            await transaction.start()
            try:
                if options.get("readonly"):
                    await connection.execute(_ONLY_READS)
                yield Tx(connection, self.clock.now(), clock=self.clock)
            except _UNUSABLE:
                raise  # the connection is closed, which ends the transaction
            except BaseException:
                await transaction.rollback()
                raise
            if not options.get("readonly"):
                _may_have_committed.set(True)
            await transaction.commit()

    async def close(self) -> None:
        """Lets running statements end for 5 seconds, then closes all connections."""
        while self.idle:
            await self.pool.release(self.idle.pop())
        await asyncio.gather(*self.closing)
        try:
            await asyncio.wait_for(self.pool.close(), timeout=5)
        except TimeoutError:
            self.pool.terminate()


# After these a connection is not used again: it is lost, or a statement may still be running on it.
_UNUSABLE = (
    OSError,  # TimeoutError too
    asyncio.CancelledError,
    asyncpg.InternalClientError,
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
)


class _Borrowed:
    """A connection of the pool for the length of a block.

    A connection that comes back in order is kept for the next block instead of going through the pool, whose acquire
    and release cost more than a short statement. One that comes back with an error is released to the pool, or closed
    if it cannot be used again.
    """

    __slots__ = ("_connection", "_database")

    def __init__(self, database: Database) -> None:
        self._database = database

    async def __aenter__(self) -> "PoolConnectionProxy[Row]":
        database = self._database
        if not database.turns.take():
            await database.turns.wait(database.wait_seconds)
        try:
            self._connection = await self._take()
        except BaseException:
            database.turns.release()
            raise
        return self._connection

    async def _take(self) -> "PoolConnectionProxy[Row]":
        while self._database.idle:
            connection = self._database.idle.pop()
            try:
                if not connection.is_closed():
                    return connection
            except asyncpg.InterfaceError:
                continue  # the pool saw it end and has taken it back
            await self._database.pool.release(connection)
        return await self._database.pool.acquire(timeout=self._database.wait_seconds)

    async def __aexit__(self, kind: object, *problem: object) -> None:
        database = self._database
        if isinstance(kind, type) and issubclass(kind, _UNUSABLE):
            closing = asyncio.create_task(self._close())
            database.closing.add(closing)
            closing.add_done_callback(database.closing.discard)
            return
        try:
            if kind is None:
                database.idle.append(self._connection)
            else:
                await database.pool.release(self._connection, timeout=CLOSE_SECONDS)
        finally:
            database.turns.release()

    async def _close(self) -> None:
        """Cancels what still runs on the connection and closes it, both within 2 s; nobody waits for it."""
        try:
            with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
                async with asyncio.timeout(CLOSE_SECONDS):
                    await self._connection.close()
        finally:
            with suppress(asyncpg.InterfaceError):  # the pool has taken it back already
                self._connection.terminate()
            self._database.turns.release()


class _Autocommit(_Borrowed):
    """The same without a transaction."""

    __slots__ = ()

    async def __aenter__(self) -> Tx:  # type: ignore[override]  # the same block, seen as a transaction
        clock = self._database.clock
        return Tx(await super().__aenter__(), clock.now(), True, clock)


def first_line(error: BaseException) -> str:
    """The first line of an error's message, with the system's reason in words instead of its number."""
    message = str(error).strip() or ("no answer in time" if isinstance(error, TimeoutError) else type(error).__name__)
    if isinstance(error, OSError) and error.errno:
        reason = os.strerror(error.errno)
        message = message.removeprefix(f"[Errno {error.errno}] ").replace("Connect call failed", reason)
    return message.splitlines()[0]


async def _prepare_connection(connection: "asyncpg.Connection[Row]") -> None:
    """Reads JSON columns as msgspec.Raw, which is sent unparsed; values may be anything that msgspec can encode."""
    await connection.set_type_codec(
        "jsonb", schema="pg_catalog", encoder=_to_jsonb, decoder=_from_jsonb, format="binary"
    )


def _to_jsonb(value: Any) -> bytes:
    return b"\x01" + (value if isinstance(value, bytes) else _ENCODE(value))


def _from_jsonb(stored: bytes) -> msgspec.Raw:
    return msgspec.Raw(stored[1:])


async def _prepare_pooled(connection: "asyncpg.Connection[Row]") -> None:
    """A transaction pooler refuses startup parameters, so the session is set up by a statement."""
    await connection.execute("SET jit = off")
    await _prepare_connection(connection)


async def _keep_as_is(connection: Any) -> None:
    """Does nothing: no session state is changed outside a transaction, so a returned connection needs no reset."""
