"""Work outside the database that ends early when nobody wants its result any more."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

LOOK_SECONDS = 1.0

Result = TypeVar("Result")


async def while_wanted(work: Coroutine[Any, Any, Result], is_wanted: Callable[[], Awaitable[bool]]) -> Result | None:
    """Looks each second whether the result is still wanted. Returns None when it is not, and leaves the work."""
    working = asyncio.create_task(work)
    try:
        while not working.done():
            await asyncio.wait({working}, timeout=LOOK_SECONDS)
            if not working.done() and not await is_wanted():
                return None
        return working.result()
    finally:
        working.cancel()
