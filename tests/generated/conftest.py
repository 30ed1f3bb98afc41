"""One world for all tests of a module: nothing here changes what it holds."""

import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from sightline.app import openapi_document
from sightline.platform.db import Database
from tests.generated.made import Made
from tests.world import World


@pytest_asyncio.fixture(scope="module")
async def made(database: Database, served: str) -> AsyncIterator[Made]:
    async with World(database, served) as world:
        made = Made(world)
        await made.furnish()
        yield made


@pytest.fixture(scope="module")
def python_client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the package `sightline_client`, which is generated without a warning."""
    folder = tmp_path_factory.mktemp("client")
    (folder / "openapi.json").write_text(openapi_document())
    (folder / "config.yaml").write_text("post_hooks: []\n")
    command = [
        *(sys.executable, "-m", "openapi_python_client", "generate", "--fail-on-warning", "--meta", "none"),
        *("--path", "openapi.json", "--config", "config.yaml", "--output-path", "sightline_client"),
    ]
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    assert "WARNING" not in made.stdout
    return folder
