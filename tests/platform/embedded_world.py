"""What the tests of the embedded server share: other processes that use it, and a look at its own."""

import asyncio
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

import asyncpg

import sightline
from sightline.platform.db.embedded.server import find_processes, kill_processes
from tests.folders import data_folder
from tests.waiting import wait_until

SOURCE = Path(sightline.__file__).parents[1]
QUICK = {"fsync": "off", "shared_buffers": "16MB"}
IS_ROOT = os.geteuid() == 0
NOBODY = 65534

CLIENT = f"""
import os, sys
from pathlib import Path
from sightline.platform.db.embedded import EmbeddedServer, EmbeddedServerError
if user := int(sys.argv[2]):
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
server = EmbeddedServer(Path(sys.argv[1]), settings={QUICK!r})
try:
    print(server.start(), flush=True)
except EmbeddedServerError as error:
    sys.exit(print(error))
sys.stdin.readline()
server.stop()
"""


class Client:
    """Another process that uses the server until it is asked to leave, or is killed."""

    def __init__(self, data_dir: Path, *, user: int = 0) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", CLIENT, str(data_dir), str(user)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(SOURCE), "PYTHONDONTWRITEBYTECODE": "1"},
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def url(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline().strip()

    def leave(self) -> None:
        self._process.communicate("\n", timeout=30)

    def begin_to_leave(self) -> None:
        assert self._process.stdin
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()


def ask(url: str, statement: str) -> object:
    async def ask_once() -> object:
        connection = await asyncpg.connect(url)
        try:
            return await connection.fetchval(statement)
        finally:
            await connection.close()

    return asyncio.run(ask_once())


def birth(url: str) -> object:
    """Tells one run of the server from another."""
    return ask(url, "SELECT pg_postmaster_start_time()")


def account_of(data_dir: Path) -> int:
    return (data_dir / "postgres").stat().st_uid


def living(data_dir: Path) -> set[int]:
    """The server's processes."""
    path = data_dir / "postgres"
    return find_processes(path.stat()) if path.exists() else set()


def postmaster(data_dir: Path) -> int:
    pid = int((data_dir / "postgres/postmaster.pid").read_text().split("\n", 1)[0])
    assert pid in living(data_dir)
    return pid


def kill_postmaster(data_dir: Path) -> None:
    pid = postmaster(data_dir)
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: pid not in living(data_dir), 5)


@contextmanager
def frozen(data: Path) -> Iterator[None]:
    """All processes of the database stand still meanwhile."""
    stopped = living(data)
    for pid in stopped:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in stopped:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def mode(path: Path) -> str:
    return oct(stat.S_IMODE(path.stat().st_mode))


def remove(data_dir: Path) -> None:
    """Ends what a test left running, and removes what it left lying."""
    path = data_dir / "postgres"
    if path.exists():
        kill_processes(path.stat())
    shutil.rmtree(data_dir, ignore_errors=True)


@contextmanager
def open_place() -> Iterator[Path]:
    """An open folder for data directories: not `tmp_path`, which is closed to the service user of root."""
    folder = Path(tempfile.mkdtemp(prefix="sightline-test-", dir=data_folder()))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        for users in list(folder.glob("**/postgres.users")):
            remove(users.parent)
        shutil.rmtree(folder, ignore_errors=True)
