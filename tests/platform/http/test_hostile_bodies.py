"""Bodies that are made to cost the service much: each is refused with a short answer while others are served."""

import asyncio
import gc
import tracemalloc
from time import perf_counter

import httpx2
import pytest

from sightline.platform.http import endpoint
from sightline.platform.http.bodies import MOST_EXPONENTS, MOST_VALUES
from sightline.platform.wire import LONGEST_NUMBER
from tests.waiting import until
from tests.world import World

MIB = 1024 * 1024
KIB_64 = 64 * 1024


def filled(head: bytes, item: bytes, tail: bytes, size: int = MIB) -> bytes:
    """`head`, as many items as fit, `tail`."""
    return head + b",".join([item] * ((size - len(head) - len(tail)) // (len(item) + 1))) + tail


IDEAS = {
    "half a million wrong ids": filled(b'{"description":"a","featureIds":[', b"1", b"]}"),
    "wrong ids of objects": filled(b'{"description":"a","featureIds":[', b'{"":0}', b"]}"),
    "85,000 unknown names": b'{"description":"a",' + b",".join(b'"k%06d":1' % n for n in range(85_000)) + b"}",
    "an unknown name of a megabyte": b'{"description":"a","' + b"n" * (MIB - 40) + b'":1}',
    "long unknown names of control characters": b"{"
    + b",".join(b'"%d%s":1' % (n, b"\\u0001" * 200) for n in range(800))
    + b"}",
    "NUL everywhere": filled(b'{"description":"a","featureIds":[', b'"\\u0000"', b"]}"),
    "a wrong value of a megabyte": b'{"description":"a","productId":"' + b"x" * (MIB - 50) + b'"}',
}


async def send(client: httpx2.AsyncClient, path: str, body: bytes) -> httpx2.Response:
    return await client.post(path, content=body, headers={"Content-Type": "application/json"})


@pytest.mark.parametrize("body", IDEAS.values(), ids=IDEAS.keys())
async def test_a_faulty_body_gets_a_short_answer(world: World, body: bytes) -> None:
    assert len(body) <= MIB
    answer = await send(world.client, "/ideas", body)
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_FAILED")
    assert 1 <= len(answer.json()["errors"]) <= 100
    assert len(answer.content) < KIB_64


async def test_a_list_is_looked_at_up_to_its_maximum_length(world: World) -> None:
    body = b'{"description":"a","featureIds":[' + b"1," * 5 + b'"x",' * 2000 + b"1]}"
    errors = (await send(world.client, "/ideas", body)).json()["errors"]
    assert errors[0] == {"path": "featureIds", "message": "At most 1000 items"}
    good = b'"11111111-1111-4111-8111-111111111111",'
    errors = (await send(world.client, "/ideas", body.replace(b"1,", good).replace(b'"x",', good))).json()["errors"]
    assert [error["path"] for error in errors] == ["featureIds"]


@pytest.mark.parametrize("name", ["featureIds", "insightIds", "accountIds"])
async def test_a_set_of_ids_has_at_most_1000(world: World, name: str) -> None:
    ids = ["11111111-1111-4111-8111-111111111111"] * 1001
    answer = await world.client.post("/ideas", json={"description": "a", name: ids})
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, name)
    answer = await world.client.post("/ideas", json={"description": "a", name: ids[1:]})
    assert "At most" not in answer.text


def nested(levels: int) -> bytes:
    """A body of so many levels, the outermost object counted."""
    return b'{"name": "a", "data": {"in": ' + b"[" * (levels - 2) + b"]" * (levels - 2) + b"}}"


@pytest.mark.parametrize("path", ["/signals"])
async def test_a_body_may_be_nested_100_levels_deep(world: World, path: str) -> None:
    answer = await send(world.client, path, nested(100))
    assert answer.status_code == 201, answer.text
    for levels in (101, 900, 5000):
        answer = await send(world.client, path, nested(levels))
        assert (answer.status_code, answer.json()["code"]) == (400, "MALFORMED_JSON")


@pytest.mark.parametrize("value", [b"[]", b"1.5", b'"a"', b'"\\\\\\\\"', b"null", b'{"a" :[1]}'])
async def test_a_body_has_a_bounded_number_of_values(world: World, value: bytes) -> None:
    """8 MiB of them took up to 1.4 s to decode and to encode, during which nothing else ran."""
    body = b'{"name": "a", "data": {"in": [%b]}}' % b",".join([value] * MOST_VALUES)
    answer = await send(world.client, "/signals", body)
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_FAILED")
    assert f"{MOST_VALUES} values" in answer.json()["detail"]


@pytest.mark.parametrize("before_colon", [b"", b" ", b"\\\\"])
async def test_a_body_has_a_bounded_number_of_fields(world: World, before_colon: bytes) -> None:
    end = b'" :' if before_colon == b" " else before_colon + b'":'
    fields = b",".join(b'"k%d%b1' % (number, end) for number in range(MOST_VALUES))
    answer = await send(world.client, "/signals", b'{"name": "a", "data": {%b}}' % fields)
    assert f"{MOST_VALUES} values" in answer.json()["detail"]


@pytest.mark.parametrize("text", [b'\\"k\\":[1],', b"[{,", b"\\\\,", b'\\\\\\",'])
async def test_json_inside_a_string_has_no_values(world: World, text: bytes) -> None:
    body = b'{"name": "a", "data": {"in": "%b", "long": "%b"}}' % (text * MOST_VALUES, b"1" * 1000)
    answer = await send(world.client, "/signals", body)
    assert answer.status_code == 201, answer.text


async def test_of_a_large_faulty_body_the_first_fault_is_named(world: World) -> None:
    """Looking for all of them takes 30 us for each value."""
    signals = ",".join(['{"text": "a", "participants": [' + ",".join(['{"name": "b"}'] * 200) + "]}"] * 40)
    body = f'{{"signals": [{signals}, {{"text": 1}}, {{"text": 2}}]}}'
    answer = await send(world.client, "/signals/batch", body.encode())
    assert [fault["path"] for fault in answer.json()["errors"]] == ["signals[40].text"]
    body = body.replace('{"text": 1}', '{"text": "a", "foo": 1}')
    answer = await send(world.client, "/signals/batch", body.encode())
    assert answer.json()["errors"] == [{"path": "signals[40].foo", "message": "Unknown field"}]
    body = f'{{"text": "{"word, " * 6000}", "foo": 1, "bar": 2}}'
    answer = await send(world.client, "/signals", body.encode())
    assert [fault["path"] for fault in answer.json()["errors"]] == ["foo", "bar"]


@pytest.mark.parametrize(("digits", "status"), [(LONGEST_NUMBER, 201), (LONGEST_NUMBER + 1, 400), (4300, 400)])
async def test_a_number_has_a_bounded_length(world: World, digits: int, status: int) -> None:
    answer = await send(world.client, "/signals", b'{"name": "a", "data": {"n": -%b}}' % (b"7" * digits))
    assert answer.status_code == status, answer.text


@pytest.mark.parametrize("number", ["1e300", "1E+30", "2.5e-307", "1e0000099"])
async def test_numbers_that_grow_when_they_are_stored_are_bounded(world: World, number: str) -> None:
    """1 MiB of `1e300` was answered with 53 MB."""
    for count, status in ((MOST_EXPONENTS, 201), (2 * MOST_EXPONENTS, 400)):
        body = f'{{"name": "a", "text": "1e10", "data": {{"n": [{",".join([number] * count)}]}}}}'
        answer = await send(world.client, "/signals", body.encode())
        assert answer.status_code == status, answer.text[:300]
    small = ",".join(["1.25e-05", "6.02e23", "1e29"] * MOST_EXPONENTS)
    body = f'{{"name": "a", "text": "1e10", "data": {{"n": [{small}]}}}}'
    assert (await send(world.client, "/signals", body.encode())).status_code == 201
    texts = f'{{"name": "a", "data": {{"n": "{number * 2 * MOST_EXPONENTS}"}}}}'
    assert (await send(world.client, "/signals", texts.encode())).status_code == 201


@pytest.mark.parametrize("zeros", [0, 10, 5000, 20_000])
async def test_a_length_with_zeros_before_it_is_a_length(world: World, zeros: int) -> None:
    """Written to the socket: no client library sends such a length."""
    key = world.client.headers["Authorization"]
    head = f"POST /api/external/v1/ideas HTTP/1.1\r\nHost: here\r\nAuthorization: {key}\r\nConnection: close\r\n"
    reader, writer = await asyncio.open_connection("127.0.0.1", int(world.address.rpartition(":")[2]))
    writer.write(f"{head}Content-Length: {'0' * zeros}2\r\n\r\n{{}}".encode())
    answer = await asyncio.wait_for(reader.read(), 10)
    writer.close()
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"VALIDATION_FAILED" in answer


async def test_others_are_served_while_a_large_faulty_body_is_read(world: World) -> None:
    """Without a thread of its own such a body kept everybody waiting for 5 seconds and more."""
    body = filled(b'{"accountIds":[', b"1", b"]}", 8 * MIB)
    sending = asyncio.create_task(send(world.client, "/signals", body))
    longest = 0.0
    while not sending.done():
        started = perf_counter()
        assert (await world.client.get("/auth/context")).status_code == 200
        longest = max(longest, perf_counter() - started)
    assert (await sending).status_code == 400
    assert len((await sending).content) < KIB_64
    assert longest < 1.0, f"A small request waited {longest:.2f} s."


@pytest.mark.parametrize(("count", "code"), [(9000, b"MALFORMED_JSON"), (10_001, b"BAD_REQUEST")])
async def test_a_body_has_a_bounded_number_of_small_chunks(world: World, count: int, code: bytes) -> None:
    """Eight clients that sent them held up everybody for 0.9 s."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(world.address.rpartition(":")[2]))
    key = world.client.headers["Authorization"]
    head = f"POST /api/external/v1/ideas HTTP/1.1\r\nHost: here\r\nAuthorization: {key}\r\nConnection: close\r\n"
    writer.write(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode() + b"1\r\n \r\n" * count)
    writer.write(b"0\r\n\r\n")
    answer = await asyncio.wait_for(reader.read(), 10)
    writer.close()
    assert (answer.startswith(b"HTTP/1.1 400 "), code in answer) == (True, True)


async def test_a_refused_body_is_let_go_at_once(world: World) -> None:
    """The collector looks seldom at what is left in circles: eight clients took 600 MB."""
    body = b'{"text": "%b"}' % (b"\\ud83d" * 500_000)
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        for _ in range(8):
            assert (await send(world.client, "/signals", body)).status_code == 400
        assert tracemalloc.get_traced_memory()[0] < 4 * len(body)
    finally:
        tracemalloc.stop()
        gc.enable()


async def test_a_key_that_is_revoked_while_a_body_arrives_writes_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "_SLOW_SECONDS", 0)
    key = await world.key("all")
    head = f"POST /api/external/v1/ideas HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer {key}\r\nConnection: close\r\n"
    reader, writer = await asyncio.open_connection("127.0.0.1", int(world.address.rpartition(":")[2]))
    writer.write(f'{head}Content-Length: 25\r\n\r\n{{"description"'.encode())

    async def is_admitted() -> bool:
        async with world.database.autocommit() as tx:
            used = "SELECT last_used_at IS NOT NULL FROM api_keys WHERE token_id = $1"
            return bool(await tx.connection.fetchval(used, key.split("_")[1]))

    await until(is_admitted)
    async with world.database.transaction() as tx:
        await tx.connection.execute(
            "UPDATE api_keys SET revoked_at = now() WHERE workspace_id = $1", world.workspace_id
        )

    async def is_refused() -> bool:
        return (await world.client_of(key).get("/ideas")).status_code == 401

    await until(is_refused)
    writer.write(b': "Secret"}')
    answer = await asyncio.wait_for(reader.read(), 10)
    writer.close()
    assert answer.startswith(b"HTTP/1.1 401 ")
