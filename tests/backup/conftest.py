"""One filled database and its backup, which every test of the folder reads."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.backup.copies import backed_up, contents, fill, new_database
from tests.migrations.servers import oldest_server


@dataclass(frozen=True)
class Filled:
    """A database with something in every table, the key that opens its sample workspace, and its backup.

    Serving it may note when the key was used: `contents` are those of the moment of the backup.
    """

    url: str
    key: str
    backup: bytes
    contents: dict[str, tuple[int, str]]


@pytest.fixture(scope="session")
def filled(database_server: str) -> Filled:
    return asyncio.run(_filled(database_server))


@pytest.fixture(scope="session")
def oldest() -> Iterator[str]:
    """The address of the oldest supported server."""
    with oldest_server() as url:
        yield url


@pytest.fixture(scope="session")
def filled_on_oldest(oldest: str) -> Filled:
    return asyncio.run(_filled(oldest))


async def _filled(server: str) -> Filled:
    url = await new_database(server, migrated=True)
    key = await fill(url)
    return Filled(url, key, await backed_up(url), await contents(url))
