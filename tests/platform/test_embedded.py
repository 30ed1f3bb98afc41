"""The embedded server in everyday use: what it is, who shares it, what is refused."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sightline.platform.db.embedded import EmbeddedServer, EmbeddedServerError
from sightline.platform.db.embedded.programs import failure
from tests.first_database import lay_database
from tests.folders import data_folder
from tests.platform.embedded_world import (
    IS_ROOT,
    NOBODY,
    QUICK,
    Client,
    account_of,
    ask,
    birth,
    living,
    mode,
    open_place,
    remove,
)


@pytest.fixture
def place() -> Iterator[Path]:
    with open_place() as folder:
        yield folder


@pytest.fixture
def server(place: Path) -> Iterator[EmbeddedServer]:
    yield (one := EmbeddedServer(place / "data", settings=QUICK))
    one.stop()


@pytest.fixture
def used(place: Path) -> None:
    """The data directory was used before."""
    lay_database(place / "data")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A server that the tests that only ask share."""
    data_dir = Path(tempfile.mkdtemp(prefix="sightline-test-", dir=data_folder()))
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


@pytest.mark.usefixtures("used")
def test_other_settings_of_the_configuration_file_are_kept(server: EmbeddedServer, place: Path) -> None:
    server.start()
    server.stop()
    with open(place / "data/postgres/postgresql.conf", "a") as file:
        file.write("work_mem = '7MB'\njit = on\n")
    url = server.start()
    assert (ask(url, "SHOW work_mem"), ask(url, "SHOW jit")) == ("7MB", "off")


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


@pytest.mark.usefixtures("used")
def test_a_second_process_joins_and_the_last_to_leave_stops_the_server(server: EmbeddedServer, place: Path) -> None:
    born = birth(server.start())
    with Client(place / "data") as other:
        url = other.url()
        assert birth(url) == born
        server.stop()
        assert birth(url) == born
        other.leave()
    assert not living(place / "data")


@pytest.mark.usefixtures("used")
def test_who_joins_does_not_create_the_database_again(server: EmbeddedServer, place: Path) -> None:
    url, sessions = server.start(), "SELECT sessions FROM pg_stat_database WHERE datname = 'postgres'"
    before = ask(url, sessions)
    with Client(place / "data") as other:
        assert ask(other.url(), sessions) == before


@pytest.mark.usefixtures("used")
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


@pytest.mark.parametrize("name", ["deep/" * 30 + "data", "a b, 'c' $HOME `d` \"ü\""])
@pytest.mark.slow
def test_long_and_odd_data_directories_work(place: Path, name: str) -> None:
    with EmbeddedServer(place / name, settings=QUICK) as server:
        assert ask(server.start(), "SELECT 1") == 1
        folder = Path(server.start().partition("host=")[2].partition("&")[0])
        assert folder.samefile(place / name / "postgres")
        with Client(place / name) as other:
            assert ask(other.url(), "SELECT 1") == 1
            other.leave()
    assert not folder.is_symlink()


def test_data_of_another_major_version_are_refused(place: Path) -> None:
    (place / "data/postgres").mkdir(parents=True)
    (place / "data/postgres/PG_VERSION").write_text("17\n")
    with pytest.raises(
        EmbeddedServerError, match=r"PostgreSQL 17 .* runs 18: .*`sightline backup`.*`sightline restore`"
    ):
        EmbeddedServer(place / "data").start()
    assert [path.name for path in (place / "data/postgres").iterdir()] == ["PG_VERSION"]


def test_the_servers_message_is_reported_if_it_does_not_start(place: Path) -> None:
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
    "said",
    [
        "shared memory ... posix\ninitdb: error: could not write: No space left on device",
        "FATAL: x: No space left on device",
    ],
)
def test_a_full_disk_is_named(said: str) -> None:
    assert str(failure(Path("/data"), "made", said)) == "The disk of /data is full: free some space and start again."


@pytest.mark.skipif(not IS_ROOT, reason="only root has a service user that a folder can be closed to")
def test_as_root_the_data_may_lie_behind_a_closed_folder(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    before = [(parent, parent.stat().st_mode, parent.stat().st_uid) for parent in closed.parents]
    try:
        with EmbeddedServer(closed / "data", settings=QUICK) as server:
            assert ask(server.start(), "CREATE TABLE kept ()") is None
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
def test_a_long_path_of_an_ordinary_user_gets_a_link_in_a_private_folder(place: Path) -> None:
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
def test_an_ordinary_user_without_permission_gets_a_message(place: Path) -> None:
    with Client(place / "data", user=NOBODY) as client:
        said = client.url()
        assert said.startswith(f"User 'nobody' has no permission for {place / 'data'}: choose another --data-dir")


def skip_when_closed(said: str) -> None:
    if "is installed" in said or "does not run" in said:
        pytest.skip("the virtual environment is closed to ordinary users")
