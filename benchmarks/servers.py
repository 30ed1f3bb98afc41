"""Our servers as an operator starts them, and the server of the constant answer."""

import asyncio
import os
import re
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

from benchmarks.rounds import BenchFailed

START_SECONDS = 60
ROOT = Path(__file__).parents[1]
_PORT = re.compile(r"http://127\.0\.0\.1:(\d+)")


class Server:
    """A process with its children. `port` is the one that it serves on, if it serves."""

    def __init__(self, pid: int, port: int) -> None:
        self._pid, self.port = pid, port

    def cpu_seconds(self) -> float | None:
        """Processor time of its processes so far, ended ones included; None where the system does not report it."""
        try:
            return sum(map(_cpu_seconds, self._tree()))
        except (OSError, ValueError):
            return None

    def resident_megabytes(self) -> int | None:
        """Memory of the largest of its processes; None likewise."""
        try:
            return max(map(resident_megabytes, self._tree()))
        except OSError:
            return None

    def _tree(self) -> list[int]:
        found = [self._pid]
        for pid in found:
            with suppress(FileNotFoundError, ProcessLookupError):  # it has ended
                found += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
        return found


def _cpu_seconds(pid: int) -> float:
    """Processor time of one process and of its children that have ended; nothing when it has ended itself."""
    spent = 0.0
    with suppress(FileNotFoundError, ProcessLookupError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            spent += int((task / "schedstat").read_text().split()[0]) / 1e9
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        spent += (int(after_name[13]) + int(after_name[14])) / os.sysconf("SC_CLK_TCK")
    return spent


@dataclass(frozen=True, slots=True)
class Code:
    """The commit that runs: the folder of its sources, and a Python with its dependencies."""

    source: Path = ROOT / "src"
    python: str = sys.executable

    def environment(self, settings: Mapping[str, str]) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": os.pathsep.join([str(self.source), str(ROOT)]), **settings}


OURS = Code()


@asynccontextmanager
async def running(
    folder: Path, environment: Mapping[str, str], module: str, *arguments: str, until: str, code: Code = OURS
) -> AsyncIterator[Server]:
    """Runs `python -m MODULE ARGUMENTS` in the folder, where its log is written, and ends it when the block is left.

    It is started when it has printed `until`. Raises BenchFailed when that takes more than a minute.
    """
    with NamedTemporaryFile(dir=folder, suffix=".log", delete=False) as log:
        process = await asyncio.create_subprocess_exec(
            *(code.python, "-m", "benchmarks.child", module, *arguments),
            stdin=asyncio.subprocess.PIPE,
            stdout=log,
            stderr=log,
            cwd=folder,  # no sightline.toml lies there
            env=code.environment(environment),
        )
    try:
        port = _PORT.search(await _said(process, Path(log.name), until))
        yield Server(process.pid, int(port[1]) if port else 0)
    finally:
        assert process.stdin is not None  # noqa: S101 - for mypy; it is a pipe
        process.stdin.close()  # which ends it, by force after 20 s
        await process.wait()


async def _said(process: asyncio.subprocess.Process, log: Path, until: str) -> str:
    deadline = time.monotonic() + START_SECONDS
    while until not in (said := _read(log)):
        if process.returncode is not None or time.monotonic() > deadline:
            raise BenchFailed(f"A server did not start. {''.join(said.strip().splitlines()[-1:])}")
        await asyncio.sleep(0.02)
    return said


def _read(log: Path) -> str:
    return log.read_text(errors="replace")


def resident_megabytes(pid: int) -> int:
    """Memory of one process. Raises OSError where the system does not report it."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS"))
