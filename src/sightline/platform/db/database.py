"""The pool and the transaction."""

import itertools
import os
from collections.abc import AsyncIterator, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import ContextVar
from datetime import date, datetime
from functools import partial
from typing import Any

import asyncpg
import msgspec

from sightline.platform.clock import Clock
from sightline.platform.db.pool import Connection, Pool, spoils
from sightline.platform.db.sql import Statement
from sightline.platform.errors import NotFound
from sightline.platform.refused import Refused
from sightline.platform.turns import FairTurns, acting_for, acting_person

Row = asyncpg.Record

_ENCODE = msgspec.json.encode
_LARGE = 64 * 1024  # bytes of a JSON value; a smaller one is copied faster than a view of it is made

_FIRST_DAY = date(2000, 1, 1).toordinal()  # from which PostgreSQL counts

OLDEST_SERVER = 15
CONNECT_SECONDS = 10.0
# A request that meets a database that does not answer waits for its share of the writes, for a connection, and for an
# answer; as most wait for one of the first two, it fails within 10 s.
WAIT_SECONDS = 3.0
ANSWER_SECONDS = 6.0

# Settings that end a session whose client has fallen silent, so that it gives up its locks after a minute: it is inside
# a transaction, an answer does not arrive, or it waits for the rest of a request.
SILENT = {"idle_in_transaction_session_timeout": "60s"}
_KEPT_ALIVE = {"tcp_keepalives_idle": "30", "tcp_keepalives_interval": "10", "tcp_keepalives_count": "3"}
PROBED = _KEPT_ALIVE | {"tcp_user_timeout": "60s"}  # 0 for a client that may stop reading, as one with a pipe

# The name of our sessions. A session that only reads has another one: nobody has to wait for its writes.
OURS = "sightline"
ONLY_READS = f"SET LOCAL application_name = '{OURS} reading'"
_CLOCK = "SELECT clock_timestamp()"

_CURSORS = itertools.count()
_may_have_committed: ContextVar[bool] = ContextVar("may_have_committed", default=False)


def may_have_committed() -> bool:
    """Whether the current task has sent a COMMIT or a write that commits alone.

    The server starts a task for each request, with a context of its own.
    """
    return _may_have_committed.get()


class DatabaseUnavailable(Refused):
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

    async def found(self, statement: Statement, /, **values: Any) -> Row:
        """The first row. Raises NotFound if there is none."""
        row = await self.connection.fetchrow(*self._call(statement, values))
        if row is None:
            raise NotFound
        return row

    async def one(self, statement: Statement, /, **values: Any) -> Row:
        """The row of a statement that always has one."""
        row = await self.connection.fetchrow(*self._call(statement, values))
        assert row is not None  # noqa: S101 - a fault of the program
        return row

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

    async def batches(self, statement: Statement, size: int, /, **values: Any) -> AsyncIterator[list[Row]]:
        """Yields the rows in batches of a size, in bounded memory. Needs a transaction.

        The driver's own cursors prepare statements under names that a pooler's session may have already.
        """
        name = f"rows_{next(_CURSORS)}"
        arguments = self._arguments(statement, values)
        await self.connection.execute("SET LOCAL cursor_tuple_fraction = 1")  # all rows will be read
        await self.connection.execute(f"DECLARE {name} NO SCROLL CURSOR FOR {statement.text}", *arguments)
        while batch := await self.connection.fetch(f"FETCH {int(size)} FROM {name}"):
            yield batch
        await self.connection.execute(f"CLOSE {name}")

    async def run_many(self, statement: Statement, values: Iterable[dict[str, Any]]) -> None:
        """Runs a statement once for each set of values, in one round trip."""
        await self.connection.executemany(statement.text, [self._arguments(statement, each) for each in values])

    def _call(self, statement: Statement, values: dict[str, Any]) -> tuple[Any, ...]:
        if self.commits_alone and statement.writes:
            _may_have_committed.set(True)
        return (statement.text, *self._arguments(statement, values))

    def _arguments(self, statement: Statement, values: dict[str, Any]) -> list[Any]:
        for name in statement.from_transaction:
            values.setdefault(name, self.now if name == "now" else self.clock.offset)
        return statement.arguments(values)


class Database:
    """One PostgreSQL database, through a pool of connections."""

    beside: "Database | None" = None  # with one connection, which is soon free even when none of the pool is

    def __init__(self, pool: Pool, clock: Clock) -> None:
        self.pool, self.clock = pool, clock
        self._large_reads = FairTurns(1)

    @classmethod
    async def connect(
        cls,
        url: str,
        *,
        size: int = 10,
        clock: Clock | None = None,
        through_pooler: bool = False,
        is_impatient: bool = False,
        answer_seconds: float | None = None,
    ) -> "Database":
        """Opens the pool. `through_pooler`: statements are not kept prepared, for a transaction pooler in between.

        `is_impatient`: raises TimeoutError when no connection is free for 3 s or a statement takes longer than 6 s;
        else when a statement takes longer than `answer_seconds`, if these are given. In both cases, but for a pooler,
        the server ends sessions whose client has fallen silent for a minute.
        Raises DatabaseUnavailable when the server cannot be reached, refuses us, or is older than PostgreSQL 15.
        """
        longest = ANSWER_SECONDS if is_impatient else answer_seconds
        pool = Pool(partial(open_connection, url, through_pooler, longest), size)
        clock = clock or Clock()
        try:
            async with _Autocommit(pool, clock) as alone:
                for _ in range(3):  # the shortest answer counts
                    await clock.compare(partial(alone.connection.fetchval, _CLOCK))
        except (OSError, asyncpg.PostgresError, ValueError, asyncpg.InterfaceError) as error:
            raise unreachable(error) from error
        pool.wait_seconds = WAIT_SECONDS if is_impatient else None
        return cls(pool, clock)

    def autocommit(self, *, writes: bool = False) -> AbstractAsyncContextManager[Tx]:
        """A connection without a transaction: every statement is one of its own, and commits if it writes.

        `writes`: a statement may wait for other writes, so it leaves some connections for reads, as transactions do.
        """
        return _Autocommit(self.pool, self.clock, writes=writes)

    def large_read(self) -> AbstractAsyncContextManager[None]:
        """The turn in which one large record may be read. Raises TimeoutError after 6 seconds."""
        return self._large_reads.turn(acting_person.get(), acting_for.get())

    async def alone(self, tx: Tx, statement: Statement, /, **values: Any) -> Row:
        """The row of a statement that always has one and commits alone. `tx` is of `autocommit`."""
        return await tx.one(statement, **values)

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[Tx]:
        """A read-only transaction in which nothing moves, for reads of more than one statement that must agree."""
        options = {"isolation": "repeatable_read", "readonly": True}
        async with _Autocommit(self.pool, self.clock) as alone, block(alone.connection, **options):
            await alone.connection.execute(ONLY_READS)
            yield Tx(alone.connection, self.clock.now(), clock=self.clock)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Tx]:
        """A transaction, committed when the block is left, rolled back when it is left by an exception."""
        async with _Autocommit(self.pool, self.clock, writes=True) as alone, block(alone.connection):
            if self.clock.is_due():
                await self.clock.compare(partial(alone.connection.fetchval, _CLOCK))
            yield Tx(alone.connection, self.clock.now(), clock=self.clock)
            _may_have_committed.set(True)

    async def close(self) -> None:
        """Waits up to 5 seconds for the connections in use, then closes all."""
        await self.pool.close()


class _Autocommit:
    """A connection for the length of a block; a class, since entering it costs less than a generator."""

    __slots__ = ("_clock", "_connection", "_pool", "_shares")

    def __init__(self, pool: Pool, clock: Clock, *, writes: bool = False) -> None:
        self._pool, self._clock = pool, clock
        self._shares = pool.shares(writes=writes)

    async def __aenter__(self) -> Tx:
        self._connection = await self._pool.take(self._shares)
        return Tx(self._connection, self._clock.now(), True, self._clock)

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, _trace: object) -> None:
        was_closed = self._connection.is_closed()
        self._pool.give_back(self._connection, kind, self._shares)
        if isinstance(error, asyncpg.InternalClientError) or (was_closed and isinstance(error, asyncpg.InterfaceError)):
            raise asyncpg.ConnectionDoesNotExistError(first_line(error)) from None  # its words mislead


class block:
    """A transaction or, inside one, a savepoint; rolled back by an exception.

    The driver's own would ask for a rollback where the connection does not answer any more, and wait without a limit.
    """

    __slots__ = ("_transaction",)

    def __init__(self, connection: Connection, **options: Any) -> None:
        self._transaction = connection.transaction(**options)

    async def __aenter__(self) -> None:
        await self._transaction.start()

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            await self._transaction.commit()
        elif not spoils(kind):  # else the connection is closed, which ends the transaction
            await self._transaction.rollback()


def unreachable(error: BaseException) -> DatabaseUnavailable:
    """Says why a connection could not be opened, and what to do."""
    reason = first_line(error)
    if isinstance(error.__cause__ or error, asyncpg.InvalidAuthorizationSpecificationError):
        advice = "Check the user and password of --database-url."
        return DatabaseUnavailable(f"The database refuses the login: {reason}. {advice}")
    if isinstance(error.__cause__ or error, asyncpg.InvalidCatalogNameError):
        return DatabaseUnavailable(f"There is no such database: {reason}. Create it first.")
    return DatabaseUnavailable(f"The database cannot be reached: {reason}.")


def ensure_supported(connection: Connection) -> None:
    """Raises DatabaseUnavailable if the server is older than OLDEST_SERVER."""
    if (major := connection.get_server_version().major) < OLDEST_SERVER:
        raise DatabaseUnavailable(f"PostgreSQL {OLDEST_SERVER} or newer is needed; this server is {major}.")


def first_line(error: BaseException) -> str:
    """The first line of an error's message, with the system's reason in words instead of its number."""
    if isinstance(error, asyncpg.CannotConnectNowError):
        error = error.__cause__ or error
    if isinstance(error, asyncpg.InternalClientError):
        # The server's last message came while the connection was idle, so nothing was sent. The driver's words for
        # it, "another operation is in progress", mislead.
        return "The server ended the connection."
    message = str(error).strip() or ("no answer in time" if isinstance(error, TimeoutError) else type(error).__name__)
    if isinstance(error, OSError) and error.errno:
        reason = os.strerror(error.errno)
        message = message.removeprefix(f"[Errno {error.errno}] ").replace("Connect call failed", reason)
    return message.splitlines()[0]


async def open_connection(url: str, through_pooler: bool, answer_seconds: float | None) -> Connection:
    """Opens a connection that reads JSON as msgspec.Raw, which is sent unparsed, and writes what msgspec encodes.

    Days are stored as they are; the driver alone takes the first and the last of all for -infinity and infinity.
    Raises DatabaseUnavailable if the server is too old, and what asyncpg raises.
    """
    # Settings that a pooler refuses.
    own = {} if through_pooler else {"jit": "off"} | (SILENT | PROBED if answer_seconds else {})
    connection = await asyncpg.connect(
        url,
        timeout=CONNECT_SECONDS,
        command_timeout=answer_seconds,
        statement_cache_size=0 if through_pooler else 1000,
        max_cached_statement_lifetime=0,
        # Those that a pooler takes, and sets again in each session that it lends: see find_horizon for the name.
        server_settings={"application_name": OURS, "timezone": "UTC"} | own,
    )
    try:
        ensure_supported(connection)
        if through_pooler:
            await connection.execute("SET jit = off")
        for name, (encode, decode) in _CODECS.items():
            await connection.set_type_codec(name, schema="pg_catalog", encoder=encode, decoder=decode, format="binary")
    except BaseException:
        connection.terminate()
        raise
    return connection


def _to_jsonb(value: Any) -> bytes:
    return b"\x01" + (value if isinstance(value, bytes) else _ENCODE(value))


def _from_jsonb(stored: bytes) -> msgspec.Raw:
    return msgspec.Raw(stored[1:] if len(stored) < _LARGE else memoryview(stored)[1:])


def _to_day(day: date) -> bytes:
    return (day.toordinal() - _FIRST_DAY).to_bytes(4, "big", signed=True)


def _from_day(stored: bytes) -> date:
    return date.fromordinal(int.from_bytes(stored, "big", signed=True) + _FIRST_DAY)


_CODECS: dict[str, Any] = {
    "json": (_ENCODE, msgspec.Raw),
    "jsonb": (_to_jsonb, _from_jsonb),
    "date": (_to_day, _from_day),
}
