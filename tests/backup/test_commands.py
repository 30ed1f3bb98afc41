"""`sightline backup` and `sightline restore` as people run them."""

import asyncio
import json
import stat
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from sightline.platform.db.embedded import EmbeddedServer
from tests.backup.copies import SLUG, new_database
from tests.backup.terminal import on_a_terminal
from tests.cli.command import WORDS, Done, environment, run, serving, status
from tests.first_database import lay_database
from tests.platform.embedded_world import ask, open_place

SAMPLE = Path(__file__).parents[2] / "src/sightline/sample/workspace.yaml"
COUNTED = """
SELECT (SELECT sum(count) FROM record_counts WHERE kind = 'idea' AND workspace_id = id)
     = (SELECT count(*) FROM ideas WHERE workspace_id = workspaces.id)
   AND (SELECT count(*) FROM changes WHERE kind = 'idea' AND action = 'created' AND workspace_id = workspaces.id)
     = (SELECT count(*) FROM ideas WHERE workspace_id = workspaces.id)
   AND (SELECT last FROM public_numbers WHERE kind = 'idea' AND workspace_id = workspaces.id)
    >= (SELECT max(number) FROM ideas WHERE workspace_id = workspaces.id)
  FROM workspaces WHERE slug = 'busy'"""


@dataclass(frozen=True)
class Site:
    """A data directory `a` with the sample and a workspace that was written to during the backup `file`."""

    place: Path
    file: Path
    key: str
    backup: Done
    exported: str

    @property
    def secret(self) -> str:
        return (self.place / "a/secret").read_text().strip()


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    with open_place() as place, _served(place) as address:
        assert run("workspace", "apply", SAMPLE, "--data-dir", place / "a").code == 0
        words = ("init", "--slug", "busy", "--name", "Busy", "--owner", "bo@busy.test", "--json")
        key = run(*words, "--data-dir", place / "a").json["key"]
        asked(place / "a", "UPDATE portals SET secret = 'sealed'")
        with writing(address, key):
            backup = run("backup", place / "file", "--json", "--data-dir", place / "a")
        exported = run("workspace", "export", SLUG, "--data-dir", place / "a").out
        yield Site(place, place / "file", key, backup, exported)


@contextmanager
def _served(place: Path) -> Iterator[str]:
    lay_database(place / "a")
    with serving(place / "log", "serve", "--no-worker", "--data-dir", place / "a") as server:
        yield server.wait_ready()


@contextmanager
def writing(address: str, key: str) -> Iterator[None]:
    """Somebody creates ideas all the while."""
    stopped, started = threading.Event(), threading.Event()

    def write() -> None:
        with httpx2.Client(base_url=f"{address}/api/external/v1", headers={"Authorization": f"Bearer {key}"}) as client:
            while not stopped.is_set():
                assert client.post("/ideas", json={"name": "One", "description": "more"}).status_code == 201
                started.set()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert started.wait(20)
        yield
    finally:
        stopped.set()
        writer.join()


@pytest.fixture(scope="session")
def copy(site: Site) -> Iterator[Path]:
    """A data directory into which the backup was restored."""
    with open_place() as place:
        restored = run("restore", site.file, "--json", "--data-dir", place / "b", SECRET=site.secret).json
        assert (
            restored.items() >= {name: site.backup.json[name] for name in ("file", "tables", "rows", "bytes")}.items()
        )
        yield place / "b"


@pytest.fixture
def empty(database_server: str) -> str:
    """The address of a database with nothing in it."""
    return asyncio.run(new_database(database_server))


def asked(data_dir: Path, question: str) -> object:
    with EmbeddedServer(data_dir) as server:
        return ask(server.start(), question)


def test_a_backup_of_a_busy_server_is_consistent(site: Site, copy: Path) -> None:
    assert site.backup.json.keys() == {"file", "tables", "rows", "bytes", "seconds"}
    assert site.backup.json["bytes"] == site.file.stat().st_size
    with EmbeddedServer(copy):
        assert asked(copy, COUNTED)
        assert run("workspace", "export", SLUG, "--data-dir", copy).out == site.exported


@pytest.mark.slow
def test_the_secret_is_kept_and_a_key_opens_the_restored_server(site: Site, copy: Path) -> None:
    kept = copy / "secret"
    assert (kept.read_text().strip(), stat.S_IMODE(kept.stat().st_mode)) == (site.secret, 0o600)
    with serving(copy.parent / "log", "serve", "--no-worker", "--data-dir", copy) as server:
        assert status(server.wait_ready(), site.key) == 200
        words = ("--data-dir", copy)
        kept.write_text("another\n")
        assert "is not empty" in run("restore", site.file, *words, SECRET=site.secret).refusal
        assert kept.read_text() == "another\n"


def test_only_the_owner_reads_a_backup_and_it_holds_no_secret(site: Site) -> None:
    assert stat.S_IMODE(site.file.stat().st_mode) == 0o600
    opened = subprocess.run(["tar", "-xOzf", site.file], capture_output=True, check=True).stdout
    assert b'"format": 1' in opened
    assert site.secret.encode() not in opened
    assert site.key.encode() not in opened
    assert [path.name for path in site.place.iterdir() if path.name.endswith(".part")] == []


@pytest.mark.slow
def test_a_backup_is_written_to_and_read_from_pipes(site: Site, empty: str) -> None:
    words = [*WORDS, "backup", "-", "--data-dir", str(site.place / "a")]
    backup = subprocess.run(words, env=environment(), capture_output=True, check=True)
    words = [*WORDS, "restore", "-", "--json", "--database-url", empty]
    restored = subprocess.run(
        words, env=environment(SECRET=site.secret), input=backup.stdout, capture_output=True, check=True
    )
    assert json.loads(restored.stdout)["rows"] >= site.backup.json["rows"]
    assert run("backup", "-", "--json", "--data-dir", site.place / "a").code == 2


def test_a_wrong_or_missing_secret_is_refused(site: Site, tmp_path: Path) -> None:
    nowhere = ("--data-dir", tmp_path / "b")
    wrong = run("restore", site.file, *nowhere, SECRET="another secret of a server").refusal
    assert wrong.startswith("sightline: This is not the secret of the backed-up server: ")
    missing = run("restore", site.file, *nowhere).refusal
    assert missing.startswith("sightline: The secret of the backed-up server is needed: ")
    assert not (tmp_path / "b").exists()


def test_on_a_terminal_the_secret_is_asked_for_and_not_shown(site: Site, empty: str) -> None:
    with on_a_terminal("restore", site.file, "--database-url", empty) as terminal:
        terminal.read_until("Secret of the backed-up server")
        terminal.type_hidden(site.secret)
        terminal.read_until("are restored")
        assert terminal.process.wait(20) == 0
    assert site.secret not in terminal.shown


def test_without_the_secret_portals_need_new_ones(site: Site, empty: str) -> None:
    restored = run("restore", site.file, "--without-secret", "--json", "--database-url", empty)
    [alias] = restored.json["portalsWithoutSecret"]
    assert alias in restored.err
    assert ask(empty, "SELECT count(secret) FROM portals") == 0


def test_what_cannot_be_written_or_read_is_refused_in_one_line(site: Site, tmp_path: Path) -> None:
    here = ("--data-dir", site.place / "a")
    missing = tmp_path / "no/where"
    assert run("backup", missing, *here).refusal == f"sightline: {missing}: No such file or directory."
    assert run("backup", tmp_path, *here).refusal == f"sightline: {tmp_path}: Is a directory."
    assert "disk is full" in run("backup", "/dev/full", *here).refusal
    assert "/nowhere: No such file" in run("restore", "/nowhere", "--data-dir", tmp_path / "x").refusal
    assert "There is no database in" in run("backup", tmp_path / "file", "--data-dir", tmp_path / "x").refusal
    assert list(tmp_path.iterdir()) == []


def test_an_existing_file_is_replaced_only_by_force(site: Site, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("another")
    words = ("backup", file, "--data-dir", site.place / "a")
    assert run(*words).refusal == f"sightline: {file} exists already: give another name, or --force to replace it."
    assert file.read_text() == "another"
    assert run(*words, "--force").code == 0
    assert file.stat().st_size > 1000
