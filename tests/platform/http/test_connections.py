"""What a client may send, and how long it may take: written to the socket, since no client library does these."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from time import perf_counter
from typing import Any, ClassVar
from uuid import uuid4

import pytest
import pytest_asyncio

from sightline.platform.db import Database
from sightline.platform.http.connection_limits import BoundedProtocol
from tests.platform.http.conftest import laboratory
from tests.platform.http.laboratory import GATES, Gate
from tests.waiting import next_turn, until
from tests.world import World, serving

KIB = 1024


class Hasty(BoundedProtocol):
    """The same bounds of size, in a hurry."""

    head_seconds = 1.0
    body_seconds = 1.5
    stall_seconds = 1.0
    unread_seconds = 0.6
    linger_seconds = 0.3
    look_seconds = 0.05
    ended: ClassVar[set[int]] = set()  # ports of clients

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.ended.update(self.client[1:] if self.client else ())


class Brief(BoundedProtocol):
    """The same bounds, and a short time between two requests."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.timeout_keep_alive = 1


@pytest_asyncio.fixture(scope="module")
async def address(database_url: str) -> AsyncIterator[str]:
    async with serving(database_url, laboratory(database_url)) as address:
        yield address


@pytest_asyncio.fixture(scope="module")
async def hasty_address(database_url: str) -> AsyncIterator[str]:
    async with serving(database_url, laboratory(database_url), protocol=Hasty) as address:
        yield address


class Line:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def send(self, data: bytes) -> None:
        """Sends it unless the server has closed the connection."""
        if not self.writer.is_closing():
            self.writer.write(data)

    async def drip(self, piece: bytes, ending: asyncio.Task[Any]) -> None:
        """Sends a piece every 50 ms until the task ends, 8 seconds at most."""
        for _ in range(160):
            self.send(piece)
            ended, _ = await asyncio.wait([ending], timeout=0.05)
            if ended:
                return

    async def rest(self) -> bytes:
        """All that comes until the server closes; fails when it does not within 10 seconds."""
        try:
            return await asyncio.wait_for(self.reader.read(), 10)
        except ConnectionError:
            return b""

    async def answer(self) -> bytes:
        """The next response with a JSON object; what comes of it when the server closes."""
        try:
            return await asyncio.wait_for(self.reader.readuntil(b"}"), 10)
        except asyncio.IncompleteReadError as cut:
            return cut.partial

    async def refusal(self) -> tuple[int, str]:
        head, _, body = (await self.rest()).partition(b"\r\n\r\n")
        assert b"content-type: application/problem+json" in head.lower(), head
        assert b"connection: close" in head.lower()
        problem = json.loads(body)
        assert problem["requestId"]
        return int(head.split()[1]), problem["code"]


@pytest_asyncio.fixture
async def line(address: str) -> AsyncIterator[Line]:
    async with connected(address) as line:
        yield line


@pytest_asyncio.fixture
async def hasty_line(hasty_address: str) -> AsyncIterator[Line]:
    async with connected(hasty_address) as line:
        yield line


class connected:
    def __init__(self, address: str) -> None:
        self._port = int(address.rpartition(":")[2])

    async def __aenter__(self) -> Line:
        self._line = Line(*await asyncio.open_connection("127.0.0.1", self._port))
        return self._line

    async def __aexit__(self, *_: object) -> None:
        self._line.writer.close()


GET = b"GET /healthz HTTP/1.1\r\nHost: here\r\n"
POST = b"POST /api/external/v1/readings HTTP/1.1\r\nHost: here\r\n"


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (GET + b"A: " + b"x" * (63 * KIB), 200),
        (GET + b"A: " + b"x" * (64 * KIB), 431),
        (GET + b"".join(b"A%d: x\r\n" % n for n in range(98))[:-2], 200),
        (GET + b"".join(b"A%d: x\r\n" % n for n in range(99))[:-2], 431),
        (b"GET /" + b"x" * (63 * KIB) + b" HTTP/1.1\r\nHost: here", 404),
        (b"GET /" + b"x" * (64 * KIB) + b" HTTP/1.1\r\nHost: here", 431),
    ],
    ids=["a long line", "a line too long", "100 lines", "101 lines", "a long address", "an address too long"],
)
async def test_headers_are_bounded(line: Line, head: bytes, status: int) -> None:
    line.send(head + b"\r\nConnection: close\r\n\r\n")
    if status == 431:
        assert await line.refusal() == (431, "HEADERS_TOO_LARGE")
    else:
        assert int((await line.rest()).split()[1]) == status


@pytest.mark.parametrize("piece", [b"x" * KIB, b"A: b\r\n" * 200], ids=["one line", "lines"])
async def test_headers_without_end_are_cut_off_early(line: Line, piece: bytes) -> None:
    line.send(GET + b"A: ")
    answer = asyncio.create_task(line.refusal())
    sent = 0
    while sent < 20 * KIB * KIB and not answer.done():
        line.send(piece)
        sent += len(piece)
        await next_turn()
    assert sent < 4 * KIB * KIB
    assert await answer == (431, "HEADERS_TOO_LARGE")


async def test_trailers_without_end_are_cut_off(line: Line) -> None:
    line.send(POST + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n")
    for _ in range(200):
        line.send(b"A: " + b"x" * KIB)
        await next_turn()
    await line.rest()


@pytest.mark.parametrize("rubbish", [b"\x00\x01\x02\r\n\r\n", b"GET\r\n\r\n", b"GET / SPDY/9\r\n\r\n", b"\x16\x03\x01"])
async def test_what_is_no_http_is_a_bad_request(line: Line, rubbish: bytes) -> None:
    line.send(rubbish)
    assert await line.refusal() == (400, "BAD_REQUEST")


async def test_slow_headers_time_out(hasty_line: Line) -> None:
    started = perf_counter()
    hasty_line.send(GET)
    for _ in range(3):
        await asyncio.sleep(0.1)
        hasty_line.send(b"A: b\r\n")
    assert await hasty_line.refusal() == (408, "REQUEST_TIMEOUT")
    assert perf_counter() - started < 5


@pytest.mark.parametrize("drip", [b"", b"\r\n"], ids=["silence", "blank lines"])
async def test_a_connection_that_asks_nothing_is_closed(hasty_line: Line, drip: bytes) -> None:
    started = perf_counter()
    closing = asyncio.create_task(hasty_line.rest())
    await hasty_line.drip(drip, closing)
    assert perf_counter() - started < 5
    await closing


async def test_a_connection_stays_open_between_requests(hasty_line: Line) -> None:
    for _ in range(4):
        hasty_line.send(GET + b"\r\n")
        assert b"alive" in await hasty_line.reader.readuntil(b"}")
        await asyncio.sleep(0.4)  # three times is longer than a head may take


H2C = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n"
NAMED = b'{"name": "a"}'
WITH_LENGTH = b"Content-Length: %d\r\n\r\n" % len(NAMED) + NAMED
IN_CHUNKS = b"Transfer-Encoding: chunked\r\n\r\n3\r\n%s\r\na\r\n%s\r\n0\r\n\r\n" % (NAMED[:3], NAMED[3:])
LAST = GET + b"Connection: close\r\n\r\n"


@pytest.mark.parametrize("body", [WITH_LENGTH, IN_CHUNKS], ids=["length", "chunks"])
@pytest.mark.parametrize("size", [1, 40, 10_000], ids=["bytes", "pieces", "at once"])
async def test_a_request_that_offers_another_protocol_is_read_whole(
    line: Line, lab_key: str, body: bytes, size: int
) -> None:
    data = POST + lab_key.encode() + H2C + body + GET + H2C + b"\r\n" + LAST
    for start in range(0, len(data), size):
        line.send(data[start : start + size])
        await next_turn()
    answers = (await line.rest()).split(b"HTTP/1.1 ")[1:]
    assert [answer[:3] for answer in answers] == [b"201", b"200", b"200"]
    assert b'"name":"a"' in answers[0]


@pytest.mark.parametrize(
    ("offer", "statuses"),
    [
        (H2C + b"Connection: close\r\n", [b"201"]),
        (H2C + b"Upgrade: websocket\r\n", [b"201", b"200"]),
        (H2C + b"Content-Length: 1\r\n", [b"400"]),
        (H2C + b"Transfer-Encoding: chunked\r\n", [b"400"]),
        (H2C + b"".join(b"A%d: x\r\n" % n for n in range(100)), [b"431"]),
    ],
    ids=["and closes", "and a third", "two lengths", "length and chunks", "in too many headers"],
)
async def test_an_offer_of_another_protocol_changes_no_other_rule(
    line: Line, lab_key: str, offer: bytes, statuses: list[bytes]
) -> None:
    line.send(POST + lab_key.encode() + offer + WITH_LENGTH + LAST)
    answers = (await line.rest()).split(b"HTTP/1.1 ")[1:]
    assert [answer[:3] for answer in answers] == statuses


@pytest.mark.parametrize("wait", [b"{", b""], ids=["part of the body", "nothing"])
async def test_a_body_that_stalls_behind_an_offer_times_out(hasty_line: Line, lab_key: str, wait: bytes) -> None:
    hasty_line.send(POST + lab_key.encode() + H2C + b"Content-Length: 100\r\n\r\n" + wait)
    assert await hasty_line.refusal() == (408, "REQUEST_TIMEOUT")


async def test_a_client_that_waits_to_be_asked_for_its_body_may_offer_another_protocol(
    line: Line, lab_key: str
) -> None:
    head, _, body = WITH_LENGTH.partition(b"\r\n\r\n")
    line.send(POST + lab_key.encode() + H2C + b"Expect: 100-continue\r\n" + head + b"\r\n\r\n")
    assert (await line.reader.readuntil(b"\r\n\r\n")) == b"HTTP/1.1 100 Continue\r\n\r\n"
    line.send(body)
    assert (await line.answer()).startswith(b"HTTP/1.1 201 ")


async def test_websockets_are_answered_as_any_get(line: Line) -> None:
    line.send(GET + b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n" + LAST)
    answers = (await line.rest()).split(b"HTTP/1.1 ")[1:]
    assert [answer[:3] for answer in answers] == [b"200", b"200"]


async def test_no_tunnel_is_opened(line: Line) -> None:
    line.send(b"CONNECT here:443 HTTP/1.1\r\nHost: here:443\r\n" + H2C + b"Connection: close\r\n\r\n")
    assert not (await line.rest()).startswith(b"HTTP/1.1 2")


def gated(lab_key: str) -> tuple[Gate, bytes]:
    """A gate, and a request that waits before it."""
    gate = GATES[name := uuid4().hex] = Gate()
    body = b'{"name": "a", "gate": "%s"}' % name.encode()
    head = b"POST /api/external/v1/things HTTP/1.1\r\nHost: here\r\n%sContent-Length: %d\r\n\r\n"
    return gate, head % (lab_key.encode(), len(body)) + body


async def test_a_request_that_began_before_the_last_response_is_answered(database_url: str, lab_key: str) -> None:
    (one, first), (other, second) = gated(lab_key), gated(lab_key)
    async with (
        serving(database_url, laboratory(database_url), protocol=Brief) as address,
        connected(address) as line,
    ):
        line.send(first + second[:20])
        await asyncio.wait_for(one.reached.wait(), 10)
        one.set()
        assert (await line.answer()).startswith(b"HTTP/1.1 201 ")
        line.send(second[20:])
        await asyncio.sleep(1.3)  # longer than a connection may be idle
        other.set()
        assert (await line.answer()).startswith(b"HTTP/1.1 201 ")


@pytest.mark.parametrize("part", [20, -1], ids=["head", "body"])
async def test_no_time_counts_while_the_server_does_not_read(hasty_line: Line, lab_key: str, part: int) -> None:
    gates, requests = zip(*(gated(lab_key) for _ in range(3)), strict=True)
    hasty_line.send(requests[0])
    await asyncio.wait_for(gates[0].reached.wait(), 10)
    hasty_line.send(requests[1] + requests[2][:part])
    await asyncio.sleep(2.0)  # longer than a head or a body may take
    for gate in gates:
        gate.set()
    hasty_line.send(requests[2][part:])
    for _ in range(3):
        assert (await hasty_line.answer()).startswith(b"HTTP/1.1 201 ")


async def test_a_body_that_stalls_times_out(hasty_line: Line, lab_key: str) -> None:
    started = perf_counter()
    hasty_line.send(POST + lab_key.encode() + b"Content-Length: 100\r\n\r\n{")
    assert await hasty_line.refusal() == (408, "REQUEST_TIMEOUT")
    assert perf_counter() - started < 5


async def test_a_body_that_drips_times_out(hasty_line: Line, lab_key: str) -> None:
    started = perf_counter()
    hasty_line.send(POST + lab_key.encode() + b"Content-Length: 1000\r\n\r\n{")
    answer = asyncio.create_task(hasty_line.refusal())
    await hasty_line.drip(b" ", answer)
    assert await answer == (408, "REQUEST_TIMEOUT")
    assert 1.4 < perf_counter() - started < 6


async def test_a_body_that_comes_byte_by_byte_is_taken(line: Line, lab_key: str) -> None:
    body = b'{"name": "a"}'
    line.send(POST + lab_key.encode() + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body))
    for each in body:
        line.send(bytes([each]))
        await next_turn()
    assert (await line.rest()).startswith(b"HTTP/1.1 201 ")


async def test_an_unknown_key_is_refused_before_the_body_and_the_connection_ends(hasty_line: Line) -> None:
    hasty_line.send(POST + b"Content-Length: 1000\r\n\r\n{")
    assert (await hasty_line.rest()).startswith(b"HTTP/1.1 401 ")


async def test_a_response_that_nobody_reads_is_given_up(hasty_address: str) -> None:
    port = int(hasty_address.rpartition(":")[2])
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(("127.0.0.1", port))
        client.setblocking(False)
        script = b"GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: here\r\n\r\n"
        await asyncio.get_running_loop().sock_sendall(client, script * 20)
        await until(lambda: client.getsockname()[1] in Hasty.ended, 20)
        size = await _read_all(client)
    assert size < 15 * KIB * KIB, f"All {size} bytes came: the server had kept them."


async def test_a_slow_reader_gets_all_of_a_response(address: str) -> None:
    port = int(address.rpartition(":")[2])
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 * KIB)
        client.connect(("127.0.0.1", port))
        client.setblocking(False)
        await asyncio.get_running_loop().sock_sendall(
            client, b"GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n"
        )
        size = await _read_all(client, pause=0.01)
    assert size > KIB * KIB


async def _read_all(client: socket.socket, pause: float = 0.0) -> int:
    """How many bytes come before the connection ends."""
    size = 0
    try:
        while piece := await asyncio.wait_for(asyncio.get_running_loop().sock_recv(client, 16 * KIB), 5):
            size += len(piece)
            await asyncio.sleep(pause)
    except ConnectionError:
        pass
    return size


@pytest_asyncio.fixture(scope="module")
async def lab_key(database: Database, address: str) -> AsyncIterator[str]:
    async with World(database, address) as lab:
        yield f"Authorization: Bearer {await lab.key('all')}\r\n"


async def test_head_and_body_of_a_response_arrive_together(address: str) -> None:
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as client:
        for _ in range(20):
            await asyncio.to_thread(client.sendall, b"GET /healthz HTTP/1.1\r\nHost: example.com\r\n\r\n")
            received = await asyncio.to_thread(client.recv, 64 * KIB)
            head, _, body = received.partition(b"\r\n\r\n")
            assert b"\r\ncontent-length: %d" % len(body) in head
            assert body
