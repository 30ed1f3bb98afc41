"""The pool and the transaction."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from datetime import datetime
from typing import Any, Union

import asyncpg
import msgspec
from asyncpg.pool import PoolConnectionProxy

from sightline.platform.clock import Clock

Connection = Union["asyncpg.Connection[asyncpg.Record]", "PoolConnectionProxy[asyncpg.Record]"]
Row = asyncpg.Record

_ENCODE = msgspec.json.encode

# How our sessions are named; one that only reads is told apart, since nobody has to wait for what it writes.
OURS = "sightline"
_ONLY_READS = f"SET LOCAL application_name = '{OURS} reading'"


class DatabaseUnavailable(Exception):
    """The database cannot be reached or used; the message is one clear line that says what to do."""


class Tx(msgspec.Struct, frozen=True):
    """One transaction, and the one moment at which everything in it happens."""

    connection: Connection
    now: datetime
    commits_alone: bool = False  # no transaction is open: every statement commits by itself
    clock: Clock = Clock()

    def later(self) -> "Tx":
        """The same transaction at the present moment: what waited for a lock goes on after those it waited for."""
        return Tx(self.connection, self.clock.now(), self.commits_alone, self.clock)

    async def row(self, statement: str, *values: Any) -> Row | None:
        return await self.connection.fetchrow(statement, *values)

    async def rows(self, statement: str, *values: Any) -> list[Row]:
        return await self.connection.fetch(statement, *values)

    async def value(self, statement: str, *values: Any) -> Any:
        return await self.connection.fetchval(statement, *values)

    async def run(self, statement: str, *values: Any) -> int:
        """Runs a statement that answers nothing; how many rows it touched."""
        touched = await self.connection.execute(statement, *values)
        return int(count) if (count := touched.rpartition(" ")[2]).isdigit() else 0

    async def run_many(self, statement: str, values: Sequence[Sequence[Any]]) -> None:
        await self.connection.executemany(statement, values)


class Database:
    """A pool of connections to one PostgreSQL database."""

    def __init__(self, pool: "asyncpg.Pool[Row]", clock: Clock) -> None:
        self.pool = pool
        self.clock = clock
        self.idle: list[PoolConnectionProxy[Row]] = []
        self.turns = asyncio.Semaphore(pool.get_max_size())

    @classmethod
    async def connect(
        cls, url: str, *, size: int = 10, clock: Clock | None = None, through_pooler: bool = False
    ) -> "Database":
        """Opens the pool. `through_pooler`: statements are not kept prepared, for a transaction pooler in between.

        Raises DatabaseUnavailable when the server cannot be reached, refuses us, or is older than PostgreSQL 15.
        """
        try:
            pool = await asyncpg.create_pool(
                url,
                min_size=min(2, size),
                max_size=size,
                init=_prepare_connection,
                reset=_keep_as_is,
                statement_cache_size=0 if through_pooler else 1000,
                max_cached_statement_lifetime=0,
                server_settings={} if through_pooler else {"application_name": OURS},
            )
        except (OSError, asyncpg.PostgresError, ValueError, asyncpg.InterfaceError) as error:
            raise DatabaseUnavailable(f"The database cannot be reached: {first_line(error)}") from error
        database = cls(pool, clock or Clock())
        await database._refuse_old_server()
        return database

    async def _refuse_old_server(self) -> None:
        async with self.pool.acquire() as connection:
            version = connection.get_server_version()
        if version.major < 15:
            await self.close()
            raise DatabaseUnavailable(f"PostgreSQL 15 or newer is needed; this server is {version.major}.")

    def read(self) -> AbstractAsyncContextManager[Tx]:
        """A connection without a transaction: every statement sees, and if it writes, commits by itself."""
        return _Reading(self)

    def snapshot(self) -> AbstractAsyncContextManager[Tx]:
        """A read-only transaction in which nothing moves, for reads of more than one statement that must agree."""
        return self._transaction(isolation="repeatable_read", readonly=True)

    def write(self) -> AbstractAsyncContextManager[Tx]:
        """A transaction, committed when the block is left, undone when it is left by an exception."""
        return self._transaction()

    @asynccontextmanager
    async def _transaction(self, **options: Any) -> AsyncIterator[Tx]:
        async with _Borrowed(self) as connection, connection.transaction(**options):
            if options.get("readonly"):
                await connection.execute(_ONLY_READS)
            yield Tx(connection, self.clock.now(), clock=self.clock)

    async def close(self) -> None:
        """Lets running statements end for 5 seconds, then closes all connections."""
        while self.idle:
            await self.pool.release(self.idle.pop())
        try:
            await asyncio.wait_for(self.pool.close(), timeout=5)
        except TimeoutError:
            self.pool.terminate()


# After these a connection cannot be used again, whatever it says of itself.
_BROKEN = (OSError, asyncpg.InternalClientError, asyncpg.PostgresConnectionError, asyncpg.AdminShutdownError)


class _Borrowed:
    """A connection of the pool for the length of a block.

    One that comes back in order is kept at hand for the next block instead of going through the pool, whose taking
    and giving back costs more than a short statement. One that comes back with an error goes to the pool, which
    knows how to end what still runs on it.
    """

    __slots__ = ("_connection", "_database")

    def __init__(self, database: Database) -> None:
        self._database = database

    async def __aenter__(self) -> "PoolConnectionProxy[Row]":
        database = self._database
        await database.turns.acquire()
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
        return await self._database.pool.acquire()

    async def __aexit__(self, kind: object, *problem: object) -> None:
        try:
            if kind is None:
                self._database.idle.append(self._connection)
                return
            if isinstance(kind, type) and issubclass(kind, _BROKEN):
                with suppress(asyncpg.InterfaceError):  # the pool may have taken it back already
                    self._connection.terminate()
            await self._database.pool.release(self._connection)
        finally:
            self._database.turns.release()


class _Reading(_Borrowed):
    """The same without a transaction."""

    __slots__ = ()

    async def __aenter__(self) -> Tx:  # type: ignore[override]  # the same block, seen as a transaction
        clock = self._database.clock
        return Tx(await super().__aenter__(), clock.now(), True, clock)


def first_line(error: BaseException) -> str:
    """What an error says, in one line."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


async def _prepare_connection(connection: "asyncpg.Connection[Row]") -> None:
    """JSON columns come as msgspec.Raw, which goes out unparsed; parameters may be anything msgspec can encode."""
    await connection.set_type_codec(
        "jsonb", schema="pg_catalog", encoder=_to_jsonb, decoder=_from_jsonb, format="binary"
    )


def _to_jsonb(value: Any) -> bytes:
    return b"\x01" + (value if isinstance(value, bytes) else _ENCODE(value))


def _from_jsonb(stored: bytes) -> msgspec.Raw:
    return msgspec.Raw(stored[1:])


async def _keep_as_is(connection: Any) -> None:
    """Nothing here changes a session outside a transaction, so a returned connection needs no reset round trip."""
