"""The load: connections that each send their next request when they have their answer.

wrk sends it, or this process where wrk is not installed.
"""

import asyncio
import json
import resource
import shutil
import signal
import time
from collections import Counter
from itertools import count, cycle, islice, takewhile
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from benchmarks.failure import BenchFailed
from benchmarks.operations import FRESH_ID
from benchmarks.rounds import Round, in_parallel
from sightline.platform.ids import new_id

FRESH = FRESH_ID.encode()
LATE_SECONDS = 30
SCRIPT = Path(__file__).parent / "wrk.lua"


class Client(Protocol):
    name: str

    async def round(self, port: int, requests: list[bytes], *, first: int, connections: int, seconds: float) -> Round:
        """Sends the requests in turn, from `first` on. Raises BenchFailed unless every answer is a 2xx."""


def find_client(folder: Path) -> Client:
    """wrk where it is installed; `folder` is for its files."""
    program = shutil.which("wrk")
    return Wrk(program, folder) if program else OwnClient()


class Wrk:
    """A round of wrk. It knows whole seconds only, so it is interrupted, whereupon it reports what it has."""

    name = "wrk"

    def __init__(self, program: str, folder: Path) -> None:
        self._program, self._file = program, folder / "requests"
        self._written: list[bytes] = []

    async def round(self, port: int, requests: list[bytes], *, first: int, connections: int, seconds: float) -> Round:
        if requests is not self._written:
            self._file.write_bytes(b"".join(b"%d\n%b" % (len(request), request) for request in requests))
            self._written = requests
        while seconds < LATE_SECONDS:
            if (one := await self._run(port, first, connections, seconds)).requests:
                return one
            seconds *= 2
        raise BenchFailed(f"No request was answered within {LATE_SECONDS} s.")

    async def _run(self, port: int, first: int, connections: int, seconds: float) -> Round:
        options = ["--threads=1", f"--connections={connections}", "--duration=3600s", f"--timeout={LATE_SECONDS}s"]
        script = [f"--script={SCRIPT}", f"http://127.0.0.1:{port}/", "--", str(self._file), str(first), FRESH_ID]
        before = _cpu_of_children()
        process = await asyncio.create_subprocess_exec(
            self._program, *options, *script, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        try:
            result = await self._result(process, seconds)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if failed := {kind: number for kind, number in result["errors"].items() if number}:
            raise BenchFailed(f"Of {result['requests']} requests failed: {failed}.")
        return Round(
            result["microseconds"] / 1e6, _cpu_of_children() - before, _without_corrections(result, connections)
        )

    async def _result(self, process: asyncio.subprocess.Process, seconds: float) -> dict[str, Any]:
        assert process.stdout is not None  # noqa: S101 - for mypy; it is a pipe
        said = b""
        while b"ready" not in said:
            line = await asyncio.wait_for(process.stdout.readline(), LATE_SECONDS)
            said += line
            if not line:
                raise BenchFailed(f"wrk did not start: {said.decode().strip()}")
        await asyncio.sleep(seconds)
        process.send_signal(signal.SIGINT)
        said += await asyncio.wait_for(process.stdout.read(), LATE_SECONDS)
        await process.wait()
        for line in said.splitlines():
            if line.startswith(b"{"):
                return cast(dict[str, Any], json.loads(line))
        raise BenchFailed(f"wrk said nothing that can be read: {said.decode().strip()[-300:]}")


def _without_corrections(result: dict[str, Any], connections: int) -> Counter[int]:
    """The times without those that wrk adds: for a slow answer, also the ones of requests that it held up."""
    times = Counter({spent: number for spent, number in result["times"]})
    expected = result["microseconds"] // max(1, result["requests"] // connections)
    for spent in sorted(times, reverse=True):  # the longest is measured; so then is the next, and so on
        for added in range(spent - expected, expected, -expected):
            times[added] -= times[spent]
    return +times


def _cpu_of_children() -> float:
    """Seconds of processor of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class OwnClient:
    """In this process, on its event loop."""

    name = "asyncio"

    async def round(self, port: int, requests: list[bytes], *, first: int, connections: int, seconds: float) -> Round:
        deadline = time.monotonic() + seconds
        turns = islice(cycle(requests), first % len(requests), None)
        return await _send(port, takewhile(lambda _: time.monotonic() < deadline, turns), connections)


async def send_once(port: int, requests: list[bytes], connections: int) -> Round:
    """Sends each request once. Raises BenchFailed unless every answer is a 2xx."""
    return await _send(port, iter(requests), connections)


async def _send(port: int, requests: Any, connections: int) -> Round:
    lines = [await Line.open(port) for _ in range(connections)]
    microseconds, answered = Counter[int](), count()

    async def one_after_another() -> None:
        line = lines[next(answered)]
        for request in requests:
            started = time.perf_counter_ns()
            answer = await line.ask(request)
            microseconds[(time.perf_counter_ns() - started) // 1000] += 1
            if not 200 <= answer.status < 300:
                raise BenchFailed(f"A request was answered {answer.status}: {answer.body[:300]!r}")

    try:
        return await in_parallel(one_after_another, connections, microseconds)
    finally:
        for line in lines:
            line.close()


class Answer(NamedTuple):
    status: int
    headers: list[tuple[str, str]]
    body: bytes


class Line:
    """One connection that is kept open."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def open(cls, port: int) -> "Line":
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    async def ask(self, request: bytes) -> Answer:
        """Sends the request with an id of its own. Raises BenchFailed when no answer comes in time."""
        if FRESH in request:
            request = request.replace(FRESH, str(new_id()).encode())
        try:
            async with asyncio.timeout(LATE_SECONDS):
                return await self._ask(request)
        except (OSError, EOFError, ValueError) as error:
            raise BenchFailed(f"A request was not answered: {error!r}") from error

    async def _ask(self, request: bytes) -> Answer:
        self._writer.write(request)
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.rstrip().split("\r\n")
        headers = [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines)]
        length = int(dict(headers).get("content-length", 0))
        return Answer(int(first.split()[1]), headers, await self._reader.readexactly(length))

    def close(self) -> None:
        self._writer.close()
