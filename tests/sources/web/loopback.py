"""A web on 127.0.0.1: hosts that answer with what a test says, byte by byte where it matters."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_network
from typing import Any

from sightline.platform.clock import Clock
from sightline.sources.web.extractor import Extractor
from sightline.sources.web.fetching import Fetcher
from sightline.sources.web.gate import Gate
from sightline.sources.web.reader import WebReader
from sightline.sources.web.robots import Pacing
from tests.waiting import hang

Write = Callable[[asyncio.StreamWriter], Awaitable[None]]
Answer = bytes | Write

LOOPBACK = (ip_network("127.0.0.0/8"),)
SENTENCE = "Workshops send the estimate by text message, and the customer gives approval before any of the work starts."
ARTICLE = f"<html lang='en'><head><title>Yes</title></head><body><article><p>{SENTENCE}</p></article></body></html>"


def http(
    body: bytes | str = ARTICLE,
    status: str = "200 OK",
    headers: Mapping[str, str] | None = None,
    media_type: str | None = "text/html",
) -> bytes:
    """A whole answer."""
    content = body.encode() if isinstance(body, str) else body
    fields = {"Content-Length": str(len(content)), **({"Content-Type": media_type} if media_type else {})}
    lines = "".join(f"{name}: {value}\r\n" for name, value in (fields | dict(headers or {})).items())
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + content


def redirect(url: str) -> bytes:
    return http("", "302 Found", {"Location": url})


class Answering:
    """Answers one request of each connection, as `_answer` says."""

    def __init__(self) -> None:
        self.connections = 0
        self.tasks: set[asyncio.Task[Any]] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A client that goes away, or the end of the test, ends the answer."""
        self.connections += 1
        task = asyncio.current_task()
        assert task
        self.tasks.add(task)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                await self._answer(reader, writer)
        finally:
            writer.close()
            with suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()
            self.tasks.discard(task)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        raise NotImplementedError


class Host(Answering):
    """One host. `answers` are by path; what is missing is 404. `requests` are heads of requests as they came."""

    def __init__(self, address: str = "127.0.0.1", answers: Mapping[str, Answer] | None = None) -> None:
        super().__init__()
        self.address = address
        self.answers = dict(answers or {})
        self.requests: list[str] = []
        self.port = 0
        self.is_silent = False

    @property
    def url(self) -> str:
        return f"http://{self.address}:{self.port}"

    @property
    def paths(self) -> list[str]:
        return [head.split(" ")[1] for head in self.requests]

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        lengths = [int(line[15:]) for line in head.split("\r\n") if line.lower().startswith("content-length:")]
        self.requests.append(head + (await reader.readexactly(sum(lengths))).decode())
        if self.is_silent:
            await hang()
        path = head.split(" ")[1]
        known = [self.answers[name] for name in (path, path.partition("?")[0]) if name in self.answers]
        answer = known[0] if known else http("", "404 Not Found")
        if isinstance(answer, bytes):
            writer.write(answer)
        else:
            await answer(writer)
        await writer.drain()


@asynccontextmanager
async def hosting(answers: Mapping[str, Answer] | None = None, address: str = "127.0.0.1") -> AsyncIterator[Host]:
    """A host that serves until the test ends."""
    host = Host(address, answers)
    server = await asyncio.start_server(host.serve, address, 0)
    host.port = server.sockets[0].getsockname()[1]
    try:
        yield host
    finally:
        server.close()
        waiting = list(host.tasks)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)


@asynccontextmanager
async def reading(*, seconds: float = 30.0, reading_seconds: float = 30.0) -> AsyncIterator[WebReader]:
    """A reader that may read from 127.0.0.0/8, without pauses."""
    fetcher, extractor = Fetcher(Gate(LOOPBACK), seconds=seconds), Extractor(seconds=reading_seconds)
    reader = WebReader(Clock(), fetcher=fetcher, extractor=extractor, pacing=Pacing(0.0))
    try:
        yield reader
    finally:
        await reader.aclose()
