"""Notifications of the database."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from urllib.parse import parse_qs, urlsplit

import pytest
import pytest_asyncio

from sightline.platform.db.listening import listen_forever

pytestmark = pytest.mark.slow


class Way:
    """A way to the database, on which the first connection gets no answer to LISTEN."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        asked = parse_qs(parts.query)
        self._socket = f"{asked['host'][0]}/.s.PGSQL.{asked['port'][0]}"
        self._user, self._database = parts.username, parts.path
        self.connections = 0

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        is_deaf = self.connections == 1
        up_reader, up_writer = await asyncio.open_unix_connection(self._socket)
        back = asyncio.create_task(_pass_on(up_reader, writer))
        while (data := await reader.read(65536)) and not (is_deaf and b"LISTEN" in data):
            up_writer.write(data)
        await reader.read()
        back.cancel()
        up_writer.close()
        writer.close()

    def url(self, port: int) -> str:
        return f"postgresql://{self._user}@127.0.0.1:{port}{self._database}?sslmode=disable"


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)


@pytest_asyncio.fixture
async def way(database_url: str) -> AsyncIterator[tuple[Way, str]]:
    way = Way(database_url)
    async with await asyncio.start_server(way, "127.0.0.1", 0) as server:
        yield way, way.url(server.sockets[0].getsockname()[1])


async def test_listening_starts_again_if_listen_is_not_answered(way: tuple[Way, str]) -> None:
    connections, url = way
    listening: asyncio.Queue[bool] = asyncio.Queue()
    task = asyncio.create_task(
        listen_forever(url, "test", "test", on_notify=lambda _: None, on_gap=listening.put_nowait)
    )
    async with asyncio.timeout(60):
        while not await listening.get():
            pass
    assert connections.connections > 1
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
