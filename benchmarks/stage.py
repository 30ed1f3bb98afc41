"""What runs while it is measured: database, our server, the servers beside it, and the client."""

import gc
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.client import Answer, Client, Line, find_client
from benchmarks.failure import BenchFailed
from benchmarks.processes import Process
from benchmarks.rounds import Series
from benchmarks.world import SECRET, World, load
from sightline.migrations import migrate
from sightline.platform.db import Database
from sightline.platform.db.embedded import EmbeddedServer

POOL_SIZE = 10  # the setting's default
_ADDED_BY_SERVER = {"date", "connection", "transfer-encoding"}


@dataclass(slots=True)
class Stage:
    """`db` is a pool opened as the application opens its own."""

    folder: Path
    url: str
    world: World
    db: Database
    client: Client
    environment: dict[str, str]
    ended: AsyncExitStack

    async def serve(self) -> Process:
        """Our server, without a worker."""
        server = self.start("sightline", "serve", "--no-worker", "--port", "{port}")
        await server.until_ready("/readyz")
        return server

    async def serve_constantly(self) -> Process:
        server = self.start("benchmarks.constant", "{port}")
        await server.until_ready()
        return server

    def start(self, module: str, *arguments: str) -> Process:
        process = Process(self.folder, self.environment, module, *arguments)
        self.ended.callback(process.stop)
        return process

    async def round(
        self, server: Process, requests: list[bytes], series: Series, *, first: int, connections: int, seconds: float
    ) -> int:
        """Adds one round. Returns where the next one begins. Raises BenchFailed unless every answer is a 2xx."""
        before = server.cpu_seconds()
        one = await self.client.round(server.port, requests, first=first, connections=connections, seconds=seconds)
        after = server.cpu_seconds()
        series.add(one, None if before is None or after is None else after - before)
        return first + one.requests + connections


@asynccontextmanager
async def open_stage(size: int) -> AsyncIterator[Stage]:
    """A workspace of so many ideas in a database of its own, and no server yet. Ends everything at the end."""
    async with AsyncExitStack() as ended:
        folder = Path(ended.enter_context(TemporaryDirectory(prefix="sightline-bench-", ignore_cleanup_errors=True)))
        database = EmbeddedServer(folder / "data")
        ended.callback(database.stop)
        url = database.start()
        await migrate(url)
        world = await load(url, size)
        gc.collect()
        gc.freeze()  # the workspace is not looked through again while statements are timed
        db = await Database.connect(url, size=POOL_SIZE, is_impatient=True)
        ended.push_async_callback(db.close)
        environment = {
            "SIGHTLINE_DATABASE_URL": url,
            "SIGHTLINE_LISTEN_URL": "",
            "SIGHTLINE_DATA_DIR": str(folder / "files"),
            "SIGHTLINE_SECRET": SECRET,
            "SIGHTLINE_POOL_SIZE": str(POOL_SIZE),
            "SIGHTLINE_RATE_LIMIT": "0",
            "SIGHTLINE_PORTAL_LIMIT": "0",
        }
        yield Stage(folder, url, world, db, find_client(folder), environment, ended)


async def ask(server: Process, request: bytes) -> Answer:
    """Sends one request. Raises BenchFailed unless it is answered with a 2xx."""
    with closing(await Line.open(server.port)) as line:
        answer = await line.ask(request)
    if not 200 <= answer.status < 300:
        raise BenchFailed(f"A request was answered {answer.status}: {answer.body[:300]!r}")
    return answer


async def repeat(constant: Process, answer: Answer) -> None:
    """Makes the constant server answer this from now on."""
    headers = [header for header in answer.headers if header[0] not in _ADDED_BY_SERVER]
    body = json.dumps([answer.status, headers, answer.body.decode("latin-1")]).encode()
    await ask(constant, b"PUT / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body))
