"""A portal while its database does not answer."""

import asyncio
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.portal.product import SERVER_SECRET, PortalWorld
from tests.world import serving

pytestmark = pytest.mark.slow


class Line:
    """A way to the database over TCP that can be cut."""

    def __init__(self, database_url: str) -> None:
        parts = urlsplit(database_url)
        where = parse_qs(parts.query)
        self._socket = f"{where['host'][0]}/.s.PGSQL.{where.get('port', ['5432'])[0]}"
        self._parts = parts
        self._writers: list[asyncio.StreamWriter] = []

    async def open(self) -> str:
        """Returns the address of the database by way of this line."""
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        user = self._parts.netloc.rpartition("@")[0]
        return f"postgresql://{user}@127.0.0.1:{port}{self._parts.path}"

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, onward = await asyncio.open_unix_connection(self._socket)
        self._writers += [writer, onward]
        await asyncio.gather(_pass_on(reader, onward), _pass_on(there, writer))

    def cut(self) -> None:
        self._server.close()
        for writer in self._writers:
            writer.close()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
    writer.close()


async def test_a_portal_says_that_it_cannot_answer(world: PortalWorld, database_url: str) -> None:
    await world.open_portal(host=f"{world.slug}.test")
    line = Line(database_url)
    async with (
        serving(await line.open(), secret=SERVER_SECRET, listen_url=database_url) as address,
        world.browser(address, host=f"{world.slug}.test", root="") as mapped,
        world.browser(address) as browser,
    ):
        assert (await mapped.get("/")).status_code == 302
        await asyncio.sleep(5.1)  # a host is looked up again after 5 s
        line.cut()
        for answer in (await browser.get("/"), await mapped.get("/")):
            assert answer.status_code == 503
            assert "cannot answer right now" in answer.text
