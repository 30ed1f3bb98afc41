"""Ways in which tests wait: for what they can see, for a lock, for the next millisecond, or a part of a second."""

import asyncio
import inspect
import time
from collections.abc import Callable
from random import Random
from typing import Any

import asyncpg

from sightline.platform.db import Database

_BLOCKED = """
SELECT count(*) FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid() AND wait_event_type = 'Lock'"""


async def until(is_so: Callable[[], Any], seconds: float = 60) -> float:
    """Waits until the condition, which may be awaitable, is true. Returns the seconds it took.

    Raises AssertionError after `seconds`.
    """
    began = time.monotonic()
    while True:
        answer = is_so()
        if await answer if inspect.isawaitable(answer) else answer:
            return time.monotonic() - began
        assert time.monotonic() - began < seconds, f"It was not so within {seconds} s."
        await asyncio.sleep(0.01)


def wait_until(is_so: Callable[[], object], seconds: float = 60) -> None:
    """Waits like `until` where no event loop runs."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, f"It was not so within {seconds} s."
        time.sleep(0.02)


async def until_blocked(database: "Database | asyncpg.Connection[Any]", count: int = 1) -> None:
    """Waits until that many sessions of this database wait for a lock.

    A transaction sees the sessions as they were at its first look, so it forgets them before and after each one.
    """

    async def is_so() -> bool:
        if not isinstance(database, Database):
            await database.execute("SELECT pg_stat_clear_snapshot()")
            blocked = await database.fetchval(_BLOCKED)
            await database.execute("SELECT pg_stat_clear_snapshot()")
            return bool(blocked >= count)
        async with database.autocommit() as tx:
            return bool(await tx.connection.fetchval(_BLOCKED) >= count)

    await until(is_so, 20)


async def next_moment() -> None:
    """Waits until the clock, which counts milliseconds, shows a later time."""
    await asyncio.sleep(0.002)


async def next_turn() -> None:
    """Lets the other tasks of the loop run once."""
    await asyncio.sleep(0)


async def linger(dice: Random, most: float) -> None:
    """Waits a random part of `most` seconds, as a slow writer does."""
    await asyncio.sleep(dice.random() * most)


async def hang(*_: object) -> None:
    """Stands for what never answers: ends only when it is cancelled."""
    await asyncio.Event().wait()
