"""Work that takes long runs in one thread beside the event loop: everything else competes with one of them at most."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Done = TypeVar("Done")

_THREAD = ThreadPoolExecutor(max_workers=1, thread_name_prefix="beside")


async def run_beside(function: Callable[Given, Done], *given: Given.args, **named: Given.kwargs) -> Done:
    """Returns what the function returns, or raises what it raises, when those before it have ended."""
    return await asyncio.get_running_loop().run_in_executor(_THREAD, lambda: function(*given, **named))
