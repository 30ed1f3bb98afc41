"""The processes of one benchmark: database, our server, the servers beside it, the client; all ended at the end."""

import asyncio
import socket
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sightline.bench.child import Child
from sightline.bench.failure import BenchFailed
from sightline.bench.figures import Series
from sightline.bench.wire import Request
from sightline.bench.world import World, load
from sightline.migrations import migrate
from sightline.platform.db.embedded import EmbeddedServer

START_SECONDS = 60
LEARN_SECONDS = 60
SLACK_SECONDS = 30
ONCE_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Served:
    """One server: where it listens, and its processes."""

    port: int
    children: list[Child]

    def cpu_seconds(self) -> float | None:
        """Processor time of its processes so far; None where the system does not tell."""
        return cpu_seconds([child.pid for child in self.children])

    def stop(self) -> None:
        for child in self.children:
            child.stop()


def cpu_seconds(pids: list[int]) -> float | None:
    try:
        tasks = [task for pid in pids for task in Path(f"/proc/{pid}/task").iterdir()]
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9
    except (OSError, ValueError):
        return None


class Stage:
    """`with Stage(folder, factory, processes) as stage`: everything that runs while it is measured."""

    def __init__(self, folder: Path, factory: str, processes: int) -> None:
        self._folder, self._factory, self._processes = folder, factory, processes
        self._stack = ExitStack()
        self.environment: dict[str, str] = {}

    def __enter__(self) -> "Stage":
        try:
            database = EmbeddedServer(self._folder / "data")
            self._stack.callback(database.stop)
            self.url = database.start()
            self.environment = {
                "SIGHTLINE_DATABASE_URL": self.url,
                "SIGHTLINE_LISTEN_URL": "",
                "SIGHTLINE_DATA_DIR": str(self._folder / "files"),
                "SIGHTLINE_SECRET": "benchmark-" + "0" * 54,
                "SIGHTLINE_RATE_LIMIT": "0",
            }
            asyncio.run(migrate(self.url))
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *problem: object) -> None:
        self._stack.close()

    def load(self, size: int) -> World:
        return asyncio.run(load(self.url, size))

    def start_client(self) -> None:
        self._client = self._child("client")
        self._statements = self._child("statements")

    def serve_ours(self) -> Served:
        return self._serve(self._processes, factory=self._factory)

    def serve_constantly(self, answer: Any) -> Served:
        return self._serve(self._processes, answer=answer, trivial=False)

    def serve_trivially(self, answer: Any) -> Served:
        return self._serve(1, answer=answer, trivial=True)

    def start_workers(self, processes: int) -> list[Child]:
        workers = [self._child("workers") for _ in range(processes)]
        for worker in workers:
            worker.ask(START_SECONDS)
        return workers

    def _serve(self, processes: int, **what: Any) -> Served:
        with socket.create_server(("127.0.0.1", 0), backlog=1024) as sock:
            children = [self._child("servers", sock) for _ in range(processes)]
            for child in children:
                child.ask(START_SECONDS, socket=sock.fileno(), **what)
            return Served(sock.getsockname()[1], children)

    def _child(self, module: str, sock: socket.socket | None = None) -> Child:
        log = self._folder / f"{module}.log"
        child = Child(f"sightline.bench.{module}", log, self.environment, sock)
        return self._stack.enter_context(child)

    def learn(self, requests: list[Request], key: str) -> dict[str, Any]:
        """Which statements these requests run, and what they are answered."""
        sent = [(request.method, request.target, request.body.decode("latin-1")) for request in requests]
        learnt: dict[str, Any] = self._statements.ask(LEARN_SECONDS, factory=self._factory, requests=sent, key=key)
        return learnt

    def ask(self, served: Served, requests: list[str], connections: int, seconds: float, series: Series) -> None:
        """Adds one round. Refuses with BenchFailed when any answer is not a 2xx."""
        before = served.cpu_seconds()
        said = self._load(served, requests, connections, seconds)
        after = served.cpu_seconds()
        series.rates.append(said["requests"] / said["seconds"])
        series.client_cpu.append(said["cpuSeconds"] / said["requests"])
        series.microseconds += said["microseconds"]
        if before is not None and after is not None:
            series.cpu.append((after - before) / said["requests"])

    def ask_once(self, served: Served, requests: list[str], connections: int) -> None:
        """Sends each request once. Refuses with BenchFailed when any answer is not a 2xx."""
        said = self._load(served, requests, connections, ONCE_SECONDS, once=True)
        if said["requests"] < len(requests):
            raise BenchFailed(f"Only {said['requests']} of {len(requests)} requests were sent in {ONCE_SECONDS} s.")

    def _load(
        self, served: Served, requests: list[str], connections: int, seconds: float, *, once: bool = False
    ) -> dict[str, Any]:
        said: dict[str, Any] = self._client.ask(
            seconds + SLACK_SECONDS,
            **{"port": served.port, "requests": requests, "connections": connections},
            **{"seconds": seconds, "once": once},
        )
        if said["errors"] or not said["requests"]:
            raise BenchFailed(f"{said['errors']} of {said['requests']} requests failed: {said['firstError']}")
        return said

    def replay(self, connections: int, seconds: float, series: Series) -> None:
        """Adds one round of the statements learnt last."""
        said = self._statements.ask(seconds + SLACK_SECONDS, connections=connections, seconds=seconds)
        series.rates.append(said["requests"] / said["seconds"])
        series.cpu.append(said["cpuSeconds"] / said["requests"])
