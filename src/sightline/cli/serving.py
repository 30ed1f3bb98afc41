"""What `serve` and `demo` do: keep the database, the API processes and the worker running until told to stop."""

import asyncio
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from tempfile import TemporaryDirectory
from types import FrameType

from sightline.cli.children import Child
from sightline.cli.database_watch import watched_database
from sightline.cli.listening import listen, refuse_busy_port
from sightline.cli.output import note
from sightline.cli.refusals import CommandRefused
from sightline.platform.db import Database
from sightline.settings import Settings

SHARED_COUNTERS = "PROMETHEUS_MULTIPROC_DIR"
STOP_SECONDS = 15  # with the embedded database's own end, still below 20
CONNECTIONS = 64  # of the embedded database's 100, for the pools of all API processes together


class Stop:
    """How often this process was asked to stop. Until it serves, being asked ends it in order, with exit code 0."""

    def __init__(self) -> None:
        self.times = 0
        self.is_serving = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._ask)

    def _ask(self, _number: int, _frame: FrameType | None) -> None:
        self.times += 1
        if self.times == 1 and not self.is_serving:
            raise SystemExit(0)


def serve(settings: Settings, *, prepare: Callable[[str], None] | None = None, say_ready: Callable[[int], None]) -> int:
    """Serves until SIGTERM or SIGINT; returns the exit code. Raises what refuses to start.

    `prepare` is given the migrated database's address before anything is served, `say_ready` the port once all API
    processes answer and the worker takes jobs.
    """
    stop = Stop()
    refuse_busy_port(settings.host, settings.port)
    with watched_database(settings) as (url, direct_url), _shared_counters(settings.workers) as shared:
        asyncio.run(_ready_database(settings, url, direct_url))
        if prepare is not None:
            prepare(url)
        sockets = listen(settings.host, settings.port, settings.workers)
        port = int(sockets[0].getsockname()[1])
        children = _children(settings, url, port, sockets, shared)
        return _keep_running(children, sockets, stop, lambda: say_ready(port))


def keep_working(settings: Settings, *, say_ready: Callable[[], None]) -> int:
    """Keeps a worker running until SIGTERM or SIGINT; returns the exit code. Raises what refuses to start.

    Migrates the embedded database only: of another one the servers say when.
    """
    stop = Stop()
    with watched_database(settings) as (url, direct_url):
        if settings.database_url is None:
            asyncio.run(_ready_database(settings, url, direct_url))
        else:
            asyncio.run(_refuse_other_version(direct_url))
        told = replace(settings, secret=settings.known_secret(), database_url=url)
        return _keep_running([_worker({**os.environ, **told.environment()})], [], stop, say_ready)


async def _refuse_other_version(direct_url: str) -> None:
    from sightline.migrations import is_current

    if not await is_current(direct_url):
        raise CommandRefused("The database is not up to date: run `sightline migrate`.")


async def _ready_database(settings: Settings, url: str, direct_url: str) -> None:
    """Migrates, and tries the address that the API processes will use."""
    from sightline.migrations import migrate

    if applied := await migrate(direct_url):
        note(f"Migrated the database: {', '.join(applied)}.")
    database = await Database.connect(url, size=1, through_pooler=settings.is_pooled)
    await database.close()


@contextmanager
def _shared_counters(workers: int) -> Iterator[dict[str, str]]:
    """What tells several API processes where to count together, so that `/metrics` of any one tells of all."""
    if workers == 1:
        yield {}
        return
    with TemporaryDirectory(prefix="sightline-metrics-", ignore_cleanup_errors=True) as folder:
        yield {SHARED_COUNTERS: folder}


def _children(
    settings: Settings, url: str, port: int, sockets: list[socket.socket], shared: dict[str, str]
) -> list[Child]:
    """API processes and worker, told by their environment what this process was told in whatever way."""
    told = replace(settings, secret=settings.server_secret(), port=port)
    if settings.database_url is None:
        share = max(2, CONNECTIONS // settings.workers)
        told = replace(told, database_url=url, pool_size=min(settings.pool_size, share))
    environment = {**os.environ, **told.environment(), **shared}
    serving = [
        Child(f"API process {place}", "sightline.cli.api_process", [str(at.fileno())], environment, [at.fileno()])
        for place, at in enumerate(sockets, 1)
    ]
    return serving if settings.no_worker else [*serving, _worker(environment)]


def _worker(environment: dict[str, str]) -> Child:
    own = {name: value for name, value in environment.items() if name != SHARED_COUNTERS}
    return Child("worker", "sightline.cli.worker_process", [], own)


def _keep_running(
    children: list[Child], sockets: list[socket.socket], stop: Stop, say_ready: Callable[[], None]
) -> int:
    stop.is_serving = True
    has_said = False
    try:
        for child in children:
            child.start()
        while not stop.times:
            for child in children:
                _look_after(child)
            if not has_said and all(child.is_ready for child in children):
                say_ready()
                has_said = True
            time.sleep(0.05)
    finally:
        for at in sockets:
            at.close()
        _end(children, stop)
    return 0


def _look_after(child: Child) -> None:
    """Raises CommandRefused when it dies before it was ever ready: starting it again would not help."""
    code = child.look_after()
    if code is None:
        return
    if not child.was_ready:
        raise CommandRefused(f"The {child.name} ended while it started (exit code {code}); see above.")
    note(f"The {child.name} died ({_told(code)}) and is started again.")


def _told(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _end(children: list[Child], stop: Stop) -> None:
    """Lets requests end; who takes too long, or when asked again, is killed."""
    asked = stop.times
    deadline = time.monotonic() + STOP_SECONDS
    for child in children:
        child.end()
    for child in children:
        while not child.wait(0.05):
            if time.monotonic() > deadline or stop.times > asked + 1:
                child.kill()
