"""A network between Sightline and its database that can be cut, and can stand still."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlsplit

ENDED = b"SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0"


class Line:
    """Passes TCP connections on to the database's socket. `url` is the database's address by way of this line.

    Once a client sends `stops_at`, nothing passes until `resume`. A transaction that sends `loses_commit_of` is
    committed, but its connection is closed before the answer comes.
    """

    def __init__(self, database_url: str) -> None:
        self._parts = urlsplit(database_url)
        where = parse_qs(self._parts.query)
        self._socket = f"{where['host'][0]}/.s.PGSQL.{where.get('port', ['5432'])[0]}"
        self._server: asyncio.Server | None = None
        self._port = 0
        self._clients: list[asyncio.StreamWriter] = []
        self._flows = asyncio.Event()
        self._flows.set()
        self._silent: list[asyncio.Event] = []
        self._is_stopped = asyncio.Event()
        self.stops_at: bytes | None = None
        self.loses_commit_of: bytes | None = None
        self.connections = 0

    async def open(self) -> None:
        """Takes connections, also again after `cut`."""
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    @property
    def url(self) -> str:
        user = self._parts.netloc.rpartition("@")[0]
        return f"postgresql://{user}@127.0.0.1:{self._port}{self._parts.path}?sslmode=disable"

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._clients.append(writer)
        there, onward = await asyncio.open_unix_connection(self._socket)
        flows = self._flows
        await asyncio.gather(self._pass_on(reader, onward, flows, client=writer), self._pass_on(there, writer, flows))

    async def _pass_on(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        flows: asyncio.Event,
        *,
        client: asyncio.StreamWriter | None = None,
    ) -> None:
        """`client` gets the answers to what is passed on, if that comes from a client."""
        loses_commit = False
        try:
            while data := await reader.read(65536):
                if client and self.stops_at is not None and self.stops_at in data:
                    self.stop()
                await flows.wait()
                if writer.is_closing():
                    break
                writer.write(data)
                if client and self.loses_commit_of is not None:
                    loses_commit = loses_commit or self.loses_commit_of in data
                    if loses_commit and b"COMMIT" in data:
                        client.close()
        except ConnectionError:
            pass
        finally:
            writer.close()

    def stop(self) -> None:
        """Lets nothing pass any more; connections stay open and new ones are accepted."""
        self.stops_at = None
        self._flows.clear()
        self._is_stopped.set()

    def silence(self) -> None:
        """Lets nothing pass on the connections of now; they stay open, and new ones work."""
        self._flows.clear()
        self._silent.append(self._flows)
        self._flows = asyncio.Event()
        self._flows.set()

    async def until_stopped(self) -> None:
        await self._is_stopped.wait()

    def resume(self) -> None:
        """Lets everything pass again, also what came before `silence`."""
        self._is_stopped.clear()
        for flows in (self._flows, *self._silent):
            flows.set()

    def cut(self) -> None:
        """Closes all connections and refuses new ones."""
        assert self._server is not None
        self._server.close()
        for writer in self._clients:
            writer.close()
        self._clients.clear()

    def say_ended(self) -> None:
        """Tells every client, as the server does before it closes a connection, that its session was ended."""
        for writer in self._clients:
            if not writer.is_closing():
                writer.write(b"E" + (len(ENDED) + 4).to_bytes(4, "big") + ENDED)


@asynccontextmanager
async def open_line(database_url: str) -> AsyncIterator[Line]:
    line = Line(database_url)
    await line.open()
    try:
        yield line
    finally:
        line.resume()
        line.cut()
