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
from sightline.migrations import HEAD, DatabaseTooNew, is_current, migrate, pending, runner
from sightline.platform.db import DatabaseUnavailable
from tests.migrations.servers import on_database

TABLES = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"


async def value(url: str, statement: str) -> object:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(statement)
    finally:
        await connection.close()


async def run(url: str, statement: str) -> None:
    await value(url, statement)


async def test_a_fresh_database_is_brought_to_this_version(empty: str) -> None:
    assert await pending(empty) == list(migrations.REVISIONS)
    assert await migrate(empty) == list(migrations.REVISIONS)
    assert await is_current(empty)
    assert await value(empty, "SELECT version_num FROM alembic_version") == HEAD
    assert await value(empty, "SELECT count(*) FROM ideas") == 0


async def test_migrating_twice_changes_nothing(empty: str) -> None:
    await migrate(empty)
    tables = await value(empty, TABLES)
    assert await migrate(empty) == []
    assert await value(empty, TABLES) == tables


def test_the_head_is_that_of_the_revision_files() -> None:
    known = [script.revision for script in runner.scripts().walk_revisions()]
    assert list(migrations.REVISIONS) == known[::-1], "add the new revision to REVISIONS in sightline.migrations"
    assert runner.scripts().get_current_head() == HEAD


def start_migrating(url: str) -> "subprocess.Popen[str]":
    program = (
        "import asyncio, sys; from sightline.migrations import migrate; "
        f"print(asyncio.run(migrate({url!r})), sorted({{'alembic', 'sqlalchemy'}} & set(sys.modules)))"
    )
    return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)


async def test_one_of_several_processes_migrates_and_the_others_wait(empty: str) -> None:
    processes = [start_migrating(empty) for _ in range(3)]
    printed = sorted([(await asyncio.to_thread(process.communicate))[0].partition(" [")[0] for process in processes])
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert printed == [str(list(migrations.REVISIONS)), "[]", "[]"]


async def test_nothing_to_apply_imports_no_migration_library(migrated: str) -> None:
    printed, _ = await asyncio.to_thread(start_migrating(migrated).communicate)
    assert printed == "[] []\n"


async def test_it_waits_while_another_machine_migrates_then_looks_again(empty: str) -> None:
    other = await asyncpg.connect(empty)
    await other.execute("SELECT pg_advisory_lock($1)", migrations.LOCK)
    waiting = asyncio.create_task(migrate(empty))
    while not await other.fetchval("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"):
        assert not waiting.done()
        await asyncio.sleep(0.01)
    await other.execute(f"CREATE TABLE alembic_version AS SELECT '{HEAD}' AS version_num")
    await other.close()
    assert await waiting == []


async def test_a_database_of_a_newer_version_is_refused(migrated: str) -> None:
    await run(migrated, "UPDATE alembic_version SET version_num = '9999'")
    for ask in (migrate, pending, is_current):
        with pytest.raises(DatabaseTooNew, match=r"^The database is at revision 9999 and .*newer version"):
            await ask(migrated)


async def test_a_failure_half_way_leaves_nothing(empty: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(runner.SQL, tmp_path, dirs_exist_ok=True)
    (tmp_path / HEAD / "99_last.sql").write_text(
        "CREATE TABLE half (id int); SELECT 1 / 0; CREATE TABLE whole (id int)"
    )
    monkeypatch.setattr(runner, "SQL", tmp_path)
    with pytest.raises(DatabaseUnavailable, match=r"^The migration failed and was undone: division by zero\.$"):
        await migrate(empty)
    assert await value(empty, TABLES) == 0
    monkeypatch.undo()
    assert await migrate(empty) == list(migrations.REVISIONS)


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


async def test_an_absent_database_is_refused(server: str) -> None:
    with pytest.raises(DatabaseUnavailable, match='database "nowhere" does not exist'):
        await migrate(on_database(server, "nowhere"))


@pytest.mark.parametrize("url", ["postgresql://nobody@127.0.0.1:1/x", "http://x", "postgresql://x@/x?host=/nowhere"])
async def test_an_address_without_a_server_is_refused_in_one_line(url: str) -> None:
    with pytest.raises(DatabaseUnavailable, match=r"^The database cannot be reached: .*\.$") as refused:
        await is_current(url)
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
