"""The connections to one database, and how long blocks wait for one."""

import asyncio
from asyncio import Future, TimerHandle, get_running_loop
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from math import inf
from typing import TypeAlias
from uuid import UUID
from weakref import WeakValueDictionary

import asyncpg

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"

# Connections that are left, if there are more than six: by writes for reads, and by one workspace for others.
KEPT_FOR_READS, KEPT_FOR_OTHERS = 3, 2
CLOSE_SECONDS = 2.0
END_SECONDS = 5.0

acting_for: ContextVar[UUID | None] = ContextVar("acting_for", default=None)  # the workspace of the present request

# The server or the connection is lost, or takes no writes any more.
LOST = (
    OSError,  # TimeoutError too
    asyncpg.InternalClientError,
    asyncpg.OperatorInterventionError,
    asyncpg.PostgresConnectionError,
    asyncpg.ReadOnlySQLTransactionError,
)
# After these a connection is not used again: it is lost, or a statement may still be running on it.
UNUSABLE = (*LOST, asyncio.CancelledError, asyncpg.InterfaceError)


class Pool:
    """At most `size` connections, each opened when it is first needed and kept for the next caller.

    A caller waits `wait_seconds` for a free connection, and as long for a new one to open. Not asyncpg's pool, whose
    acquire and release cost more than a short statement.
    """

    def __init__(self, connect: Callable[[], Awaitable[Connection]], size: int) -> None:
        self.size = size
        self.wait_seconds: float | None = None
        self.idle: list[Connection] = []
        self.connections: set[Connection] = set()
        self._connect = connect
        self._turns = Turns(size)
        is_shared = size > 2 * KEPT_FOR_READS
        self._writers = Turns(size - KEPT_FOR_READS * is_shared)
        self._most_of_one = size - KEPT_FOR_OTHERS * is_shared
        self._of_workspaces: WeakValueDictionary[UUID, Turns] = WeakValueDictionary()
        self._dropping: set[asyncio.Task[None]] = set()
        self._is_closed = False

    def shares(self, *, writes: bool) -> "tuple[Turns, ...]":
        """Returns the turns that a block takes with its connection, so that some are left for others.

        They are of the workspace that it acts for, and of `writes`, which may wait for a row.
        """
        writers = (self._writers,) if writes else ()
        if (workspace_id := acting_for.get()) is None:
            return writers
        if (own := self._of_workspaces.get(workspace_id)) is None:
            own = self._of_workspaces.setdefault(workspace_id, Turns(self._most_of_one))
        return *writers, own

    async def take(self, shares: "Sequence[Turns]" = ()) -> Connection:
        """Returns a connection, to be given back with its shares. Raises TimeoutError when none is free in time."""
        taken = 0
        try:
            for share in shares:
                if not share.take():
                    await share.wait(self.wait_seconds)
                taken += 1
            return await self._take()
        except BaseException:
            for share in shares[:taken]:
                share.release()
            raise

    async def _take(self) -> Connection:
        if not self._turns.take():
            await self._turns.wait(self.wait_seconds)
        while self.idle:
            if not (connection := self.idle.pop()).is_closed():
                return connection
        try:
            return await self._open()
        except BaseException:
            self._turns.release()
            raise

    async def _open(self) -> Connection:
        if self._is_closed:
            raise asyncpg.InterfaceError("The pool is closed.")
        try:
            async with asyncio.timeout(self.wait_seconds):
                connection = await self._connect()
        except asyncpg.PostgresError as error:  # a refusal to log in, too: it was accepted before, so it is for a while
            raise asyncpg.CannotConnectNowError(str(error)) from error
        self.connections.add(connection)
        connection.add_termination_listener(self.connections.discard)
        return connection

    def give_back(
        self, connection: Connection, problem: type[BaseException] | None, shares: "Sequence[Turns]" = ()
    ) -> None:
        """Keeps the connection, or closes it if this problem left it in disorder; nobody waits for that.

        If it was lost or did not answer, the idle ones are closed too: they have probably met the same.
        """
        for share in shares:
            share.release()
        if problem is None or not (issubclass(problem, UNUSABLE) or connection.is_in_transaction()):
            self.idle.append(connection)
            self._turns.release()
            return
        if issubclass(problem, UNUSABLE) and problem is not asyncio.CancelledError:
            while self.idle:
                self.idle.pop().terminate()
        dropping = asyncio.create_task(self._drop(connection))
        self._dropping.add(dropping)
        dropping.add_done_callback(self._dropping.discard)

    async def _drop(self, connection: Connection) -> None:
        """Waits up to 2 s until a statement that still runs is cancelled, then cuts the connection.

        Without `close`, after which the driver leaves the session open if the server does not answer in time.
        """
        try:
            with suppress(Exception):
                async with asyncio.timeout(CLOSE_SECONDS):
                    await connection.execute("SELECT 1")  # the driver sends it after the cancellation
        finally:
            connection.terminate()
            self._turns.release()

    async def close(self) -> None:
        """Waits up to 5 seconds for the connections in use, then closes all."""
        self._is_closed = True
        with suppress(TimeoutError):
            async with asyncio.timeout(END_SECONDS):
                for _ in range(self.size):
                    if not self._turns.take():
                        await self._turns.wait(None)
                while self.idle:
                    await self.idle.pop().close()
        for connection in list(self.connections):
            connection.terminate()


class Turns:
    """Lets `most` callers go on at once; further callers wait in the order in which they came.

    One timer serves all waiting callers: a timer for each costs 3 us, a task with `wait_for` twice as much.
    """

    def __init__(self, most: int) -> None:
        self._free = most
        self._waiting: deque[tuple[float, Future[None]]] = deque()  # until when
        self._timer: TimerHandle | None = None

    def take(self) -> bool:
        """Takes a turn if one is free."""
        if self._free == 0:
            return False
        self._free -= 1
        return True

    @asynccontextmanager
    async def turn(self, seconds: float) -> AsyncIterator[None]:
        """One turn. Raises TimeoutError if it does not come in time."""
        if not self.take():
            await self.wait(seconds)
        try:
            yield
        finally:
            self.release()

    async def wait(self, seconds: float | None) -> None:
        """Waits for a turn, always equally long. Raises TimeoutError."""
        loop = get_running_loop()
        turn: Future[None] = loop.create_future()
        self._waiting.append((inf if seconds is None else loop.time() + seconds, turn))
        if seconds is not None and self._timer is None:
            self._timer = loop.call_later(seconds, self._end_waits)
        try:
            await turn
        except BaseException:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self.release()  # cancelled when it had its turn already
            raise

    def release(self) -> None:
        """Gives the turn back, to the first that waits."""
        while self._waiting:
            _, turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1

    def _end_waits(self) -> None:
        self._timer = None
        now = get_running_loop().time()
        while self._waiting and (self._waiting[0][1].done() or self._waiting[0][0] <= now):
            _, turn = self._waiting.popleft()
            if not turn.done():
                turn.set_exception(TimeoutError("No database connection was free in time."))
        if self._waiting:
            self._timer = get_running_loop().call_at(self._waiting[0][0], self._end_waits)
