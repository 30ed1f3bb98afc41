"""Requests that a client sends ahead, without waiting for responses."""

import asyncio
import socket

import pytest
import uvloop

from tests.platform.http.conftest import laboratory
from tests.platform.http.laboratory import GATES, Gate
from tests.world import World, serving

KIB = 1024
GET = b"GET %s HTTP/1.1\r\nHost: here\r\n\r\n"
POST = b"POST /api/external/v1/things HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n"


def port_of(address: str) -> int:
    return int(address.rpartition(":")[2])


async def test_requests_sent_ahead_are_bounded(lab_address: str) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port_of(lab_address))
    writer.write(GET % b"/healthz" * 5000)
    *answers, refusal = (await asyncio.wait_for(reader.read(), 30)).split(b"HTTP/1.1 ")[1:]
    writer.close()
    assert [answer[:4] for answer in answers] == [b"200 "] * 101
    assert refusal.startswith(b"400 ")
    assert b"connection: close" in refusal


@pytest.mark.parametrize("ahead", [1, 2])
async def test_requests_before_a_malformed_one_are_answered(lab: World, ahead: int) -> None:
    gate = GATES["before"] = Gate()
    key = (await lab.key("all")).encode()
    body = b'{"name": "a", "gate": "before"}'
    reader, writer = await asyncio.open_connection("127.0.0.1", port_of(lab.address))
    writer.write(POST % (key, len(body)) + body + GET % b"/healthz" * (ahead - 1) + b"no request\r\n\r\n")
    await asyncio.wait_for(gate.reached.wait(), 20)
    gate.set()
    answers = (await asyncio.wait_for(reader.read(), 20)).split(b"HTTP/1.1 ")[1:]
    writer.close()
    assert [answer[:3] for answer in answers] == [b"201", *[b"200"] * (ahead - 1), b"400"]


async def test_nothing_is_read_while_requests_wait(lab: World) -> None:
    GATES["ahead"] = Gate()
    key = (await lab.key("all")).encode()
    bodies = b'{"name": "a", "gate": "ahead"}', b'{"name": "%s"}' % (b"x" * 500 * KIB)
    waiting, large = (POST % (key, len(body)) + body for body in bodies)
    data, sent = GET % b"/healthz" * 50 + waiting + large * 45, 0
    _, writer = await asyncio.open_connection("127.0.0.1", port_of(lab.address))
    try:
        while sent < len(data):
            writer.write(data[sent : sent + 64 * KIB])
            await asyncio.wait_for(writer.drain(), 1)
            sent += 64 * KIB
    except TimeoutError:
        pass
    GATES["ahead"].set()
    writer.transport.abort()
    assert sent < len(data) / 2


@pytest.mark.parametrize("is_sent_ahead", [True, False])
async def test_no_request_starts_while_much_of_a_response_is_unread(lab: World, is_sent_ahead: bool) -> None:
    gate = GATES["unread"] = Gate()
    key = (await lab.key("all")).encode()
    body = b'{"name": "a", "gate": "unread"}'
    large, next_request = GET % b"/docs/swagger-ui-bundle.js" * 8, POST % (key, len(body)) + body
    loop = asyncio.get_running_loop()
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 * KIB)
        client.connect(("127.0.0.1", port_of(lab.address)))
        client.setblocking(False)
        await loop.sock_sendall(client, large + next_request * is_sent_ahead)
        await loop.sock_recv(client, 12)
        await loop.sock_sendall(client, next_request * (not is_sent_ahead))
        for _ in range(20):
            await lab.client.get("/things/IDEA-1")
        assert not gate.reached.is_set()
        gate.set()
        received = b""
        while b"HTTP/1.1 201 Created" not in received:
            received = received[-100:] + await asyncio.wait_for(loop.sock_recv(client, 64 * KIB), 5)


async def test_a_client_that_leaves_before_its_responses_is_no_failure(
    database_url: str, capfd: pytest.CaptureFixture[str]
) -> None:
    async def leave() -> None:
        async with serving(database_url, laboratory(database_url)) as address:
            with socket.socket() as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                client.connect(("127.0.0.1", port_of(address)))
                client.sendall(GET % b"/docs/swagger-ui-bundle.js" * 20)
                await asyncio.sleep(0.5)
            await asyncio.sleep(0.5)

    await asyncio.to_thread(uvloop.run, leave())  # which refuses to write to a closed connection, as asyncio does not
    assert "Traceback" not in capfd.readouterr().err
