"""The embedded server under real processes that start, share, die and come back."""

import asyncio
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import asyncpg
import pytest

from sightline.platform.db import embedded_processes
from sightline.platform.db.embedded import EmbeddedServer, EmbeddedServerError
from sightline.platform.db.embedded_binaries import STATE, Account, failure
from sightline.platform.db.embedded_cluster import Cluster

SOURCE = Path(embedded_processes.__file__).parents[3]
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
    """Another process that uses the server until it is told to leave, or is killed."""

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
    if not path.exists():
        return set()
    return embedded_processes.find_titled(Cluster(path, Account(0, 0)).title, account_of(data_dir))


def postmaster(data_dir: Path) -> int:
    pid = Cluster(data_dir / "postgres", Account(0, 0)).recorded_pid()
    assert pid in living(data_dir)
    return pid


def kill_postmaster(data_dir: Path) -> None:
    pid = postmaster(data_dir)
    os.kill(pid, signal.SIGKILL)
    assert embedded_processes.wait_until(5, lambda: pid not in living(data_dir))


def mode(path: Path) -> str:
    return oct(stat.S_IMODE(path.stat().st_mode))


def remove(data_dir: Path) -> None:
    """Ends what a test left running, and removes what it left lying."""
    path = data_dir / "postgres"
    if path.exists():
        embedded_processes.end_titled(Cluster(path, Account(0, 0)).title, account_of(data_dir), None)
    if path.is_symlink() and path.readlink().is_relative_to(STATE / "clusters"):
        shutil.rmtree(path.readlink().parent, ignore_errors=True)
    shutil.rmtree(data_dir, ignore_errors=True)


@pytest.fixture
def place() -> Iterator[Path]:
    """An open folder for data directories: not `tmp_path`, which is closed to the service user of root."""
    folder = Path(tempfile.mkdtemp(prefix="sightline-test-"))
    folder.chmod(0o755)
    yield folder
    for users in list(folder.glob("**/postgres.users")):
        remove(users.parent)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def server(place: Path) -> Iterator[EmbeddedServer]:
    yield (one := EmbeddedServer(place / "data", settings=QUICK))
    one.stop()


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A server that the tests that only ask share."""
    data_dir = Path(tempfile.mkdtemp(prefix="sightline-test-"))
    with EmbeddedServer(data_dir, settings={**QUICK, "application_name": r"it's a \ name"}) as server:
        yield server.start()
    remove(data_dir)


def test_a_fresh_server_has_the_database_in_utf8_with_checksums(url: str) -> None:
    assert ask(url, "SELECT current_user || ' ' || current_database()") == "sightline sightline"
    assert ask(url, "SELECT current_setting('server_encoding')") == "UTF8"
    assert ask(url, "SELECT current_setting('data_checksums')") == "on"


def test_letters_beyond_ascii_fold_sort_and_are_found(url: str) -> None:
    assert ask(url, "SELECT lower('ÄÉŁΣ') || upper('äéłσ')") == "äéłσÄÉŁΣ"
    assert ask(url, "SELECT string_agg(x, '' ORDER BY x) FROM unnest('{ł,b,é,a,B}'::text[]) x") == "Babéł"
    assert ask(url, "SELECT to_tsvector('simple', '“Élan” — Łódź…')::text") == "'élan':1 'łódź':2"


def test_settings_are_ours_unless_given(url: str) -> None:
    assert ask(url, "SHOW fsync") == "off"
    assert ask(url, "SHOW jit") == "off"
    assert ask(url, "SELECT reset_val FROM pg_settings WHERE name = 'application_name'") == r"it's a \ name"


def test_nothing_is_open_to_others_or_to_the_network(server: EmbeddedServer, place: Path) -> None:
    url = server.start()
    data = place / "data"
    assert [mode(data), mode(data / "postgres")] == ["0o700", "0o700"]
    assert [mode(data / name) for name in ("postgres.log", "postgres.users", "postgres.turn")] == ["0o600"] * 3
    assert mode(data / "postgres/.s.PGSQL.5432") == "0o700"
    assert ask(url, "SELECT current_setting('listen_addresses')") == ""
    assert mode(place) == "0o755"


def test_a_folder_that_also_holds_other_things_keeps_its_mode(server: EmbeddedServer, place: Path) -> None:
    (place / "data").mkdir(mode=0o755)
    (place / "data/notes.txt").touch()
    server.start()
    assert (mode(place / "data"), mode(place / "data/postgres")) == ("0o755", "0o700")


def test_a_second_process_joins_and_the_last_to_leave_stops_the_server(server: EmbeddedServer, place: Path) -> None:
    born = birth(server.start())
    with Client(place / "data") as other:
        url = other.url()
        assert birth(url) == born
        server.stop()
        assert birth(url) == born
        other.leave()
    assert not living(place / "data")


def test_two_servers_in_one_process_are_two_users(server: EmbeddedServer, place: Path) -> None:
    server.start()
    with EmbeddedServer(place / "data") as second:
        server.stop()
        assert ask(second.start(), "SELECT 1") == 1
    assert not living(place / "data")


def test_starting_and_stopping_twice_is_harmless(server: EmbeddedServer, place: Path) -> None:
    assert server.start() == server.start()
    server.stop()
    server.stop()
    assert not living(place / "data")


def test_a_child_process_does_not_keep_the_server(server: EmbeddedServer, place: Path) -> None:
    server.start()
    with subprocess.Popen(["sleep", "60"], close_fds=False) as child:
        server.stop()
        child.kill()
    assert not living(place / "data")


def test_a_forked_child_does_not_keep_the_server(server: EmbeddedServer, place: Path) -> None:
    server.start()
    if (child := os.fork()) == 0:
        time.sleep(60)
        os._exit(0)
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
    counting = asyncio.create_task(connection.fetchval("SELECT count(*) FROM generate_series(1, 100000000000)"))
    await asyncio.sleep(0.2)
    backend = connection.get_server_pid()
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


def test_a_stranger_with_the_number_of_the_old_postmaster_is_left_alone(server: EmbeddedServer, place: Path) -> None:
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


@pytest.mark.parametrize("name", ["deep/" * 30 + "data", "a b, 'c' $HOME `d` \"ü\""])
def test_long_and_odd_data_directories_work(place: Path, name: str) -> None:
    with EmbeddedServer(place / name, settings=QUICK) as server:
        assert ask(server.start(), "SELECT 1") == 1
        title = Cluster(place / name / "postgres", Account(0, 0)).title
        with Client(place / name) as other:
            assert ask(other.url(), "SELECT 1") == 1
            other.leave()
    assert not list(STATE.glob(f"run/{title}"))


def test_a_data_directory_removed_while_in_use_ends_the_server(server: EmbeddedServer, place: Path) -> None:
    server.start()
    title = Cluster(place / "data/postgres", Account(0, 0)).title
    user = account_of(place / "data")
    shutil.rmtree(place / "data")
    server.stop()
    assert not embedded_processes.find_titled(title, user)


def test_data_of_another_major_version_are_refused(place: Path) -> None:
    (place / "data/postgres").mkdir(parents=True)
    (place / "data/postgres/PG_VERSION").write_text("17\n")
    with pytest.raises(
        EmbeddedServerError, match=r"PostgreSQL 17 .* runs 18: .*`sightline backup`.*`sightline restore`"
    ):
        EmbeddedServer(place / "data").start()
    assert [path.name for path in (place / "data/postgres").iterdir()] == ["PG_VERSION"]


def test_what_the_server_says_is_told_when_it_does_not_start(place: Path) -> None:
    with pytest.raises(EmbeddedServerError, match=r"could not be started: .*max_connections"):
        EmbeddedServer(place / "other", settings={**QUICK, "max_connections": "many"}).start()
    assert not living(place / "other")


def test_a_folder_that_is_no_database_is_refused(place: Path) -> None:
    (place / "data/postgres").mkdir(parents=True)
    with pytest.raises(EmbeddedServerError, match="is not a database: move it away"):
        EmbeddedServer(place / "data").start()


def test_a_link_to_a_missing_database_is_refused(place: Path) -> None:
    (place / "data").mkdir()
    (place / "data/postgres").symlink_to(place / "gone")
    with pytest.raises(EmbeddedServerError, match="gone, which is missing: put the database back there"):
        EmbeddedServer(place / "data").start()


def test_a_file_in_place_of_the_data_directory_is_refused(place: Path) -> None:
    (place / "data").touch()
    with pytest.raises(EmbeddedServerError, match="cannot be used"):
        EmbeddedServer(place / "data").start()


@pytest.mark.parametrize(
    "said", ["initdb: error: could not write: No space left on device", "FATAL: x: No space left on device"]
)
def test_a_full_disk_is_named(said: str) -> None:
    assert str(failure(Path("/data"), "made", said)) == "The disk of /data is full: free some space and start again."


@pytest.mark.skipif(not IS_ROOT, reason="only root has a service user that a folder can be closed to")
def test_as_root_behind_a_closed_folder_the_data_lie_elsewhere(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    before = [(parent, parent.stat().st_mode, parent.stat().st_uid) for parent in closed.parents]
    try:
        with EmbeddedServer(closed / "data", settings=QUICK) as server:
            assert ask(server.start(), "CREATE TABLE kept ()") is None
            assert (closed / "data/postgres").readlink().is_relative_to(STATE / "clusters")
            assert account_of(closed / "data") != 0
        with EmbeddedServer(closed / "data") as again:
            assert ask(again.start(), "SELECT count(*) FROM kept") == 0
        assert [(parent, parent.stat().st_mode, parent.stat().st_uid) for parent in closed.parents] == before
        assert mode(closed) == "0o700"
    finally:
        remove(closed / "data")


@pytest.mark.skipif(not IS_ROOT, reason="only root can be another user")
def test_an_ordinary_user_runs_its_own_server_and_root_may_join(server: EmbeddedServer, place: Path) -> None:
    shutil.chown(place, NOBODY)
    with Client(place / "data", user=NOBODY) as client:
        url = client.url()
        skip_when_closed(url)
        assert account_of(place / "data") == NOBODY
        assert server.start() == url
        client.leave()
        assert ask(url, "SELECT 1") == 1
    server.stop()
    assert not living(place / "data")
    assert ask(server.start(), "SELECT 1") == 1
    assert account_of(place / "data") == NOBODY


@pytest.mark.skipif(not IS_ROOT, reason="only root can be another user")
def test_a_long_path_of_an_ordinary_user_gets_a_link_that_nobody_else_can_take(place: Path) -> None:
    shutil.chown(place, NOBODY)
    with Client(place / ("deep" * 30), user=NOBODY) as client:
        url = client.url()
        skip_when_closed(url)
        assert ask(url, "SELECT 1") == 1
        link = Path(url.partition("host=")[2].partition("&")[0])
        assert (mode(link.parent), link.parent.stat().st_uid) == ("0o700", NOBODY)
        client.leave()
    assert not link.is_symlink()


@pytest.mark.skipif(not IS_ROOT, reason="only root can be another user")
def test_an_ordinary_user_without_permission_is_told(place: Path) -> None:
    with Client(place / "data", user=NOBODY) as client:
        said = client.url()
        assert said.startswith(f"User 'nobody' has no permission for {place / 'data'}: choose another --data-dir")


def skip_when_closed(said: str) -> None:
    if "is installed" in said or "does not run" in said:
        pytest.skip("the virtual environment is closed to ordinary users")
