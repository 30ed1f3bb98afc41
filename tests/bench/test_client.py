"""The load client, against small servers in the same loop."""

import asyncio
from collections.abc import Callable
from typing import cast

import pytest

from sightline.bench.client import Load
from sightline.bench.wire import FRESH_ID, Request, read_head

GOOD = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"
NO_BODY = b"HTTP/1.1 204 No Content\r\n\r\n"
REFUSAL = b"HTTP/1.1 503 Unavailable\r\ncontent-length: 0\r\n\r\n"

Answering = Callable[[asyncio.Transport, int], None]


class Server(asyncio.Protocol):
    """Answers every piece it gets: the requests here are small enough to come in one."""

    def __init__(self, answer: Answering) -> None:
        self._answer, self._number = answer, 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._answer(self._transport, self._number)
        self._number += 1


async def load(answer: Answering, connections: int = 2) -> Load:
    """Runs a short load; `answer` is called with the number of the request on its connection."""
    server = await asyncio.get_running_loop().create_server(lambda: Server(answer), "127.0.0.1", 0)
    async with server:
        shot = Load([Request("GET", "/").to_bytes("key")], seconds=0.05)
        said = await shot.run(server.sockets[0].getsockname()[1], connections)
    assert said["errors"] == len(shot.errors)
    assert said["requests"] == len(said["microseconds"])
    return shot


async def test_every_answer_is_one_sample() -> None:
    shot = await load(lambda writer, _: writer.write(GOOD))
    assert shot.errors == []
    assert len(shot.nanoseconds) > 2


async def test_an_answer_may_come_in_pieces() -> None:
    def in_pieces(writer: asyncio.Transport, _: int) -> None:
        writer.write(GOOD[:30])
        asyncio.get_running_loop().call_later(0.001, writer.write, GOOD[30:42])
        asyncio.get_running_loop().call_later(0.002, writer.write, GOOD[42:])

    shot = await load(in_pieces)
    assert shot.errors == []
    assert len(shot.nanoseconds) > 2


async def test_an_answer_outside_2xx_is_an_error() -> None:
    shot = await load(lambda writer, number: writer.write(REFUSAL if number == 1 else NO_BODY))
    assert [error[:3] for error in shot.errors] == ["503", "503"]


async def test_a_lost_connection_is_an_error() -> None:
    shot = await load(lambda writer, number: writer.write(GOOD) if number == 0 else writer.close())
    assert len(shot.errors) == 2
    assert "lost" in shot.errors[0]


async def test_what_is_no_http_is_an_error() -> None:
    shot = await load(lambda writer, _: writer.write(b"220 mail.example ESMTP\r\n\r\n"), connections=1)
    assert "no answer" in shot.errors[0]


async def test_each_request_is_sent_once_where_that_is_wanted() -> None:
    server = await asyncio.get_running_loop().create_server(
        lambda: Server(lambda writer, _: writer.write(GOOD)), "127.0.0.1", 0
    )
    async with server:
        shot = Load([Request("GET", f"/{number}").to_bytes("key") for number in range(5)], seconds=10, once=True)
        said = await shot.run(server.sockets[0].getsockname()[1], connections=8)
    assert (said["requests"], said["errors"]) == (5, 0)


async def test_an_id_that_must_be_fresh_is_another_each_time() -> None:
    seen: list[bytes] = []

    class Noting(Server):
        def data_received(self, data: bytes) -> None:
            seen.append(data)
            super().data_received(data)

    server = await asyncio.get_running_loop().create_server(
        lambda: Noting(lambda writer, _: writer.write(GOOD)), "127.0.0.1", 0
    )
    sent = Request("POST", "/", f'{{"clientRequestId":"{FRESH_ID}"}}'.encode()).to_bytes("key")
    async with server:
        await Load([sent] * 5, seconds=10, once=True).run(server.sockets[0].getsockname()[1], connections=1)
    assert len(set(seen)) == 5
    assert {len(data) for data in seen} == {len(sent)}
    assert not any(FRESH_ID.encode() in data for data in seen)


async def test_requests_are_sent_in_turn() -> None:
    shot = Load([b"a", b"b"], seconds=1)
    assert [next(shot.requests) for _ in range(3)] == [b"a", b"b", b"a"]


@pytest.mark.parametrize(
    ("received", "expected"),
    [(GOOD, (200, len(GOOD))), (GOOD + b"more", (200, len(GOOD))), (NO_BODY, (204, len(NO_BODY))), (GOOD[:30], None)],
)
def test_a_head_says_status_and_length(received: bytes, expected: tuple[int, int] | None) -> None:
    assert read_head(received) == expected


def test_a_request_says_how_long_its_body_is() -> None:
    sent = Request("POST", "/ideas", b"{}").to_bytes("secret")
    assert sent.startswith(b"POST /ideas HTTP/1.1\r\n")
    assert b"\r\nauthorization: Bearer secret\r\n" in sent
    assert sent.endswith(b"\r\ncontent-length: 2\r\n\r\n{}")
