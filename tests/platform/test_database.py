"""Borrowed connections: they are returned in order after every kind of failure."""

import asyncio

import asyncpg
import pytest

from sightline.platform.db import Database


async def test_a_block_that_is_cancelled_spoils_no_connection(database: Database) -> None:
    async def sleep() -> None:
        async with database.autocommit() as tx:
            await tx.connection.fetchval("SELECT pg_sleep(60)")

    for _ in range(3):
        sleepers = [asyncio.create_task(sleep()) for _ in range(20)]
        await asyncio.sleep(0.01)
        for sleeper in sleepers:
            sleeper.cancel()
        await asyncio.gather(*sleepers, return_exceptions=True)
        assert await asyncio.gather(*(_answer(database) for _ in range(40))) == [1] * 40


async def test_a_cancelled_transaction_leaves_nothing_and_spoils_no_connection(database: Database) -> None:
    async with database.transaction() as tx:
        await tx.connection.execute("CREATE TABLE kept (n integer)")

    async def write() -> None:
        async with database.transaction() as tx:
            await tx.connection.execute("INSERT INTO kept VALUES (1)")
            await tx.connection.fetchval("SELECT pg_sleep(60)")

    writers = [asyncio.create_task(write()) for _ in range(10)]
    await asyncio.sleep(0.05)
    for writer in writers:
        writer.cancel()
    await asyncio.gather(*writers, return_exceptions=True)
    async with database.autocommit() as tx:
        assert await tx.connection.fetchval("SELECT count(*) FROM kept") == 0


async def test_a_connection_that_the_server_ended_is_replaced(database: Database) -> None:
    async with database.autocommit() as tx:
        victims = await tx.connection.fetchval(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    with pytest.raises((asyncpg.PostgresConnectionError, asyncpg.InterfaceError, asyncpg.AdminShutdownError)):
        async with database.autocommit() as tx:
            await tx.connection.fetchval("SELECT count(pg_terminate_backend(pg_backend_pid()))")
    assert victims >= 0
    await asyncio.sleep(0)
    assert [value for value in [await _settled(database) for _ in range(30)] if value != 1] == []


async def test_more_blocks_than_connections_wait_their_turn(database: Database) -> None:
    held = 0
    most = 0

    async def hold() -> None:
        nonlocal held, most
        async with database.autocommit() as tx:
            held += 1
            most = max(most, held)
            await tx.connection.fetchval("SELECT 1")
            held -= 1

    await asyncio.gather(*(hold() for _ in range(100)))
    assert 1 < most <= database.pool.size


async def test_a_refusal_inside_a_block_gives_the_connection_back(database: Database) -> None:
    for _ in range(30):
        with pytest.raises(LookupError):
            async with database.autocommit():
                raise LookupError
    assert await _answer(database) == 1


async def _answer(database: Database) -> int:
    async with database.autocommit() as tx:
        return int(await tx.connection.fetchval("SELECT 1"))


async def _settled(database: Database) -> int:
    """The answer, at the second try where the first met a connection that had just died."""
    try:
        return await _answer(database)
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
        return await _answer(database)
