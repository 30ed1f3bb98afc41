"""The connections to one database, and how long blocks wait for one."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeAlias

import asyncpg

from sightline.platform.turns import NoTurn, OwnTurns, Turns, acting_for

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"

# Connections that are left, if there are more than six: by writes for reads, and by one workspace for others, of which
# one is for writes.
KEPT_FOR_READS, KEPT_FOR_OTHERS, KEPT_FOR_WRITES_OF_OTHERS = 3, 2, 1
_CONNECTION = "database connection"
CLOSE_SECONDS = 2.0
END_SECONDS = 5.0


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


def spoils(problem: type[BaseException]) -> bool:
    """Whether a connection is not used again after this problem."""
    return issubclass(problem, UNUSABLE) and not issubclass(problem, NoTurn)


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
        self._turns = Turns(size, _CONNECTION)
        is_shared = size > 2 * KEPT_FOR_READS
        writers = size - KEPT_FOR_READS * is_shared
        self._writers = Turns(writers, _CONNECTION)
        self._of_workspaces = OwnTurns(size - KEPT_FOR_OTHERS * is_shared, _CONNECTION)
        self._writers_of_workspaces = OwnTurns(writers - KEPT_FOR_WRITES_OF_OTHERS * is_shared, _CONNECTION)
        self._dropping: set[asyncio.Task[None]] = set()
        self._is_closed = False

    def shares(self, *, writes: bool) -> tuple[Turns, ...]:
        """Returns the turns that a block takes with its connection, so that some are left for others.

        They are of the workspace that it acts for, first of all, and of `writes`, which may wait for a row.
        """
        writers = (self._writers,) if writes else ()
        if (workspace_id := acting_for.get()) is None:
            return writers
        own = self._of_workspaces.of(workspace_id)
        return (self._writers_of_workspaces.of(workspace_id), own, *writers) if writes else (own,)

    async def take(self, shares: Sequence[Turns]) -> Connection:
        """Returns a connection, to be given back with its shares. Raises TimeoutError when none is free in time."""
        needed, taken = (*shares, self._turns), 0
        try:
            for turns in needed:
                if not turns.take():
                    await turns.wait(self.wait_seconds)
                taken += 1
            while self.idle:
                if not (connection := self.idle.pop()).is_closed():
                    return connection
            return await self._open()
        except BaseException:
            for turns in needed[:taken]:
                turns.release()
            raise

    async def _open(self) -> Connection:
        if self._is_closed:
            raise asyncpg.InterfaceError("The pool is closed.")
        try:
            async with asyncio.timeout(self.wait_seconds):
                connection = await self._connect()
        except (OSError, asyncpg.PostgresError) as error:  # a refusal to log in, too: it was accepted before
            raise asyncpg.CannotConnectNowError(str(error)) from error
        self.connections.add(connection)
        connection.add_termination_listener(self.connections.discard)
        return connection

    def give_back(self, connection: Connection, problem: type[BaseException] | None, shares: Sequence[Turns]) -> None:
        """Keeps the connection, or closes it if this problem left it in disorder; nobody waits for that.

        If it was lost or did not answer, the idle ones are closed too: they have probably met the same.
        """
        for share in shares:
            share.release()
        if problem is None or not (spoils(problem) or connection.is_in_transaction()):
            self.idle.append(connection)
            self._turns.release()
            return
        if spoils(problem) and problem is not asyncio.CancelledError:
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
