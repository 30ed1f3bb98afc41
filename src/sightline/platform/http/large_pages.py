"""A large page in pieces: its records are read from the database as fast as the client takes them, no faster."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import msgspec

from sightline.platform.db import Database
from sightline.platform.wire import Page

PIECE = 64 * 1024
_ENCODER = msgspec.json.Encoder()


async def pieces_of(page: Page[Any], db: Database) -> AsyncIterator[bytes]:
    """The array of the page in pieces of at most 64 KiB.

    Between two pieces it holds the rest of one portion, as text, and no connection.
    """
    before = b"["
    async for items in _portions(page, db):
        if not items:  # the first record is large, or all of a portion were deleted meanwhile
            continue
        for piece in _pieces(before, items):
            yield piece
            await asyncio.sleep(0)  # lets other requests in where the client takes everything at once
        before = b","
    yield b"]" if before == b"," else b"[]"


async def _portions(page: Page[Any], db: Database) -> AsyncIterator[list[Any]]:
    yield page.items
    if page.rest:
        async for items in page.rest.read(db):
            yield items


def _pieces(before: bytes, items: list[Any]) -> Iterator[bytes]:
    """What comes before the records, and the records without brackets.

    Empties the list, since a client that does not read leaves it waiting.
    """
    text = memoryview(_ENCODER.encode(items))[1:-1]
    items.clear()
    yield before
    for start in range(0, len(text), PIECE):
        yield bytes(text[start : start + PIECE])
