"""A pooler in transaction mode, as small as it can be: each transaction of a client gets some session of the server."""

import asyncio
import os
import queue
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

SSL_REQUEST = 80877103
Session = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass
class Pooler:
    """Sessions of one database and user, the last used first."""

    socket: str
    user: str
    database: str
    idle: list[Session] = field(default_factory=list)
    greeting: bytes = b""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        held: Session | None = None
        answer: asyncio.Task[bytes] | None = None
        try:
            name = await self._greet(reader, writer)
            while (message := await _read(reader))[:1] != b"X":
                held = held or await self._session(name)
                answer = answer or asyncio.create_task(_relay(held[0], writer))
                held[1].write(message)
                if message[:1] in b"QS":
                    state, answer = await answer, None
                    if state == b"I":
                        self.idle.append(held)
                        held = None
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            if answer is not None:
                answer.cancel()
            if held is not None:
                held[1].close()
            writer.close()

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
        """Returns the name that the client gives its session, or an empty text."""
        while struct.unpack("!I", (asked := await _read(reader, type_bytes=0))[4:8])[0] == SSL_REQUEST:
            writer.write(b"N")
        words = asked[8:].decode().split("\0")
        if not self.greeting:
            self.idle.append(await self._session())
        key = b"K" + struct.pack("!I", 12) + os.urandom(8)
        writer.write(b"R" + struct.pack("!II", 8, 0) + self.greeting + key + b"Z" + struct.pack("!I", 5) + b"I")
        return dict(zip(words[::2], words[1::2], strict=False)).get("application_name", "")

    async def _session(self, name: str = "") -> Session:
        """Lends a session. One without a name keeps that of the client before, as with PgBouncer."""
        reader, writer = self.idle.pop() if self.idle else await self._connect()
        if name:
            statement = f"SET application_name = '{name}'\0".encode()
            writer.write(b"Q" + struct.pack("!I", len(statement) + 4) + statement)
            while (await _read(reader))[:1] != b"Z":
                pass
        return reader, writer

    async def _connect(self) -> Session:
        reader, writer = await asyncio.open_unix_connection(self.socket)
        words = f"user\0{self.user}\0database\0{self.database}\0\0".encode()
        writer.write(struct.pack("!II", len(words) + 8, 196608) + words)
        parameters = b""
        while (message := await _read(reader))[:1] != b"Z":
            parameters += message if message[:1] == b"S" else b""
        self.greeting = parameters
        return reader, writer


async def _read(reader: asyncio.StreamReader, type_bytes: int = 1) -> bytes:
    head = await reader.readexactly(4 + type_bytes)
    return head + await reader.readexactly(struct.unpack("!I", head[type_bytes:])[0] - 4)


async def _relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    """Passes on the answer and returns the state of the transaction after it."""
    while True:
        message = await _read(reader)
        writer.write(message)
        if message[:1] == b"Z":
            await writer.drain()
            return message[5:6]


@contextmanager
def pooling(url: str) -> Iterator[str]:
    """The address of a pooler before the database of this address, which is that of a Unix socket."""
    parts = urlsplit(url)
    folder, port = (parse_qs(parts.query)[name][0] for name in ("host", "port"))
    pooler = Pooler(f"{folder}/.s.PGSQL.{port}", parts.username or "", parts.path[1:])
    ports: queue.Queue[int] = queue.Queue()
    loop, end = asyncio.new_event_loop(), asyncio.Event()

    async def serve() -> None:
        async with await asyncio.start_server(pooler.serve, "127.0.0.1", 0) as server:
            ports.put(server.sockets[0].getsockname()[1])
            await end.wait()
            for _, writer in pooler.idle:
                writer.close()
                await writer.wait_closed()

    def run() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(serve())

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield f"postgresql://{parts.username}@127.0.0.1:{ports.get(timeout=10)}{parts.path}?sslmode=disable"
    finally:
        loop.call_soon_threadsafe(end.set)
        thread.join(10)
