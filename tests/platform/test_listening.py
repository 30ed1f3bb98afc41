"""Notifications of the database."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from sightline.platform.db.listening import listen_forever
from tests.line import Line, open_line

pytestmark = pytest.mark.slow


@asynccontextmanager
async def listening(line: Line) -> AsyncIterator["asyncio.Queue[bool]"]:
    """Whether notifications arrive, each time that it changes."""
    changes: asyncio.Queue[bool] = asyncio.Queue()
    task = asyncio.create_task(
        listen_forever(line.url, "test", "the tests", on_notify=lambda _: None, on_gap=changes.put_nowait)
    )
    try:
        yield changes
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def until(changes: "asyncio.Queue[bool]", arrive: bool) -> None:
    async with asyncio.timeout(60):
        while await changes.get() is not arrive:
            pass


async def test_listening_starts_again_if_listen_is_not_answered(database_url: str) -> None:
    async with open_line(database_url) as line:
        line.stops_at = b"LISTEN"
        async with listening(line) as changes:
            await line.until_stopped()
            await until(changes, arrive=False)
            line.resume()
            await until(changes, arrive=True)
            assert line.connections > 1
