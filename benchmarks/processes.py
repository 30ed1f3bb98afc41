"""The processes of one benchmark: ours as an operator starts them, and the servers beside them."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from pathlib import Path

from benchmarks.client import Line
from benchmarks.failure import BenchFailed

START_SECONDS = 60
STOP_SECONDS = 25
ROOT = Path(__file__).parents[1]


class Process:
    """`python -m MODULE ARGUMENTS`; what it prints goes to a log in `folder`. `port` is the one it is to listen on."""

    def __init__(self, folder: Path, environment: dict[str, str], module: str, *arguments: str) -> None:
        self.port = _free_port()
        self._log = folder / f"{module}-{self.port}.log"
        path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and a module of ours
                [
                    *(sys.executable, "-m", "benchmarks.child", module),
                    *(one.format(port=self.port) for one in arguments),
                ],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                cwd=folder,  # no sightline.toml lies there
                env={**os.environ, "PYTHONPATH": path, **environment},
            )

    async def until_ready(self, path: str = "/") -> None:
        """Waits until GET of the path is answered 200. Raises BenchFailed when that takes more than a minute."""
        await self._until(lambda: self._answers(path))

    async def until_said(self, text: str) -> None:
        """Waits until it prints this. Raises BenchFailed likewise."""

        async def is_said() -> bool:
            return text in self._log.read_text(errors="replace")

        await self._until(is_said)

    async def _until(self, is_so: Callable[[], Awaitable[bool]]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not await is_so():
            if self._process.poll() is not None or time.monotonic() > deadline:
                lines = self._log.read_text(errors="replace").strip().splitlines()
                raise BenchFailed(f"{self._log.stem} did not start. {lines[-1] if lines else ''}".strip())
            await asyncio.sleep(0.02)

    async def _answers(self, path: str) -> bool:
        try:
            with closing(await Line.open(self.port)) as line:
                answer = await line.ask(f"GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n".encode())
        except (OSError, BenchFailed):
            return False
        return answer.status == 200

    def _tree(self) -> list[int]:
        """Its process and all below it."""
        found = [self._process.pid]
        for pid in found:
            children = Path(f"/proc/{pid}/task/{pid}/children")
            found += [int(child) for child in children.read_text().split()] if children.exists() else []
        return found

    def cpu_seconds(self) -> float | None:
        """Processor time of its processes so far; None where the system does not report it."""
        try:
            tasks = [task for pid in self._tree() for task in Path(f"/proc/{pid}/task").iterdir()]
            return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9
        except (OSError, ValueError):
            return None

    def resident_megabytes(self) -> int | None:
        """Memory of the largest of its processes; None likewise."""
        try:
            return max(resident_megabytes(pid) for pid in self._tree())
        except (OSError, ValueError):
            return None

    def stop(self) -> None:
        """Waits for it to end, then ends it. Does nothing when it has ended."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            self._process.send_signal(number)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(STOP_SECONDS)
                break
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        return int(sock.getsockname()[1])


def resident_megabytes(pid: int) -> int:
    """Memory of one process. Raises OSError where the system does not report it."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS"))
