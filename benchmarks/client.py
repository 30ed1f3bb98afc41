"""The load: connections that each send their next request when they have their answer.

wrk sends it where it is installed, else this process.
"""

import asyncio
import json
import signal
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, NamedTuple, cast

from benchmarks.rounds import BenchFailed, Round, during, time_each
from sightline.platform.ids import new_id

FRESH_ID = "00000000-0000-7000-8000-00000000f3e5"  # in a request: another id each time it is sent
LATE_SECONDS = 30
SCRIPT = Path(__file__).parent / "wrk.lua"
LONGEST_REPORT = 64 * 1024 * 1024  # bytes; it has each time that occurred
SUCCESS = range(200, 300)


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

    async def ask(self, request: bytes, expected: range = SUCCESS) -> Answer:
        """Sends the request. Raises BenchFailed when it is not answered in time, or with another status."""
        try:
            async with asyncio.timeout(LATE_SECONDS):
                answer = await self._ask(request.replace(FRESH_ID.encode(), str(new_id()).encode()))
        except (OSError, EOFError, ValueError) as error:
            raise BenchFailed(f"A request was not answered: {error!r}") from error
        if answer.status not in expected:
            raise BenchFailed(f"A request was answered {answer.status}: {answer.body[:300]!r}")
        return answer

    async def _ask(self, request: bytes) -> Answer:
        self._writer.write(request)
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.rstrip().split("\r\n")
        headers = [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines)]
        length = int(dict(headers).get("content-length", 0))
        return Answer(int(first.split()[1]), headers, await self._reader.readexactly(length))

    def close(self) -> None:
        self._writer.close()


async def ask(port: int, request: bytes) -> Answer:
    """Sends one request. Raises BenchFailed unless the answer is a 2xx."""
    with closing(await Line.open(port)) as line:
        return await line.ask(request)


async def send_each(port: int, requests: Iterator[bytes], connections: int, expected: range = SUCCESS) -> Round:
    """Sends each request once, from this process. Raises BenchFailed when one is answered with another status."""
    lines = [await Line.open(port) for _ in range(connections)]
    try:
        sent = await time_each(requests, lambda place, request: lines[place].ask(request, expected), connections)
    finally:
        for line in lines:
            line.close()
    return replace(sent, cpu=None)  # the client's own


async def send_from_here(port: int, requests: Sequence[bytes], first: int, connections: int, seconds: float) -> Round:
    """Sends the requests in turn, from `first` on. Raises BenchFailed unless every answer is a 2xx."""
    turns = islice(cycle(requests), first % len(requests), None)
    return await send_each(port, during(seconds, turns), connections)


async def send_by_wrk(port: int, requests: Sequence[bytes], first: int, connections: int, seconds: float) -> Round:
    """The same by wrk; longer when nothing is answered in this time."""
    with NamedTemporaryFile() as file:
        file.writelines(b"%d\n%b" % (len(request), request) for request in requests)
        file.flush()
        script = [f"--script={SCRIPT}", f"http://127.0.0.1:{port}/", "--", file.name, str(first), FRESH_ID]
        while seconds < LATE_SECONDS:
            sent = await _run_wrk([f"--connections={connections}", *script], connections, seconds)
            if sent.requests:
                return sent
            seconds *= 2
    raise BenchFailed(f"No request was answered within {LATE_SECONDS} s.")


async def _run_wrk(arguments: Iterable[str], connections: int, seconds: float) -> Round:
    """wrk knows whole seconds only, so it is interrupted, whereupon it reports what it has."""
    options = ["--threads=1", "--duration=3600s", f"--timeout={LATE_SECONDS}s"]
    wrk = await asyncio.create_subprocess_exec(
        "wrk",
        *(*options, *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        limit=LONGEST_REPORT,
    )
    try:
        result = await _result(wrk, seconds)
    finally:
        if wrk.returncode is None:
            wrk.kill()
            await wrk.wait()
    if failed := {kind: number for kind, number in result["errors"].items() if number}:
        raise BenchFailed(f"Of {result['requests']} requests failed: {failed}.")
    return Round(result["requests"], result["microseconds"] / 1e6, _without_corrections(result, connections))


async def _result(wrk: asyncio.subprocess.Process, seconds: float) -> dict[str, Any]:
    assert wrk.stdout is not None  # noqa: S101 - for mypy; it is a pipe
    said = b""
    async with asyncio.timeout(seconds + 2 * LATE_SECONDS):
        while line := await wrk.stdout.readline():
            said += line
            if line == b"ready\n":
                await asyncio.sleep(seconds)
                wrk.send_signal(signal.SIGINT)
            if line.startswith(b"{"):
                await wrk.wait()
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
