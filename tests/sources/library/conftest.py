"""An empty folder, and the library that reads it."""

from pathlib import Path

import pytest

from sightline.sources.library.library import Library


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "library"
    made.mkdir()
    return made


@pytest.fixture
def library(folder: Path, tmp_path: Path) -> Library:
    return Library(folder, tmp_path / "index.sqlite3", update_seconds=100.0, wait_seconds=120.0)
