"""A page with large records, sent in pieces: they are read from the database as fast as the client takes them."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec

from sightline.platform.db import Database
from sightline.platform.lists.large import LargeRecords
from sightline.platform.wire import Page

PIECE = 64 * 1024
_ENCODER = msgspec.json.Encoder()


async def pieces_of(page: Page[Any], rest: LargeRecords[Any], db: Database) -> AsyncIterator[bytes]:
    """Yields the array of the page in pieces of at most 64 KiB.

    Between two pieces it holds the rest of one portion, as text, and no connection.
    """
    before = b"["
    async for records in _portions(page, rest, db):
        text = memoryview(_ENCODER.encode(records))[1:-1]
        records.clear()  # a client that does not read leaves them waiting
        if not text:  # the first record is large, or all of a portion were deleted meanwhile
            continue
        yield before
        before = b","
        for start in range(0, len(text), PIECE):
            yield bytes(text[start : start + PIECE])
            await asyncio.sleep(0)  # lets other requests in where the client takes everything at once
    yield b"]" if before == b"," else b"[]"


async def _portions(page: Page[Any], rest: LargeRecords[Any], db: Database) -> AsyncIterator[list[Any]]:
    yield page.items
    async for records in rest.read(db):
        yield records
