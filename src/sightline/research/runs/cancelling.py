"""Work outside the database that is cancelled when its run is stopped or its attempt has ended."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

LOOK_SECONDS = 1.0

Result = TypeVar("Result")


async def run_while(work: Coroutine[Any, Any, Result], is_running: Callable[[], Awaitable[bool]]) -> Result | None:
    """Returns the result of `work`, or None if `is_running`, which is asked once a second, is False first.

    Then the work is cancelled. Raises what either raises.
    """
    working = asyncio.create_task(work)
    try:
        while not working.done():
            await asyncio.wait({working}, timeout=LOOK_SECONDS)
            if not working.done() and not await is_running():
                return None
        return working.result()
    finally:
        working.cancel()
