"""A process that dies half-way leaves nothing that looks whole, and none takes much memory."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from sightline.backup.records import BackupRefused
from tests.backup.copies import SECRET, backed_up, contents, make_large, new_database, restore, tables
from tests.cli.command import WORDS, environment
from tests.platform.embedded_world import ask
from tests.waiting import wait_until

pytestmark = pytest.mark.slow

LOADS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'COPY%FROM STDIN%'"
OTHERS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
MOST_BYTES = 150_000_000
ONE_HUGE = """
UPDATE changes SET detail = jsonb_build_object('noise', repeat(detail ->> 'noise', 5000))
 WHERE id = (SELECT id FROM changes LIMIT 1)"""  # 5 MB
# Not getrusage(), in which a process begins with what its parent had.
MEASURED = r"""
import pathlib, re, sys
from sightline.cli.command_line import app
try:
    app(prog_name="sightline")
finally:
    print(re.search(r"VmHWM:\s+(\d+)", pathlib.Path("/proc/self/status").read_text())[1], file=sys.stderr)
"""


@pytest.fixture(scope="module")
def large(database_server: str) -> str:
    """The address of a database with 10 MB in one table."""
    return asyncio.run(_large(database_server, 10_000))


async def _large(server: str, rows: int) -> str:
    url = await new_database(server, migrated=True)
    await make_large(url, rows)
    return url


def test_a_killed_backup_leaves_the_file_before_it(large: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("the one before")
    process = subprocess.Popen([*WORDS, "backup", file, "--force"], env=environment(DATABASE_URL=large, SECRET=SECRET))
    wait_until(lambda: any(part.stat().st_size > 100_000 for part in tmp_path.glob(".*.part")))
    process.kill()
    assert process.wait() == -9
    [part] = tmp_path.glob(".*.part")
    assert file.read_text() == "the one before"
    empty = asyncio.run(new_database(large))
    with pytest.raises(BackupRefused, match="damaged or cut off"):
        asyncio.run(restore(empty, part.read_bytes()))


def test_a_killed_restore_leaves_an_empty_database(large: str) -> None:
    backup = asyncio.run(backed_up(large))
    url = asyncio.run(new_database(large))
    words = [*WORDS, "restore", "-"]
    process = subprocess.Popen(words, env=environment(DATABASE_URL=url, SECRET=SECRET), stdin=subprocess.PIPE)
    assert process.stdin
    process.stdin.write(backup[: len(backup) // 2])
    process.stdin.flush()
    wait_until(lambda: ask(url, LOADS))
    process.kill()
    process.communicate()
    wait_until(lambda: not ask(url, OTHERS))
    assert asyncio.run(tables(url)) == 0
    asyncio.run(restore(url, backup))
    assert asyncio.run(contents(url)) == asyncio.run(contents(large))


@pytest.mark.torture
def test_memory_stays_small_however_large_a_table_is(database_server: str, tmp_path: Path) -> None:
    source = asyncio.run(_large(database_server, 200_000))
    ask(source, ONE_HUGE)
    target = asyncio.run(new_database(database_server))
    file = tmp_path / "file"
    assert measured("backup", file, source) < MOST_BYTES
    assert file.stat().st_size > 100_000_000
    assert measured("restore", file, target) < MOST_BYTES
    assert asyncio.run(contents(target)) == asyncio.run(contents(source))


def measured(command: str, file: Path, url: str) -> int:
    """The most bytes of memory that the command held."""
    words = [sys.executable, "-c", MEASURED, command, str(file)]
    done = subprocess.run(words, env=environment(DATABASE_URL=url, SECRET=SECRET), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return int(done.stderr.splitlines()[-1]) * 1024
