"""How PgQueuer reaches the database: connections of its own, which outlive a restart of the server.

Heartbeats never wait for the handlers' pool, and a statement that meets a lost connection is said again: each of
them is harmless when it is done twice.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Self, TypeVar

import asyncpg
import structlog
from pgqueuer.core.tm import TaskManager
from pgqueuer.ports.driver import NotifyCallback

from sightline.platform.db import Connection, DatabaseUnavailable
from sightline.platform.db.database import first_line

NAME = "sightline worker"  # how pg_stat_activity shows the connections
SIZE = 3
ANSWER_SECONDS = 30.0
LOOK_SECONDS = 5.0
LONGEST_WAIT = 2.0
CLOSE_SECONDS = 2.0

AWAY = (
    *(OSError, TimeoutError, asyncpg.PostgresConnectionError, asyncpg.OperatorInterventionError),
    *(asyncpg.InsufficientResourcesError, asyncpg.DeadlockDetectedError, asyncpg.SerializationError),
    asyncpg.InternalClientError,  # what a connection says that was lost in the middle of a statement
)

Result = TypeVar("Result")
_log = structlog.get_logger()


class Driver:
    """A small pool for statements and a connection that listens. `url` leads past a pooler."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._callbacks: list[tuple[str, NotifyCallback]] = []
        self._listening: asyncio.Task[None] | None = None
        self._shutdown = asyncio.Event()
        self._is_down = False

    async def open(self) -> None:
        """Raises DatabaseUnavailable."""
        try:
            self._pool = await asyncpg.create_pool(
                self._url,
                min_size=1,
                max_size=SIZE,
                timeout=ANSWER_SECONDS,
                command_timeout=ANSWER_SECONDS,
                server_settings={"application_name": NAME},
            )
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            raise DatabaseUnavailable(f"The database cannot be reached: {first_line(error)}") from error

    async def close(self) -> None:
        """Nothing is said again from now on."""
        self._shutdown.set()
        if self._listening is not None:
            self._listening.cancel()
            with suppress(asyncio.CancelledError):
                await self._listening
        try:
            await asyncio.wait_for(self._pool.close(), CLOSE_SECONDS)
        except TimeoutError:
            self._pool.terminate()

    async def transaction(self, work: Callable[[Connection], Awaitable[Result]]) -> Result:
        """Does the work in a transaction, again and again until the database is there."""

        async def do(connection: Connection) -> Result:
            async with connection.transaction():
                return await work(connection)

        return await self._insist(do)

    async def fetch(self, query: str, *args: object) -> list[dict[str, object]]:
        return [dict(row) for row in await self._insist(lambda connection: connection.fetch(query, *args))]

    async def execute(self, query: str, *args: object) -> str:
        return await self._insist(lambda connection: connection.execute(query, *args))

    async def notify(self, channel: str, payload: str) -> None:
        await self.execute("SELECT pg_notify($1, $2)", channel, payload)

    async def add_listener(self, channel: str, callback: NotifyCallback) -> None:
        self._callbacks.append((channel, callback))
        if self._listening is None:
            self._listening = asyncio.create_task(self._keep_listening())

    @property
    def shutdown(self) -> asyncio.Event:
        return self._shutdown

    @property
    def tm(self) -> TaskManager:
        return TaskManager()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Whoever opened it closes it."""

    async def _insist(self, ask: Callable[[Connection], Awaitable[Result]]) -> Result:
        wait = 0.05
        while True:
            try:
                async with self._pool.acquire() as connection:
                    answer = await ask(connection)
            except Exception as error:
                if self._shutdown.is_set() or not _is_lost(error):
                    raise
                self._tell(error)
            else:
                self._is_down = False
                return answer
            await asyncio.sleep(wait)
            wait = min(wait * 2, LONGEST_WAIT)

    def _tell(self, error: Exception) -> None:
        if not self._is_down:
            _log.warning("The queue waits for the database", error=first_line(error))
        self._is_down = True

    async def _keep_listening(self) -> None:
        while True:
            with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
                await self._listen(await asyncpg.connect(self._url, timeout=ANSWER_SECONDS, statement_cache_size=0))
            await asyncio.sleep(0.2)

    async def _listen(self, link: "asyncpg.Connection[asyncpg.Record]") -> None:
        """Listens until the connection is lost. What came before is looked for by the first callback."""
        lost = asyncio.Event()
        link.add_termination_listener(lambda _: lost.set())
        try:
            for channel, callback in self._callbacks:
                await link.add_listener(channel, _relay(callback))
                callback(_something_changed(channel))
            while not lost.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(lost.wait(), LOOK_SECONDS)
                    return
                await link.execute("SELECT 1", timeout=LOOK_SECONDS)
        finally:
            link.terminate()


def _is_lost(error: Exception) -> bool:
    """Whether it says that the database is away or was contended for, not that the statement is wrong."""
    if isinstance(error, asyncpg.InterfaceError):  # also what is said of wrong arguments
        return "closed" in str(error) or "connection" in str(error)
    return isinstance(error, AWAY)


def _relay(callback: NotifyCallback) -> Callable[[Any, int, str, object], None]:
    def hear(_link: Any, _pid: int, _channel: str, payload: object) -> None:
        callback(str(payload))

    return hear


def _something_changed(channel: str) -> str:
    """What the queue's trigger says, for what may have been missed."""
    event = {"channel": channel, "operation": "update", "table": "pgqueuer", "type": "table_changed_event"}
    return json.dumps({**event, "sent_at": datetime.now(UTC).isoformat()})
