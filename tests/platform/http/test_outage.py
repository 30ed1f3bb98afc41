"""Requests whose database stops to answer in the middle."""

import time

import httpx2
import pytest

from tests.line import open_line
from tests.world import API, World, serving

pytestmark = pytest.mark.slow

SLACK = 3  # for a busy machine
REFUSED_SECONDS = 10


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "once"}], ids=["once", "with an idempotency key"])
async def test_a_request_that_gets_no_answer_is_refused_in_time(
    world: World, database_url: str, headers: dict[str, str]
) -> None:
    async with open_line(database_url) as line, serving(line.url, listen_url=database_url) as address:
        known = {**world.client.headers, **headers}
        async with httpx2.AsyncClient(base_url=f"{address}{API}", headers=known, timeout=60, verify=False) as client:
            assert (await client.get("/ideas")).status_code == 200
            line.stops_at = b"INSERT INTO ideas"
            begun = time.monotonic()
            refused = await client.post("/ideas", json={"description": "Export any table."})
            assert time.monotonic() - begun < REFUSED_SECONDS * SLACK
            line.resume()
            assert refused.status_code == 503
            assert "The database did not" in refused.json()["detail"]
            stored = await client.post("/ideas", json={"description": "Export any table."}, headers=headers)
            assert stored.status_code == 201


async def test_a_session_that_was_ended_while_idle_is_a_refusal_of_ours(world: World, database_url: str) -> None:
    async with open_line(database_url) as line, serving(line.url, listen_url=database_url) as address:
        async with httpx2.AsyncClient(
            base_url=f"{address}{API}", headers=world.client.headers, timeout=60, verify=False
        ) as client:
            assert (await client.get("/ideas")).status_code == 200
            line.say_ended()
            refused = await client.get("/ideas")
            while refused.status_code == 200:  # answered by a connection that had not seen it
                refused = await client.get("/ideas")
            assert refused.status_code == 503
            assert "The database did not" in refused.json()["detail"]
            assert (await client.get("/ideas")).status_code == 200
