"""A large page is sent in pieces: in bounded memory, also to a slow reader, and without holding a connection."""

import asyncio
import json
import tracemalloc
from collections.abc import AsyncIterator
from secrets import token_hex
from typing import Any

import pytest
import pytest_asyncio

from sightline.platform.db import Database, sql
from tests.readers import Reader, StoppingReader, memory_of, started
from tests.waiting import next_turn
from tests.world import World

pytestmark = pytest.mark.slow

MIB = 1024 * 1024
FILL = sql("""
INSERT INTO signals (workspace_id, id, number, name, status, context, processor_type, provider_type, evidence_kind,
                     analysis_profile, source_label, source_type, created_at, updated_at)
SELECT :workspace_id, md5(n::text)::uuid, n, 'Signal ' || n, 'processed', 'other', 'text', 'api', 'note', 'none', 'Api',
       'api', :now, :now
  FROM generate_series(1, :count::bigint) AS n""")
FILL_RAW = sql("""
INSERT INTO signal_raw (workspace_id, signal_id, raw) VALUES (:workspace_id, md5(:n::bigint::text)::uuid, :raw)""")
FILL_COUNT = sql("""
INSERT INTO record_counts (workspace_id, kind, slot, count) VALUES (:workspace_id, 'signal', 0, :count)""")
COUNT = 20


async def fill(world: World, count: int, size: int) -> None:
    """So many signals of so many bytes that do not compress well; the last one is the newest."""
    async with world.database.transaction() as tx:
        await tx.run(FILL, workspace_id=world.workspace_id, count=count)
        await tx.run(FILL_COUNT, workspace_id=world.workspace_id, count=count)
        for n in range(1, count + 1):
            await tx.run(FILL_RAW, workspace_id=world.workspace_id, n=n, raw={"text": token_hex(size // 2)})


@pytest_asyncio.fixture(scope="module")
async def large(database: Database, served: str) -> AsyncIterator[World]:
    async with World(database, served) as world:
        await fill(world, COUNT, 4 * MIB)
        yield world


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
async def test_a_large_page_is_whole_and_in_order(large: World, encoding: str) -> None:
    answer = await large.client.get("/signals?include=raw&limit=5", headers={"Accept-Encoding": encoding})
    assert answer.status_code == 200
    assert answer.headers.get("content-encoding", "identity") == encoding
    assert "content-length" not in answer.headers
    assert (answer.headers["x-total-count"], answer.headers["x-has-more"]) == (str(COUNT), "true")
    found = answer.json()
    assert [one["publicId"] for one in found] == [f"SIGNAL-{n}" for n in range(COUNT, COUNT - 5, -1)]
    assert [len(one["rawData"]["text"]) for one in found] == [4 * MIB] * 5
    single = await large.client.get(f"/signals/{found[2]['id']}?include=raw")
    assert found[2] == single.json()
    rest = await large.client.get(answer.links["next"]["url"])
    assert rest.json()[0]["publicId"] == f"SIGNAL-{COUNT - 5}"


async def test_head_has_the_headers_of_a_large_page_and_no_body(large: World) -> None:
    answer = await large.client.head("/signals?include=raw&limit=5")
    assert (answer.status_code, answer.content, answer.headers["x-total-count"]) == (200, b"", str(COUNT))


async def test_a_page_without_raw_data_is_sent_at_once(large: World) -> None:
    answer = await large.client.get("/signals?limit=5")
    assert int(answer.headers["content-length"]) > 0
    assert len(answer.json()) == 5


@pytest_asyncio.fixture(scope="module")
async def application(database_url: str) -> AsyncIterator[Any]:
    async with started(database_url, pool_size=1) as app:
        yield app


async def test_no_connection_is_held_while_clients_do_not_read(large: World, application: Any) -> None:
    """With a pool of one connection, others are answered while readers have stopped in any part of a page."""
    key = await large.key("all")
    places = (1, 2, 3, 50, 70, 100, 130, 200)
    stopping = [StoppingReader(large, key, "include=raw&limit=5", pieces) for pieces in places]
    reading = [asyncio.create_task(application(one.scope, one.receive, one.send)) for one in stopping]
    for one in stopping:
        await asyncio.wait_for(one.has_stopped.wait(), 60)
    quick = Reader(large, key, "limit=1")
    await asyncio.wait_for(application(quick.scope, quick.receive, quick.send), 30)
    assert len(json.loads(quick.body)) == 1
    for one in stopping:
        one.may_go_on.set()
    await asyncio.gather(*reading)
    assert [len(json.loads(one.body)) for one in stopping] == [5] * len(stopping)


async def test_a_large_signal_has_length_and_tag(large: World) -> None:
    address, plain = "/signals/SIGNAL-3?include=raw", {"Accept-Encoding": "identity"}
    answer = await large.client.get(address, headers=plain)
    assert int(answer.headers["content-length"]) == len(answer.content) > 4 * MIB
    assert len(answer.json()["rawData"]["text"]) == 4 * MIB
    head = await large.client.head(address, headers=plain)
    assert (head.content, head.headers["content-length"]) == (b"", answer.headers["content-length"])
    tag = answer.headers["etag"]
    assert (await large.client.get(address, headers=plain | {"If-None-Match": tag})).status_code == 304
    compressed = await large.client.get(address, headers={"Accept-Encoding": "gzip"})
    assert (compressed.headers["content-encoding"], compressed.json()) == ("gzip", answer.json())
    assert compressed.headers["etag"] == f'{tag[:-1]}.gzip"'


async def test_clients_that_do_not_read_one_large_signal_cost_little_memory(large: World, application: Any) -> None:
    key = await large.key("all")
    stopping = [StoppingReader(large, key, "include=raw", 1, "/signals/SIGNAL-3") for _ in range(8)]
    held, peak = await memory_of(application, stopping)
    assert [len(json.loads(one.body)["rawData"]["text"]) for one in stopping] == [4 * MIB] * 8
    assert held < 12 * MIB
    assert peak < 32 * MIB


async def test_clients_that_do_not_read_cost_little_memory(database: Database, served: str, application: Any) -> None:
    """Of text that compresses to a hundredth too: how large it will be is known only when it is read."""
    async with World(database, served) as world:
        for n in range(40):
            text = f"{n} " + "the same again " * 40_000
            await world.client.post("/signals", json={"text": text, "analysisProfile": "none"})
        key = await world.key("all")
        stopping = [StoppingReader(world, key, "include=raw&limit=40", pieces=1) for _ in range(8)]
        held, _ = await memory_of(application, stopping)
        assert {len(json.loads(one.body)) for one in stopping} == {40}
        assert held < 60 * MIB


async def test_a_page_of_what_compresses_to_a_hundredth_costs_little_memory(
    database: Database, served: str, application: Any
) -> None:
    """5 KB each in the table, 2.5 MB in the page."""
    async with World(database, served) as world:
        for n in range(20):
            data = {"x": "\1" * 420_000}
            body = {"text": f"Say {n}", "analysisProfile": "none", "data": data}
            assert (await world.client.post("/signals", json=body)).status_code == 201
        reader = Reader(world, await world.key("all"), "limit=20")
        tracemalloc.start()
        try:
            await application(reader.scope, reader.receive, reader.send)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert len(json.loads(reader.body)) == 20
        assert peak - len(reader.body) < 16 * MIB


async def test_records_deleted_during_the_response_are_left_out(
    database: Database, served: str, application: Any
) -> None:
    async with World(database, served) as world:
        await fill(world, 4, 2 * MIB)
        reader = Reader(world, await world.key("all"), "include=raw")

        async def delete_one() -> None:
            if len(reader.sizes) == 1:
                reader.on_piece = next_turn  # type: ignore[method-assign]  # once
                assert (await world.client.delete("/signals/SIGNAL-2")).status_code == 200

        reader.on_piece = delete_one  # type: ignore[method-assign]  # the first piece is there
        await application(reader.scope, reader.receive, reader.send)
        assert [one["publicId"] for one in json.loads(reader.body)] == ["SIGNAL-4", "SIGNAL-3", "SIGNAL-1"]


async def test_a_page_of_any_size_costs_at_most_64_mib(large: World, application: Any) -> None:
    reader = Reader(large, await large.key("all"), f"include=raw&limit={COUNT}")
    reader.keeps = False
    tracemalloc.start()
    try:
        await application(reader.scope, reader.receive, reader.send)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert sum(reader.sizes) > COUNT * 4 * MIB
    assert max(reader.sizes) <= MIB
    assert peak < 64 * MIB


async def test_small_records_are_read_many_at_a_time(database: Database, served: str) -> None:
    """Also those that compress so well that their stored size says little."""
    async with World(database, served) as world:
        for n in range(30):
            text = f"{n} " + "the same again " * 20_000
            await world.client.post("/signals", json={"text": text, "analysisProfile": "none"})
        answer = await world.client.get("/signals?include=raw&limit=100")
        assert [one["rawData"]["text"].split()[0] for one in answer.json()] == [str(n) for n in range(29, -1, -1)]


FILL_INSIGHTS = sql("""
INSERT INTO insights (workspace_id, id, title, description, category, created_at, updated_at)
SELECT :workspace_id, md5(n::text)::uuid, 'Insight ' || n, :text, 'problem', :now,
       :now::timestamptz - interval '1 hour' + n * interval '1 second'
  FROM generate_series(1, :count::bigint) AS n""")


async def test_a_large_page_of_another_list_is_sent_in_pieces_too(database: Database, served: str) -> None:
    async with World(database, served) as world:
        async with database.transaction() as tx:
            text = token_hex(350_000)
            await tx.run(FILL_INSIGHTS, workspace_id=world.workspace_id, count=5, text=text)
        answer = await world.client.get("/insights?updatedSince=2000-01-01&limit=4")
        assert "content-length" not in answer.headers
        assert (answer.headers["x-total-count"], answer.headers["x-has-more"]) == ("5", "true")
        assert [one["title"] for one in answer.json()] == [f"Insight {n}" for n in range(1, 5)]
        assert {one["description"] for one in answer.json()} == {text}
        last = await world.client.get("/insights?updatedSince=2000-01-01&limit=4&offset=4")
        assert (last.headers["x-has-more"], len(last.json())) == ("false", 1)
        assert (await world.client.get("/insights?limit=4&offset=9")).json() == []
