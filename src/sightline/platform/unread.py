"""Text of a response waits here until its client reads it: a large one in a file, so that it takes no memory."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from io import BytesIO
from tempfile import TemporaryFile
from typing import IO

LARGE_BYTES = 1024 * 1024
PIECE_BYTES = 64 * 1024  # as much of a text is sent at once


async def keep_unread(text: bytes | memoryview) -> IO[bytes]:
    """Returns a file of the text, which is gone when it is closed. Drop the text itself."""
    if len(text) <= LARGE_BYTES:
        return BytesIO(text)
    return await asyncio.to_thread(write_unread, lambda: [text])


def write_unread(parts: Callable[[], Iterable[bytes | memoryview]]) -> IO[bytes]:
    """Returns a file of the parts, which is gone when it is closed. To be called in a thread."""
    try:
        file = TemporaryFile()  # noqa: SIM115 - the reader closes it
        file.writelines(parts())
        file.seek(0)
    except OSError:  # a full disk costs memory, not the response
        return BytesIO(b"".join(parts()))
    return file


async def pieces_of(unread: IO[bytes]) -> AsyncGenerator[bytes, None]:
    """Yields such a file in pieces of at most 64 KiB, and closes it."""
    with unread:
        while piece := unread.read(PIECE_BYTES):
            yield piece
            await asyncio.sleep(0)  # lets other requests in where the client takes everything at once
