"""Borrowed connections: they are returned in order after every kind of failure."""

import asyncio
import re
import traceback
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import pytest

from sightline.migrations import locked
from sightline.platform.db import Database, sql
from sightline.platform.db.database import SILENT
from sightline.platform.db.retries import is_away
from sightline.platform.errors import NotFound
from sightline.platform.turns import FairTurns, NoTurn
from tests.conftest import new_database
from tests.line import Line, open_line
from tests.waiting import until

pytestmark = pytest.mark.own_database  # its sessions are ended
# What was asked for: over a socket of the machine, no setting of TCP is in force.
SETTINGS = "SELECT name, reset_val FROM pg_settings"
ENDING = (
    "idle_in_transaction_session_timeout",
    "tcp_keepalives_idle",
    "tcp_keepalives_interval",
    "tcp_keepalives_count",
    "tcp_user_timeout",
)
SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE datname = $1"


async def test_a_block_that_is_cancelled_spoils_no_connection(database: Database, database_url: str) -> None:
    async def work() -> None:
        async with database.autocommit() as tx:
            await tx.connection.fetchval("SELECT pg_sleep(60)")

    for _ in range(3):
        sleepers = [asyncio.create_task(work()) for _ in range(20)]
        await _until_asleep(database_url)
        for sleeper in sleepers:
            sleeper.cancel()
        await asyncio.gather(*sleepers, return_exceptions=True)
        assert await asyncio.gather(*(_answer(database) for _ in range(40))) == [1] * 40


async def test_a_cancelled_transaction_leaves_nothing_and_spoils_no_connection(
    database: Database, database_url: str
) -> None:
    async with database.transaction() as tx:
        await tx.connection.execute("CREATE TABLE kept (n integer)")

    async def write() -> None:
        async with database.transaction() as tx:
            await tx.connection.execute("INSERT INTO kept VALUES (1)")
            await tx.connection.fetchval("SELECT pg_sleep(60)")

    writers = [asyncio.create_task(write()) for _ in range(10)]
    await _until_asleep(database_url)
    for writer in writers:
        writer.cancel()
    await asyncio.gather(*writers, return_exceptions=True)
    async with database.autocommit() as tx:
        assert await tx.connection.fetchval("SELECT count(*) FROM kept") == 0


async def test_connections_that_the_server_ended_are_replaced(database: Database, database_url: str) -> None:
    assert await asyncio.gather(*(_answer(database) for _ in range(20))) == [1] * 20  # there are several
    killer = await asyncpg.connect(database_url)
    try:
        ended = await killer.fetchval(
            "SELECT count(pg_terminate_backend(pid, 20_000)) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
    finally:
        await killer.close()
    assert ended > 1
    await _until_noticed(database)
    assert [await _answer(database) for _ in range(30)] == [1] * 30


async def test_a_database_that_refuses_sessions_for_a_while_is_away(
    database: Database, database_server: str, database_url: str
) -> None:
    [name] = re.findall(r"t_[0-9a-f]{32}", database_url)
    admin = await asyncpg.connect(database_server)
    try:
        await admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        await admin.fetch("SELECT pg_terminate_backend(pid, 20_000) FROM pg_stat_activity WHERE datname = $1", name)
        found = await asyncio.gather(*(_answer(database) for _ in range(30)), return_exceptions=True)
        assert [type(one) for one in found if not isinstance(one, Exception) or not is_away(one)] == []
        assert any("not currently accepting connections" in str(one) for one in found)
    finally:
        await admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        await admin.close()
    assert [await _answer(database) for _ in range(30)] == [1] * 30


async def test_a_block_whose_connection_is_ended_fails_and_spoils_no_other(database: Database) -> None:
    with pytest.raises((asyncpg.PostgresConnectionError, asyncpg.InterfaceError, asyncpg.AdminShutdownError)):
        await _end_itself(database)
    assert [await _answer(database) for _ in range(30)] == [1] * 30


async def test_a_block_that_goes_on_after_its_connection_was_ended_is_away(database: Database) -> None:
    with pytest.raises(asyncpg.ConnectionDoesNotExistError, match="closed"):
        await _go_on_after_its_end(database)


async def test_a_connection_that_was_ended_while_idle_is_replaced(database_url: str) -> None:
    """The server says so first and closes the connection a moment later."""
    async with open_line(database_url) as line:
        database = await Database.connect(line.url, size=3)
        assert await asyncio.gather(*(_answer(database) for _ in range(20))) == [1] * 20
        line.say_ended()
        await asyncio.sleep(0.1)
        with pytest.raises(asyncpg.ConnectionDoesNotExistError, match="ended the connection") as refused:
            await _answer(database)
        assert is_away(refused.value)
        assert "another operation" not in "".join(traceback.format_exception(refused.value))
        assert [await _answer(database) for _ in range(30)] == [1] * 30  # the others were replaced too
        await database.close()


async def test_a_turn_that_does_not_come_costs_no_connection(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sightline.platform.turns.TURN_SECONDS", 0.05)
    turns = FairTurns(1)
    before = {await _session(database) for _ in range(2)}
    async with turns.turn(1):
        for block in (database.autocommit, database.transaction):
            with pytest.raises(NoTurn):
                async with block(), turns.turn(2):
                    pass
    assert {await _session(database) for _ in range(2)} == before


async def test_no_session_is_left_behind_when_the_network_stands_still(
    database: Database, database_server: str
) -> None:
    async def work(slow: Database) -> None:
        async with slow.transaction() as tx:
            await tx.connection.fetchval("SELECT pg_sleep(5)")

    async with new_database(database_server) as url, open_line(url) as line:
        slow = await Database.connect(line.url, size=5)
        name = urlsplit(url).path[1:]
        sleepers = [asyncio.create_task(work(slow)) for _ in range(5)]
        await _until_sessions(database, name, 5)
        line.stop()
        for sleeper in sleepers:
            sleeper.cancel()
        await asyncio.gather(*sleepers, return_exceptions=True)
        await _until_noticed(slow)
        line.resume()
        await _until_sessions(database, name, 0)
        assert await _answer(slow) == 1
        await slow.close()


async def test_a_session_whose_client_falls_silent_gives_up_its_locks(
    database: Database, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SILENT, "idle_in_transaction_session_timeout", "1s")
    async with database.autocommit() as tx:
        await tx.connection.execute("CREATE TABLE locked (n integer)")
    async with open_line(database_url) as line:
        silent = await Database.connect(line.url, size=1, answer_seconds=2)
        with pytest.raises(TimeoutError):
            await _lock_and_fall_silent(silent, line)
        async with asyncio.timeout(30), database.transaction() as tx:
            await tx.connection.execute("LOCK TABLE locked")
        await silent.close()


async def _lock_and_fall_silent(database: Database, line: Line) -> None:
    async with database.transaction() as tx:
        await tx.connection.execute("LOCK TABLE locked")
        line.silence()
        await tx.connection.fetchval("SELECT 1")


async def test_the_server_ends_silent_sessions_of_programs_that_limit_answers_and_of_no_others(
    database_url: str,
) -> None:
    limits: dict[str, Any] = {"of a server": {"is_impatient": True}, "of a worker": {"answer_seconds": 60.0}}
    for program, limit in (limits | {"of a command": {}, "behind a pooler": {"through_pooler": True}}).items():
        database = await Database.connect(database_url, size=1, **limit)
        async with database.autocommit() as tx:
            found = {row["name"]: row["reset_val"] for row in await tx.connection.fetch(SETTINGS)}
        expected = ("60000", "30", "10", "3", "60000") if program in limits else ("0", "0", "0", "0", "0")
        assert (program, *(found[name] for name in ENDING)) == (program, *expected)
        await database.close()


@pytest.mark.parametrize(("is_backup", "user_timeout"), [(True, "0"), (False, "60000")])
async def test_the_server_waits_for_a_backup_that_reads_nothing_for_a_while(
    database_url: str, is_backup: bool, user_timeout: str
) -> None:
    """Its pipe may be full; its machine answers what asks whether the connection is alive."""
    async with locked(database_url, shared=is_backup) as connection:
        found = {row["name"]: row["reset_val"] for row in await connection.fetch(SETTINGS)}
    assert tuple(found[name] for name in ENDING[1:]) == ("30", "10", "3", user_timeout)


async def test_a_row_without_columns_is_found(database: Database) -> None:
    """The driver's record of no columns is false."""
    async with database.autocommit() as tx:
        await tx.found(sql("SELECT FROM (VALUES (1)) AS one"))
        with pytest.raises(NotFound):
            await tx.found(sql("SELECT FROM (VALUES (1)) AS one WHERE false"))


async def _session(database: Database) -> int:
    async with database.autocommit() as tx:
        return int(await tx.connection.fetchval("SELECT pg_backend_pid()"))


async def _until_asleep(database_url: str) -> None:
    """Waits until one of the blocks sleeps in the database, while others may be on their way."""
    other = await asyncpg.connect(database_url)
    asleep = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
    await until(lambda: other.fetchval(asleep))
    await other.close()


async def _until_sessions(database: Database, name: str, number: int) -> None:
    async def are_so_many() -> bool:
        async with database.autocommit() as tx:
            return bool(await tx.connection.fetchval(SESSIONS, name) == number)

    await until(are_so_many)


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


async def _end_itself(database: Database) -> None:
    async with database.autocommit() as tx:
        await tx.connection.fetchval("SELECT pg_terminate_backend(pg_backend_pid())")
        await tx.connection.fetchval("SELECT pg_sleep(60)")


async def _go_on_after_its_end(database: Database) -> None:
    async with database.transaction() as tx:
        with suppress(asyncpg.PostgresError, asyncpg.InternalClientError):
            await tx.connection.fetchval("SELECT pg_terminate_backend(pg_backend_pid())")
        await until(tx.connection.is_closed)
        await tx.connection.fetchval("SELECT 1")


async def _until_noticed(database: Database) -> None:
    """Waits until the pool has no connection left."""
    await until(lambda: not database.pool.connections)
