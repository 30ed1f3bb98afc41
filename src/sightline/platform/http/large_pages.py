"""A large page in pieces: its records are read from the database as fast as the client takes them, no faster."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import msgspec

from sightline.platform.db import Database
from sightline.platform.wire import Page

PIECE = 256 * 1024
_ENCODER = msgspec.json.Encoder()


async def pieces_of(page: Page[Any], db: Database) -> AsyncIterator[bytes]:
    """The array of the page in pieces of at most 256 KiB.

    Holds one portion of the page, and no connection between two pieces.
    """
    assert page.read_more  # noqa: S101 - a page with more to read says how
    for piece in _cut(_ENCODER.encode(page.items)[:-1]):
        yield piece
    page.items.clear()
    for ids in page.rest:
        async with db.autocommit() as tx:
            items = await page.read_more(tx, ids)
        if items:  # none are left if all were deleted meanwhile
            encoded = b"," + _ENCODER.encode(items)[1:-1]
            del items
            for piece in _cut(encoded):
                yield piece
                await asyncio.sleep(0)  # lets other requests in where the client takes everything at once
    yield b"]"


def _cut(text: bytes) -> Iterator[bytes]:
    return (text[start : start + PIECE] for start in range(0, len(text), PIECE))
