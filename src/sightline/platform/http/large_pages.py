"""Sends a large page in pieces: its records are read from the database as fast as the client takes them, no faster."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import msgspec

from sightline.platform.db import Database
from sightline.platform.wire import Page

PIECE = 256 * 1024
_ENCODER = msgspec.json.Encoder()


async def send_in_pieces(page: Page[Any], db: Database, receive: Any, send: Any) -> None:
    """Sends the body after the headers. Holds one portion of the page, and no connection while it sends.

    Stops when the client is gone. An exception leaves the body without its end, which the client sees.
    """
    is_gone = asyncio.create_task(_wait_until_gone(receive))
    try:
        async for piece in _pieces(page, db):
            if is_gone.done():
                return
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            await asyncio.sleep(0)  # lets other requests in where the client takes everything at once
        await send({"type": "http.response.body", "body": b"]"})
    finally:
        is_gone.cancel()


async def _wait_until_gone(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _pieces(page: Page[Any], db: Database) -> AsyncIterator[bytes]:
    """The array without its end, in pieces of at most 256 KiB."""
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


def _cut(text: bytes) -> Iterator[bytes]:
    return (text[start : start + PIECE] for start in range(0, len(text), PIECE))
