"""Listens for new jobs."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import asyncpg

from sightline.platform.jobs.queries import CHANNEL, WORKER

ANSWER_SECONDS = 5.0


async def listen_forever(url: str, wake: Callable[[], None]) -> None:
    """Calls `wake` at each notification, and when it listens again and may have missed one.

    `url` is the database's own address, not a pooler's.
    """
    name = {"application_name": WORKER}
    while True:
        with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            await _listen(await asyncpg.connect(url, timeout=ANSWER_SECONDS, server_settings=name), wake)
        await asyncio.sleep(0.2)


async def _listen(connection: "asyncpg.Connection[asyncpg.Record]", wake: Callable[[], None]) -> None:
    """Listens until the connection is lost, which it also finds out by asking."""
    lost = asyncio.Event()
    connection.add_termination_listener(lambda _: lost.set())
    try:
        await connection.add_listener(CHANNEL, lambda *_: wake())
        wake()
        while not lost.is_set():
            await connection.execute("SELECT 1", timeout=ANSWER_SECONDS)
            with suppress(TimeoutError):
                await asyncio.wait_for(lost.wait(), ANSWER_SECONDS)
    finally:
        connection.terminate()
