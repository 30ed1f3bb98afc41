"""Trying again: when another request was faster, and while the database is away."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import asyncpg
import structlog
from asyncpg import DeadlockDetectedError, ForeignKeyViolationError, SerializationError, UniqueViolationError

from sightline.platform.db.database import Database, Tx, first_line
from sightline.platform.db.pool import LOST
from sightline.platform.errors import Conflict

Done = TypeVar("Done")
Given = ParamSpec("Given")

ATTEMPTS = 8
OVERTAKEN = (DeadlockDetectedError, ForeignKeyViolationError, SerializationError, UniqueViolationError)
OUTAGE = (
    TimeoutError,  # no answer in time, as of a connection that was lost without a word
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
    asyncpg.InsufficientResourcesError,  # no room on its disk, in its memory or for the connection
    asyncpg.InternalClientError,  # a connection that was lost
    asyncpg.ReadOnlySQLTransactionError,  # a standby, or a primary that has become one
)
AWAY = (*LOST, asyncpg.InsufficientResourcesError, DeadlockDetectedError, SerializationError)
LONGEST_WAIT = 1.0
ASKED_AGAIN = "The database does not answer and is asked again"

_log = structlog.get_logger()


async def retry_when_overtaken(attempt: Callable[[], Awaitable[Done | None]], refusal: Conflict) -> Done:
    """Runs `attempt` until it returns something, at most 8 times; then raises the refusal.

    An attempt reads, checks and writes in transactions of its own. It returns None when what it read has changed, and
    is also repeated when the database reports that another transaction removed, added or locked what it needs.
    """
    for _ in range(ATTEMPTS):
        try:
            done = await attempt()
        except OVERTAKEN:
            continue
        if done is not None:
            return done
    raise refusal


async def retry_transaction(db: Database, attempt: Callable[[Tx], Awaitable[Done | None]], refusal: Conflict) -> Done:
    """Retries an attempt that is one transaction, as `retry_when_overtaken` does."""

    async def transact() -> Done | None:
        async with db.transaction() as tx:
            return await attempt(tx)

    return await retry_when_overtaken(transact, refusal)


def until_answered(attempt: Callable[Given, Awaitable[Done]]) -> Callable[Given, Coroutine[Any, Any, Done]]:
    """Repeats a coroutine function until the database answers. It raises what does not mean that it is away or busy.

    An attempt may have been carried out although no answer came: it must be harmless to repeat.
    """

    @wraps(attempt)
    async def repeated(*values: Given.args, **named: Given.kwargs) -> Done:
        wait = 0.05
        while True:
            try:
                return await attempt(*values, **named)
            except Exception as error:
                if not is_away(error):
                    raise
                if LONGEST_WAIT / 2 < wait < LONGEST_WAIT:  # once
                    _log.warning(ASKED_AGAIN, error=first_line(error))
            await asyncio.sleep(wait)
            wait = min(wait * 2, LONGEST_WAIT)

    return repeated


def is_outage(error: Exception) -> bool:
    """Whether the error means that the database, or the connection to it, was lost, silent or out of room."""
    return isinstance(error, OUTAGE) or (isinstance(error, asyncpg.InterfaceError) and "clos" in str(error))


def is_away(error: BaseException) -> bool:
    """Whether the error means that the database is away or busy, so that trying again may help."""
    if isinstance(error, asyncpg.InterfaceError):  # also raised for wrong arguments
        return any(word in str(error) for word in ("clos", "connection", "operation"))
    return isinstance(error, AWAY)
