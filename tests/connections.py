"""HTTP/1.1 of the tests' clients over plain connections.

The layers below httpx2 take longer for a request than the server does, and tests send a hundred thousand.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from select import POLLIN, poll
from typing import Any

import httpx2

_LONGEST_HEAD = 1024 * 1024
Headers = list[tuple[bytes, bytes]]


class Connections(httpx2.AsyncBaseTransport):
    """Keeps the connections to one server. Raises httpx2.TransportError if one is lost or too slow."""

    def __init__(self) -> None:
        self.idle: list[Connection] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        seconds = request.extensions["timeout"]["read"]
        with _as_of_httpx2():
            async with asyncio.timeout(seconds):
                connection = await self._take(request.url)
                try:
                    await connection.write(request)
                    status, headers = await connection.read_head()
                except BaseException:
                    connection.writer.close()
                    raise
        is_last = (b"connection", b"close") in headers
        pieces = connection.read_body(request.method, status, dict(headers))
        body = _Body(connection, pieces, seconds, None if is_last else self.idle)
        return httpx2.Response(status, headers=headers, stream=body)

    async def _take(self, url: httpx2.URL) -> "Connection":
        while self.idle:
            if (connection := self.idle.pop()).is_open():
                return connection
            connection.writer.close()
        return Connection(*await asyncio.open_connection(url.host, url.port, limit=_LONGEST_HEAD))

    async def aclose(self) -> None:
        for connection in self.idle:
            connection.writer.close()


class Connection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self._poll = poll()
        self._poll.register(writer.get_extra_info("socket"), POLLIN)

    def is_open(self) -> bool:
        """False when the server has closed it: nothing else comes between two requests."""
        return not self._poll.poll(0)

    async def write(self, request: httpx2.Request) -> None:
        """Writes as much as the server takes: it may answer and close before the end of the body."""
        lines = [b"%s %s HTTP/1.1" % (request.method.encode(), request.url.raw_path)]
        lines += (b"%s: %s" % pair for pair in request.headers.raw)
        is_chunked = "Transfer-Encoding" in request.headers
        unsent = b"\r\n".join([*lines, b"", b""])
        try:
            async for part in _parts(request):
                self.writer.write(unsent + (b"%x\r\n%s\r\n" % (len(part), part) if is_chunked else part))
                unsent = b""
                await self.writer.drain()
            self.writer.write(unsent + (b"0\r\n\r\n" if is_chunked else b""))
        except ConnectionError:
            pass

    async def read_head(self) -> tuple[int, Headers]:
        first, *lines = (await self.reader.readuntil(b"\r\n\r\n"))[:-4].split(b"\r\n")
        pairs = (line.partition(b":") for line in lines)
        return int(first[9:12]), [(name.lower(), value.strip()) for name, _, value in pairs]

    async def read_body(self, method: str, status: int, headers: dict[bytes, bytes]) -> AsyncIterator[bytes]:
        if method == "HEAD" or status in (204, 304):
            return
        if b"content-length" in headers:
            yield await self.reader.readexactly(int(headers[b"content-length"]))
        elif b"transfer-encoding" in headers:
            while size := int(await self.reader.readuntil(b"\r\n"), 16):
                yield (await self.reader.readexactly(size + 2))[:-2]
            await self.reader.readexactly(2)
        else:
            while piece := await self.reader.read(65_536):
                yield piece


class _Body(httpx2.AsyncByteStream):
    """The body of a response. Keeps the connection when all of it was read."""

    def __init__(
        self, connection: Connection, pieces: AsyncIterator[bytes], seconds: float, idle: list[Connection] | None
    ) -> None:
        self._connection, self._pieces, self._seconds, self._idle = connection, pieces, seconds, idle
        self._is_whole = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while not self._is_whole:
            with _as_of_httpx2():
                async with asyncio.timeout(self._seconds):
                    piece = await anext(self._pieces, None)
            if piece is None:
                self._is_whole = True
            else:
                yield piece

    async def aclose(self) -> None:
        if self._is_whole and self._idle is not None:
            self._idle.append(self._connection)
        else:
            self._connection.writer.close()


def _parts(request: httpx2.Request) -> AsyncIterator[bytes]:
    stream: Any = request.stream
    return stream.__aiter__()  # type: ignore[no-any-return]  # bytes, as each client here is asynchronous


@contextmanager
def _as_of_httpx2() -> Iterator[None]:
    try:
        yield
    except TimeoutError as error:
        raise httpx2.ReadTimeout(str(error)) from error
    except (OSError, asyncio.IncompleteReadError) as error:
        raise httpx2.NetworkError(str(error)) from error
