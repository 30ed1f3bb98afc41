"""The application with the laboratory's operations, served beside the real one."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest_asyncio

from sightline.app import build_app
from sightline.platform.db import Database
from sightline.settings import Settings
from tests.platform.http.laboratory import TABLE
from tests.world import World, serving


def laboratory(database_url: str, **settings: Any) -> Any:
    """The application of the laboratory, with these settings."""
    given = {"database_url": database_url, "data_dir": Path("/nonexistent"), "log_level": "error", **settings}
    return build_app(Settings.read(given, environment={}, file=Path("/nonexistent")), TABLE)


@pytest_asyncio.fixture(scope="module")
async def lab_address(database_url: str) -> AsyncIterator[str]:
    async with serving(database_url, laboratory(database_url)) as address:
        yield address


@pytest_asyncio.fixture(scope="module")
async def lab(database: Database, lab_address: str) -> AsyncIterator[World]:
    """A workspace of all tests of a module, whose client speaks to the laboratory."""
    async with World(database, lab_address) as lab:
        yield lab


@pytest_asyncio.fixture
async def empty_lab(database: Database, lab_address: str) -> AsyncIterator[World]:
    """The same, of one test's own."""
    async with World(database, lab_address) as lab:
        yield lab


@pytest_asyncio.fixture(scope="module")
async def browser(served: str) -> AsyncIterator[httpx2.AsyncClient]:
    """A client without a key, of the real application."""
    async with httpx2.AsyncClient(base_url=served, timeout=30, verify=False) as client:
        yield client
