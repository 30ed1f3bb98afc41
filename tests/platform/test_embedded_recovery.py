"""The embedded server when its users or its own processes are killed, or start and stop at the same time."""

import asyncio
import os
import shutil
import signal
import socket
import struct
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import asyncpg
import pytest

from sightline.platform.db.embedded import EmbeddedServer
from sightline.platform.db.embedded.server import find_processes, find_with_lsof
from tests.platform.embedded_world import (
    IS_ROOT,
    QUICK,
    Client,
    account_of,
    ask,
    birth,
    kill_postmaster,
    living,
    open_place,
    postmaster,
)
from tests.waiting import until

pytestmark = pytest.mark.slow

SSL_REQUEST = struct.pack("!ii", 8, 80877103)  # answered with one byte


@pytest.fixture
def place() -> Iterator[Path]:
    with open_place() as folder:
        yield folder


@pytest.fixture
def server(place: Path) -> Iterator[EmbeddedServer]:
    yield (one := EmbeddedServer(place / "data", settings=QUICK))
    one.stop()


def test_a_child_process_does_not_keep_the_server(server: EmbeddedServer, place: Path) -> None:
    server.start()
    with subprocess.Popen(["sleep", "60"], close_fds=False) as child:
        server.stop()
        child.kill()
    assert not living(place / "data")


def test_a_forked_child_does_not_keep_the_server(server: EmbeddedServer, place: Path) -> None:
    server.start()
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        os.write(writing, b".")
        signal.alarm(60)
        signal.pause()
        os._exit(0)
    os.read(reading, 1)  # the child runs, and has closed what it shall not keep
    os.close(reading)
    os.close(writing)
    server._forget()  # as when this process dies
    with EmbeddedServer(place / "data"):
        pass
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert not living(place / "data")


def test_a_killed_client_leaves_the_server_to_the_next(server: EmbeddedServer, place: Path) -> None:
    with Client(place / "data") as client:
        born = birth(client.url())
        client.kill()
        assert birth(server.start()) == born
    server.stop()
    assert not living(place / "data")


def test_a_database_is_created_although_another_process_was_killed_while_it_did(
    server: EmbeddedServer, place: Path
) -> None:
    unfinished = place / "data/postgres.new"
    unfinished.mkdir(parents=True)
    program = shutil.copy(shutil.which("sh") or "", place / "initdb")
    write = "while :; do n=$((n + 1)); echo > $n; done"
    with subprocess.Popen([program, "-c", write], cwd=unfinished) as left:
        try:
            assert ask(server.start(), "SELECT 1") == 1
            assert left.wait(10) == -signal.SIGKILL
        finally:
            left.kill()


def test_a_killed_postmaster_is_noticed_and_replaced(server: EmbeddedServer, place: Path) -> None:
    url = server.start()
    ask(url, "CREATE TABLE kept AS SELECT 7 AS n")
    assert server.ensure_running() is False
    kill_postmaster(place / "data")
    assert server.ensure_running() is True
    assert server.ensure_running() is False
    assert ask(url, "SELECT n FROM kept") == 7


def test_a_killed_postmaster_with_a_busy_backend_is_replaced_by_start(server: EmbeddedServer, place: Path) -> None:
    with Client(place / "data") as client:
        asyncio.run(kill_below_a_busy_backend(client.url(), place / "data"))
        client.kill()
        assert ask(server.start(), "SELECT 1") == 1


async def kill_below_a_busy_backend(url: str, data_dir: Path) -> None:
    """The statement never looks up from its work, so that its backend outlives the postmaster."""
    connection = await asyncpg.connect(url)
    backend, busy = connection.get_server_pid(), "SELECT state = 'active' FROM pg_stat_activity WHERE pid = "
    counting = asyncio.create_task(connection.execute("SELECT count(*) FROM generate_series(1, 100000000000)"))
    await until(lambda: asyncio.to_thread(ask, url, f"{busy}{backend}"))
    kill_postmaster(data_dir)
    assert backend in living(data_dir)
    counting.cancel()
    await asyncio.gather(counting, return_exceptions=True)
    connection.terminate()


def test_two_processes_that_start_at_once_share_one_server(place: Path) -> None:
    with Client(place / "data") as one, Client(place / "data") as two:
        assert birth(one.url()) == birth(two.url())
        one.leave()
        two.leave()
    assert not living(place / "data")


def test_starting_while_the_last_one_stops_is_safe(server: EmbeddedServer, place: Path) -> None:
    server.start()
    for _ in range(3):
        with Client(place / "data") as other:
            url = other.url()
            server.stop()
            assert ask(url, "SELECT 1") == 1
            other.begin_to_leave()
            assert ask(server.start(), "SELECT 1") == 1


def test_another_process_with_the_number_of_the_old_postmaster_is_left_alone(
    server: EmbeddedServer, place: Path
) -> None:
    server.start()
    pid_file = place / "data/postgres/postmaster.pid"
    old = pid_file.read_text()
    server.stop()
    user = account_of(place / "data") if IS_ROOT else None
    with subprocess.Popen(["sleep", "60"], user=user) as stranger:
        pid_file.write_text(old.replace(old.split("\n", 1)[0], str(stranger.pid), 1))
        assert ask(server.start(), "SELECT 1") == 1
        server.stop()
        assert stranger.poll() is None
        stranger.kill()


def test_a_server_too_busy_to_take_another_connection_is_left_alone(server: EmbeddedServer, place: Path) -> None:
    born = birth(server.start())
    path = str(place / "data/postgres/.s.PGSQL.5432")
    with ExitStack() as ended:
        os.kill(postmaster(place / "data"), signal.SIGSTOP)
        ended.callback(os.kill, postmaster(place / "data"), signal.SIGCONT)
        is_full = False
        while not is_full:
            client = ended.enter_context(socket.socket(socket.AF_UNIX))
            client.setblocking(False)
            is_full = client.connect_ex(path) != 0
        assert server.ensure_running() is False
    with socket.socket(socket.AF_UNIX) as last:
        last.connect(path)
        last.sendall(SSL_REQUEST)
        assert last.recv(1)  # now the server has taken all connections
    assert birth(server.start()) == born


def test_a_lost_socket_is_made_again(server: EmbeddedServer, place: Path) -> None:
    url = server.start()
    (place / "data/postgres/.s.PGSQL.5432").unlink()
    assert server.ensure_running() is True
    assert ask(url, "SELECT 1") == 1


def test_a_database_that_a_restore_dropped_is_created_again(server: EmbeddedServer) -> None:
    url = server.start()
    ask(url.replace("/sightline?", "/postgres?"), "DROP DATABASE sightline")
    server.stop()
    assert ask(server.start(), "SELECT current_database()") == "sightline"


@pytest.mark.skipif(shutil.which("lsof") is None, reason="lsof is not installed")
def test_where_there_is_no_proc_the_same_processes_are_found(server: EmbeddedServer, place: Path) -> None:
    server.start()
    inode = (place / "data/postgres").stat()
    assert find_with_lsof(inode) & find_processes(inode)


def test_a_data_directory_removed_while_in_use_ends_the_server(server: EmbeddedServer, place: Path) -> None:
    server.start()
    inode = (place / "data/postgres").stat()
    shutil.rmtree(place / "data")
    server.stop()
    assert not find_processes(inode)
