"""What `sightline migrate` does, and what it refuses."""

import asyncio
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest

from sightline import migrations
from sightline.migrations import BASELINE, HEAD, SQL, migrate, pending
from sightline.platform.db import DatabaseUnavailable
from sightline.platform.db.database import ANSWER_SECONDS, CONNECT_SECONDS
from sightline.serving.database import ready_database
from sightline.settings import Settings
from tests.line import open_line
from tests.migrations.servers import connected, leave_to_alembic, on_database
from tests.waiting import until_blocked

TABLES = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"


async def value(url: str, statement: str) -> object:
    async with connected(url) as connection:
        return await connection.fetchval(statement)


async def run(url: str, statements: str) -> None:
    async with connected(url) as connection:
        await connection.execute(statements)


async def test_a_fresh_database_is_brought_to_this_version(empty: str) -> None:
    assert await pending(empty) == list(migrations.REVISIONS)
    assert await migrate(empty) == list(migrations.REVISIONS)
    assert await pending(empty) == []
    assert await value(empty, "SELECT max(revision) FROM schema_revisions") == HEAD
    assert await value(empty, "SELECT count(*) FROM ideas") == 0


async def test_migrating_twice_changes_nothing(empty: str) -> None:
    await migrate(empty)
    tables = await value(empty, TABLES)
    assert await migrate(empty) == []
    assert await value(empty, TABLES) == tables


async def test_votes_of_the_first_revision_are_kept_beside_their_ideas(empty: str) -> None:
    async with connected(empty) as connection:
        await migrations.migrate_within(connection, BASELINE)
        await connection.execute(
            """INSERT INTO ideas (workspace_id, id, number, name, description, status, portal_visible, vote_count,
                                  imported_vote_count, created_at, updated_at)
               SELECT uuid_nil, gen_random_uuid(), number, 'x', 'x', 'New', visible, votes, imported, now(), now()
                 FROM (VALUES (1, true, 2, 7), (2, true, 0, 0), (3, false, 5, 0), (4, false, 0, 9))
                      AS idea (number, visible, votes, imported),
                      CAST('00000000-0000-0000-0000-000000000000' AS uuid) AS uuid_nil"""
        )
        await migrations.migrate_within(connection, HEAD)
        votes = await connection.fetch("SELECT number, vote_count, total FROM idea_votes ORDER BY number")
    assert [tuple(row) for row in votes] == [(1, 2, 9), (2, 0, 0)]


async def test_a_database_at_the_last_revision_of_alembic_is_adopted(empty: str) -> None:
    await leave_to_alembic(empty, BASELINE)
    await run(empty, "INSERT INTO job_totals VALUES ('x', 'done', 1, 1)")
    assert await pending(empty) == list(migrations.REVISIONS)
    assert await migrate(empty) == list(migrations.REVISIONS)
    assert await pending(empty) == []
    assert await value(empty, "SELECT jobs FROM job_totals") == 1
    assert await value(empty, "SELECT to_regclass('alembic_version')") is None


async def test_a_database_before_the_last_revision_of_alembic_is_refused(empty: str) -> None:
    await leave_to_alembic(empty, "0018")
    for ask in (migrate, pending):
        with pytest.raises(DatabaseUnavailable, match=f"at revision 0018 .* migrate it to {BASELINE} with an earlier"):
            await ask(empty)
    assert await value(empty, "SELECT version_num FROM alembic_version") == "0018"


def start_migrating(url: str) -> "subprocess.Popen[str]":
    program = f"import asyncio; from sightline.migrations import migrate; print(asyncio.run(migrate({url!r})))"
    return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)


async def test_one_of_several_processes_migrates_and_the_others_wait(empty: str) -> None:
    processes = [start_migrating(empty) for _ in range(3)]
    printed = sorted([(await asyncio.to_thread(process.communicate))[0].strip() for process in processes])
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert printed == [str(list(migrations.REVISIONS)), "[]", "[]"]


async def test_it_waits_while_another_machine_migrates_then_looks_again(empty: str) -> None:
    other = await asyncpg.connect(empty)
    await other.execute("SELECT pg_advisory_lock($1)", migrations.LOCK)
    waiting = asyncio.create_task(migrate(empty))
    await until_blocked(other)
    await other.execute(f"CREATE TABLE schema_revisions AS SELECT '{HEAD}' AS revision")
    await other.close()
    assert await waiting == []


async def test_a_database_of_a_newer_version_is_refused(migrated: str) -> None:
    await run(migrated, "INSERT INTO schema_revisions VALUES ('9999', now())")
    for ask in (migrate, pending):
        with pytest.raises(DatabaseUnavailable, match=r"^The database is at revision 9999 and .*newer version"):
            await ask(migrated)


async def test_a_revision_that_fails_leaves_the_one_before(
    empty: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = tmp_path / "9000"
    shutil.copytree(SQL, tmp_path, dirs_exist_ok=True)
    newer.mkdir()
    (newer / "01_ideas.sql").write_text("CREATE TABLE half (id int)")
    (newer / "02_ideas.sql").write_text("SELECT 1 / 0; CREATE TABLE whole (id int)")
    monkeypatch.setattr(migrations, "SQL", tmp_path)
    monkeypatch.setattr(migrations, "REVISIONS", (*migrations.REVISIONS, newer.name))
    monkeypatch.setattr(migrations, "HEAD", newer.name)
    with pytest.raises(DatabaseUnavailable, match=r"^Migration 9000 failed and was undone: division by zero\.$"):
        await migrate(empty)
    assert await pending(empty) == [newer.name]
    assert await value(empty, "SELECT to_regclass('half')") is None
    (newer / "02_ideas.sql").write_text("CREATE TABLE whole (id int)")
    assert await migrate(empty) == [newer.name]
    assert await value(empty, "SELECT count(*) FROM half, whole") == 0


async def test_a_migration_that_was_stored_without_an_answer_is_not_called_undone(empty: str) -> None:
    async with open_line(empty) as line:
        line.loses_commit_of = b"INSERT INTO schema_revisions"
        with pytest.raises(DatabaseUnavailable, match=r"^The connection to the database was lost\. .* try again\.$"):
            await migrate(line.url)
    assert await migrate(empty) == list(migrations.REVISIONS[1:])


async def test_foreign_tables_are_left_alone(empty: str) -> None:
    await run(empty, "CREATE TABLE ideas (mine int)")
    with pytest.raises(DatabaseUnavailable, match='"ideas" already exists'):
        await migrate(empty)
    assert await value(empty, TABLES) == 1


async def test_a_user_without_the_right_to_create_is_refused(empty: str) -> None:
    name = str(await value(empty, "SELECT current_database()"))
    guest = f"guest_of_{name}"
    await run(empty, f"CREATE ROLE {guest} LOGIN")
    with pytest.raises(DatabaseUnavailable, match=f'^User {guest} may not create tables: .* SCHEMA "public"'):
        await migrate(on_database(empty, name, user=guest))
    assert await value(empty, TABLES) == 0


async def test_another_role_than_the_owner_of_the_tables_is_refused(empty: str) -> None:
    """Its transactions are hidden from the owner, whose lists would run ahead of them."""
    name = str(await value(empty, "SELECT current_database()"))
    await migrate(empty)
    await run(empty, f"CREATE ROLE other_of_{name} SUPERUSER LOGIN")
    for use in (migrate, pending):
        with pytest.raises(DatabaseUnavailable, match=r"belong to the role \w+: connect as it"):
            await use(on_database(empty, name, user=f"other_of_{name}"))


async def test_a_server_that_does_not_show_transactions_is_refused(empty: str) -> None:
    await migrate(empty)
    await run(empty, f'ALTER DATABASE "{await value(empty, "SELECT current_database()")}" SET track_activities = off')
    with pytest.raises(DatabaseUnavailable, match="track_activities is off"):
        await pending(empty)


async def test_an_absent_database_is_refused(server: str) -> None:
    with pytest.raises(DatabaseUnavailable, match='database "nowhere" does not exist'):
        await migrate(on_database(server, "nowhere"))


@pytest.mark.parametrize("url", ["postgresql://nobody@127.0.0.1:1/x", "http://x", "postgresql://x@/x?host=/nowhere"])
async def test_an_address_without_a_server_is_refused_in_one_line(url: str) -> None:
    with pytest.raises(DatabaseUnavailable, match=r"^The database cannot be reached: .*\.$") as refused:
        await pending(url)
    assert "\n" not in str(refused.value)


def message(kind: bytes, body: bytes) -> bytes:
    return kind + (len(body) + 4).to_bytes(4, "big") + body


@asynccontextmanager
async def server_that_greets_with(greeting: bytes) -> AsyncIterator[str]:
    """As much of PostgreSQL's protocol as saying hello takes."""

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(int.from_bytes(await reader.readexactly(4), "big") - 4)
        writer.write(greeting)
        await writer.drain()
        if not greeting.startswith(b"E"):
            await reader.read(1)
        writer.close()
        await writer.wait_closed()

    listener = await asyncio.start_server(greet, "127.0.0.1")
    async with listener:
        port = listener.sockets[0].getsockname()[1]
        yield f"postgresql://ada:secret@127.0.0.1:{port}/x?sslmode=disable"


async def test_a_server_older_than_15_is_refused() -> None:
    greeting = message(b"R", bytes(4)) + message(b"S", b"server_version\x0014.9\x00") + message(b"Z", b"I")
    async with server_that_greets_with(greeting) as url:
        with pytest.raises(DatabaseUnavailable, match=r"^PostgreSQL 15 or newer is needed; this server is 14\.$"):
            await migrate(url)


async def test_a_wrong_password_is_refused_and_not_repeated() -> None:
    said = b'SFATAL\x00C28P01\x00Mpassword authentication failed for user "ada"\x00\x00'
    async with server_that_greets_with(message(b"E", said)) as url:
        with pytest.raises(DatabaseUnavailable, match=r'^The database refuses the login: .*"ada". Check') as refused:
            await migrate(url)
    assert "secret" not in str(refused.value)


@pytest.mark.slow
async def test_a_connection_that_falls_silent_keeps_no_start_waiting(empty: str) -> None:
    async with open_line(empty) as line:
        line.stops_at = b"to_regclass"
        with pytest.raises(DatabaseUnavailable):
            await asyncio.wait_for(pending(line.url), 3 * CONNECT_SECONDS)
        line.resume()
        line.stops_at = b"CREATE TABLE"
        migrating = asyncio.create_task(migrate(line.url))
        await line.until_stopped()
        migrating.cancel()
        await asyncio.wait({migrating}, timeout=10)
        assert migrating.cancelled()
    assert len(await pending(empty)) == len(migrations.REVISIONS)


@pytest.mark.slow
async def test_a_server_does_not_start_on_a_connection_that_falls_silent(migrated: str) -> None:
    async with open_line(migrated) as line:
        line.stops_at = b"clock_timestamp"
        settings = Settings.read({"database_url": line.url}, environment={}, file=Path("/nonexistent"))
        with pytest.raises(DatabaseUnavailable):
            async with asyncio.timeout(3 * ANSWER_SECONDS), ready_database(settings):
                pass
