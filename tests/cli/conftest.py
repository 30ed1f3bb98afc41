"""A data directory with a server running on it, shared by all tests of the folder."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Done, run, serving
from tests.platform.embedded_world import open_place


@dataclass(frozen=True)
class Site:
    """Where one server runs: its folder, its address, and a workspace `acme` with a key."""

    place: Path
    address: str
    key: str

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
    with open_place() as place, serving(place / "log", "serve", "--data-dir", place / "data") as server:
        address = server.wait_ready()
        words = ("init", "--slug", "acme", "--name", "Acme", "--owner", "ada@acme.test", "--json")
        made = run(*words, DATA_DIR=str(place / "data")).json
        yield Site(place, address, made["key"])
