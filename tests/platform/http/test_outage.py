"""Requests whose database stops to answer in the middle."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest

from tests.line import Line, open_line
from tests.waiting import until
from tests.world import API, World, serving

pytestmark = pytest.mark.slow

SLACK = 3  # for a busy machine
REFUSED_SECONDS = 10
IDEA = {"description": "Export any table."}


@asynccontextmanager
async def apart(world: World, database_url: str) -> AsyncIterator[tuple[Line, httpx2.AsyncClient]]:
    """A client of a server that reaches its database by way of a line."""
    known = {"Authorization": world.client.headers["Authorization"]}
    async with (
        open_line(database_url) as line,
        serving(line.url, listen_url=database_url) as address,
        httpx2.AsyncClient(base_url=f"{address}{API}", headers=known, timeout=60, verify=False) as client,
    ):
        assert (await client.get("/ideas")).status_code == 200
        yield line, client


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "once"}], ids=["without a key", "with an idempotency key"])
async def test_a_request_that_gets_no_answer_is_refused_in_time(
    world: World, database_url: str, headers: dict[str, str]
) -> None:
    async with apart(world, database_url) as (line, client):
        line.stops_at = b"INSERT INTO ideas"
        begun = time.monotonic()
        refused = await client.post("/ideas", json=IDEA, headers=headers)
        assert time.monotonic() - begun < REFUSED_SECONDS * SLACK
        line.resume()
        assert (refused.status_code, refused.json()["code"]) == (503, "UNAVAILABLE")
        assert "The database did not" in refused.json()["detail"]
        assert (await client.post("/ideas", json=IDEA, headers=headers)).status_code == 201


async def test_probes_do_not_wait_for_a_database_that_hangs(world: World, database_url: str) -> None:
    """Each on a host that was not asked for before: whether it is a portal's is not known."""
    async with apart(world, database_url) as (line, client):
        line.stop()
        address = f"{client.base_url.scheme}://{client.base_url.netloc.decode()}"
        for path, expected, seconds in (("/healthz", 200, 1), ("/readyz", 503, 3), ("/metrics", 200, 3)):
            begun = time.monotonic()
            answer = await client.get(f"{address}{path}", headers={"Host": f"{path[1:]}.test"})
            assert (answer.status_code, time.monotonic() - begun < seconds) == (expected, True)


async def test_a_host_is_looked_up_once_while_the_database_hangs(world: World, database_url: str) -> None:
    async with apart(world, database_url) as (line, client):
        line.stop()
        address = f"{client.base_url.scheme}://{client.base_url.netloc.decode()}"
        assert (await client.get(f"{address}/docs")).status_code == 200
        begun = time.monotonic()
        assert (await client.get(f"{address}/docs")).status_code == 200
        assert time.monotonic() - begun < 1


async def test_a_database_that_takes_no_writes_is_a_refusal_that_may_be_repeated(
    world: World, database_url: str
) -> None:
    """As after a switchover, when the address still leads to the former primary."""
    name = database_url.partition("?")[0].rpartition("/")[2]
    async with world.database.autocommit() as tx:
        await tx.connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        try:
            async with apart(world, database_url) as (_, client):
                refused = await client.post("/ideas", json=IDEA)
                assert (refused.status_code, refused.json()["code"]) == (503, "UNAVAILABLE")
                await tx.connection.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")
                assert (await client.post("/ideas", json=IDEA)).status_code == 201
        finally:
            await tx.connection.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")


async def test_a_server_whose_database_takes_no_writes_is_not_ready(world: World, database_url: str) -> None:
    """As on a standby. When its primary is back, the sessions of before are not used again."""
    name = database_url.partition("?")[0].rpartition("/")[2]
    async with world.database.autocommit() as tx:
        await tx.connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        try:
            async with apart(world, database_url) as (_, client):
                ready = f"{client.base_url.scheme}://{client.base_url.netloc.decode()}/readyz"
                answer = await client.get(ready)
                assert (answer.status_code, answer.json()["code"]) == (503, "NOT_READY")
                assert answer.json()["checks"] == {"database": "takes no writes"}
                await tx.connection.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")

                async def is_ready() -> bool:
                    return (await client.get(ready)).status_code == 200

                await until(is_ready, 20)  # what it saw counts for a second
        finally:
            await tx.connection.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")


async def test_a_session_that_was_ended_while_idle_is_a_refusal_of_ours(world: World, database_url: str) -> None:
    async with apart(world, database_url) as (line, client):
        line.say_ended()
        refused = await client.get("/ideas")
        while refused.status_code == 200:  # not yet seen
            refused = await client.get("/ideas")
        assert (refused.status_code, refused.json()["code"]) == (503, "UNAVAILABLE")
        assert refused.json()["detail"] == "The database did not take the request; nothing was changed. Try again."
        assert (await client.get("/ideas")).status_code == 200
