"""The load: that of this process, and that of wrk where it is installed."""

import asyncio
import json
import os
import shutil
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from benchmarks.client import FRESH_ID, send_by_wrk, send_each, send_from_here
from benchmarks.operations import write_request
from benchmarks.rounds import BenchFailed, Round

GOOD = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"
REFUSAL = b"HTTP/1.1 503 Unavailable\r\ncontent-length: 0\r\n\r\n"
REQUESTS = [write_request("POST", f"/{number}", body=f'{{"id": "{FRESH_ID}"}}'.encode()) for number in range(3)]
Client = Callable[..., Awaitable[Round]]


@asynccontextmanager
async def server(answer: Callable[[bytes], bytes]) -> AsyncIterator[int]:
    """The port of a server that answers each request with what `answer` makes of it."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                body = await reader.readexactly(int(head.partition(b"content-length: ")[2].split()[0]))
                if not (answered := answer(head + body)):
                    break
                writer.write(answered)
                await writer.drain()
        except (OSError, EOFError):
            pass  # the client has closed the connection
        finally:
            writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as listening:
        yield listening.sockets[0].getsockname()[1]


@pytest.fixture(params=[send_from_here, send_by_wrk], ids=["asyncio", "wrk"])
def client(request: pytest.FixtureRequest) -> Client:
    if request.param is send_by_wrk and not shutil.which("wrk"):
        pytest.skip("wrk is not installed")
    send: Client = request.param
    return send


async def test_requests_are_sent_in_turn_each_with_an_id_of_its_own(client: Client) -> None:
    seen: list[bytes] = []

    def note(request: bytes) -> bytes:
        seen.append(request)
        return GOOD

    async with server(note) as port:
        one = await client(port, REQUESTS, first=1, connections=1, seconds=0.3)
    assert 3 < one.requests <= len(seen) <= one.requests + 1
    assert [request.split()[1] for request in seen[:4]] == [b"/1", b"/2", b"/0", b"/1"]
    assert len(set(seen)) == len(seen)
    assert {len(request) for request in seen} == {len(REQUESTS[0])}
    assert not any(FRESH_ID.encode() in request for request in seen)
    assert one.seconds >= 0.1


async def test_an_answer_outside_2xx_ends_the_run(client: Client) -> None:
    async with server(lambda request: REFUSAL if request.startswith(b"POST /2") else GOOD) as port:
        with pytest.raises(BenchFailed):
            await client(port, REQUESTS, first=0, connections=2, seconds=0.3)


async def test_a_lost_connection_ends_the_run() -> None:
    async with server(lambda request: b"") as port:
        with pytest.raises(BenchFailed):
            await send_each(port, iter(REQUESTS), 1)


async def test_each_request_is_sent_once_where_that_is_asked_for() -> None:
    seen: list[bytes] = []

    def note(request: bytes) -> bytes:
        seen.append(request.split()[1])
        return GOOD

    async with server(note) as port:
        sent = await send_each(port, iter(REQUESTS), connections=8)
    assert sent.requests == 3
    assert sorted(seen) == [b"/0", b"/1", b"/2"]


# A shell could not trap a signal that its parent ignores.
STAND_IN = """
import signal, sys
def report(*_):
    print(open("{report}").read(), end="", flush=True)
    sys.exit()
signal.signal(signal.SIGINT, report)
print("ready", flush=True)
while True:
    signal.pause()
"""


async def test_a_long_report_of_wrk_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of the same name stands in for it."""
    times = [[spent, 1] for spent in range(1, 10_001)]
    report = {"requests": 10_000, "microseconds": 100_000_000, "errors": {"status": 0}, "times": times}
    (tmp_path / "report").write_text(json.dumps(report) + "\n")
    program = tmp_path / "wrk"
    program.write_text(f"#!{sys.executable}\n{STAND_IN.format(report=tmp_path / 'report')}")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    sent = await send_by_wrk(1, REQUESTS, first=0, connections=1, seconds=0)
    assert (sent.requests, sent.seconds) == (10_000, 100)
    assert sent.times.total() == 10_000
