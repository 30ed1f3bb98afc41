"""What runs while it is measured: the database, our server, the constant server, and the client."""

import gc
import json
import shutil
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.client import Answer, ask, send_by_wrk, send_from_here
from benchmarks.rounds import Measure, Round
from benchmarks.servers import Server, running
from benchmarks.world import SECRET, World, load
from sightline.migrations import migrate
from sightline.platform.db import Database
from sightline.platform.db.embedded import EmbeddedServer

POOL_SIZE = 10  # the setting's default
_ADDED_BY_SERVER = {"date", "connection", "transfer-encoding"}


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured, with so many ideas.

    Every row has up to `rounds` rounds of at most `longest` seconds, and fewer and shorter ones when `seconds` in all
    would not do. Documents are regenerated `documents` at once. Research searches `sections`, and reads `pages`.
    """

    size: int = 100_000
    rounds: int = 5
    seconds: float = 330
    longest: float = 2.0
    documents: int = 1_000
    sections: int = 5
    pages: int = 1_000


@dataclass(slots=True)
class Stage:
    """`db` has connections as the application has. `start` is `running()` with our settings."""

    plan: Plan
    world: World
    db: Database
    start: Callable[..., AbstractAsyncContextManager[Server]]
    ours: Server
    constant: Server
    start_seconds: float
    has_wrk: bool = field(default_factory=lambda: shutil.which("wrk") is not None)

    def send_to(self, server: Server, requests: Sequence[bytes]) -> Measure:
        """Rounds of these requests in turn; each begins where the one before ended."""
        send, turn = send_by_wrk if self.has_wrk else send_from_here, 0

        async def measure(connections: int, seconds: float) -> Round:
            nonlocal turn
            before = server.cpu_seconds()
            sent = await send(server.port, requests, turn, connections, seconds)
            after = server.cpu_seconds()
            turn += sent.requests + connections
            return replace(sent, cpu=None if before is None or after is None else after - before)

        return measure

    async def repeat(self, answer: Answer) -> None:
        """Makes the constant server answer this from now on."""
        headers = [header for header in answer.headers if header[0] not in _ADDED_BY_SERVER]
        body = json.dumps([answer.status, headers, answer.body.decode("latin-1")]).encode()
        head = b"PUT / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: %d\r\n\r\n" % len(body)
        await ask(self.constant.port, head + body)


@asynccontextmanager
async def open_stage(plan: Plan) -> AsyncIterator[Stage]:
    """The plan's workspace in a database of its own, and the servers. Ends everything at the end."""
    async with AsyncExitStack() as ended:
        folder = Path(ended.enter_context(TemporaryDirectory(prefix="sightline-bench-", ignore_cleanup_errors=True)))
        database = EmbeddedServer(folder / "data")
        ended.callback(database.stop)
        url = database.start()
        await migrate(url)
        world = await load(url, plan.size)
        gc.collect()
        gc.freeze()  # the workspace is not looked through again while statements are timed
        db = await Database.connect(url, size=POOL_SIZE, is_impatient=True)
        ended.push_async_callback(db.close)
        start = partial(running, folder, _settings(url, folder))
        started = time.monotonic()
        serve = ("sightline", "serve", "--no-worker", "--port", "0")
        ours = await ended.enter_async_context(start(*serve, until="Sightline serves on"))
        start_seconds = time.monotonic() - started
        constant = await ended.enter_async_context(start("benchmarks.constant", until="serves on"))
        yield Stage(plan, world, db, start, ours, constant, start_seconds)


def _settings(url: str, folder: Path) -> dict[str, str]:
    return {
        "SIGHTLINE_DATABASE_URL": url,
        "SIGHTLINE_LISTEN_URL": "",
        "SIGHTLINE_DATA_DIR": str(folder / "files"),
        "SIGHTLINE_SECRET": SECRET,
        "SIGHTLINE_POOL_SIZE": str(POOL_SIZE),
        "SIGHTLINE_RATE_LIMIT": "0",
        "SIGHTLINE_PORTAL_LIMIT": "0",
    }
