"""Clients that read as slowly as a test wants."""

import asyncio
import tracemalloc
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sightline.app import create_app
from sightline.settings import Settings
from tests.waiting import next_turn
from tests.world import World


class Reader:
    """A client that reads as slowly as a test wants; the application is called without a server in between."""

    def __init__(self, world: World, key: str, query: str, path: str = "/signals") -> None:
        path = f"/api/external/v1{path}"
        self.scope = {
            "type": "http",
            "method": "GET",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(b"authorization", f"Bearer {key}".encode()), (b"host", b"api.test")],
            "scheme": "http",
            "server": ("127.0.0.1", 80),
            "client": ("127.0.0.1", 1),
            "root_path": "",
        }
        self.world = world
        self.sizes: list[int] = []
        self.body = bytearray()
        self.keeps = True

    async def receive(self) -> Any:
        await asyncio.Event().wait()

    async def send(self, message: Any) -> None:
        if body := message.get("body"):
            self.sizes.append(len(body))
            if self.keeps:
                self.body += body
        await self.on_piece()

    async def on_piece(self) -> None:
        await next_turn()


@asynccontextmanager
async def started(database_url: str, pool_size: int) -> AsyncIterator[Any]:
    """The application with a pool of so many connections, without a server in between."""
    settings = {
        "database_url": database_url,
        "data_dir": Path("/nonexistent"),
        "log_level": "error",
        "pool_size": pool_size,
    }
    app = create_app(Settings.read(settings, environment={}, file=Path("/nonexistent")))
    messages: asyncio.Queue[Any] = asyncio.Queue()
    has_started = asyncio.Event()

    async def send(message: Any) -> None:
        has_started.set()

    lifespan = asyncio.create_task(app({"type": "lifespan", "asgi": {}, "state": {}}, messages.get, send))
    await messages.put({"type": "lifespan.startup"})
    await has_started.wait()
    yield app
    await messages.put({"type": "lifespan.shutdown"})
    await lifespan


class StoppingReader(Reader):
    """A reader that takes so many pieces, and then none before it may go on."""

    def __init__(self, world: World, key: str, query: str, pieces: int, path: str = "/signals") -> None:
        super().__init__(world, key, query, path)
        self.pieces = pieces
        self.has_stopped, self.may_go_on = asyncio.Event(), asyncio.Event()

    async def on_piece(self) -> None:
        if len(self.sizes) == self.pieces:
            self.has_stopped.set()
            await self.may_go_on.wait()


async def memory_of(application: Any, stopping: Sequence[StoppingReader]) -> tuple[int, int]:
    """What readers cost while they have stopped, and at most until then, in bytes. Then they read to the end."""
    tracemalloc.start()
    try:
        reading = [asyncio.create_task(application(one.scope, one.receive, one.send)) for one in stopping]
        for one in stopping:
            await asyncio.wait_for(one.has_stopped.wait(), 60)
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    for one in stopping:
        one.may_go_on.set()
    await asyncio.gather(*reading)
    return held, peak
