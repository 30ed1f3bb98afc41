"""A data directory with a server running on it, shared by all tests of the folder."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import uvloop

from sightline.platform.db import Database
from sightline.platform.db.embedded import EmbeddedServer
from sightline.workspace_file import apply_file
from sightline.workspace_file.exporting import export_workspace
from tests.cli.command import Done, run, serving
from tests.first_database import lay_database
from tests.platform.embedded_world import open_place


class Records:
    """Reads and writes workspaces for tests of other commands, without a command for each look."""

    def __init__(self, runner: asyncio.Runner, database: Database) -> None:
        self._runner = runner
        self._database = database

    def exported(self, slug: str) -> Any:
        """What the workspace holds, as a workspace file."""
        written = BytesIO()
        self._runner.run(export_workspace(self._database, slug, written.write))
        return json.loads(written.getvalue())

    def apply(self, slug: str, **lists: Any) -> None:
        """Creates the workspace, or adds to it."""
        file = {"workspace": {"slug": slug, "name": slug}, **lists}
        self._runner.run(apply_file(self._database, BytesIO(json.dumps(file).encode()), actor_id="tests"))


@dataclass(frozen=True)
class Site:
    """Where one server runs: its folder, its address, a workspace `acme` with a key, and the records of all."""

    place: Path
    address: str
    key: str
    records: Records

    @property
    def data(self) -> Path:
        return self.place / "data"

    def run(self, *words: str | Path, **settings: str) -> Done:
        return run(*words, cwd=None, DATA_DIR=str(self.data), **settings)

    def make_key(self, *words: str, name: str = "test", scopes: str = "all") -> dict[str, Any]:
        made: dict[str, Any] = self.run(
            "keys", "create", "--workspace", "acme", "--name", name, "--scopes", scopes, "--json", *words
        ).json
        return made


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that the embedded server can use, whoever runs it."""
    with open_place() as folder:
        yield folder


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    with open_place() as place, _served(place) as address:
        words = ("init", "--slug", "acme", "--name", "Acme", "--owner", "ada@acme.test", "--json")
        made = run(*words, DATA_DIR=str(place / "data")).json
        with _records(place / "data") as records:
            yield Site(place, address, made["key"], records)


@contextmanager
def _served(place: Path) -> Iterator[str]:
    lay_database(place / "data")
    with serving(place / "log", "serve", "--data-dir", place / "data") as server:
        yield server.wait_ready()


@contextmanager
def _records(data: Path) -> Iterator[Records]:
    server = EmbeddedServer(data)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        database = runner.run(Database.connect(server.start(), size=2))
        try:
            yield Records(runner, database)
        finally:
            runner.run(database.close())
            server.stop()
