"""Work that runs beside requests: what takes long in one thread for each kind, what never ends in a task."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Any, ParamSpec, TypeVar
from uuid import UUID

from sightline.platform.turns import TURN_SECONDS, OwnTurns, acting_for, acting_person

Given = ParamSpec("Given")
Done = TypeVar("Done")

_LARGE = 64 * 1024  # bytes, from which on content is read in a thread, so that other requests go on


class Beside:
    """One thread, or `threads`, for work of one kind, which waits for nothing but its like. `name` is the thread's.

    Requests of one person wait for each other first, then requests of one workspace, so that others wait for one of
    them at most.
    """

    def __init__(self, name: str, threads: int = 1) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._own = OwnTurns(1)

    async def run(self, function: Callable[Given, Done], *given: Given.args, **named: Given.kwargs) -> Done:
        """Returns what the function returns, or raises what it raises, when those before it have ended.

        Raises TimeoutError if the person's turn does not come in 6 seconds, or then the workspace's.
        """
        async with self._turn_of(acting_person.get()), self._turn_of(acting_for.get()):
            return await asyncio.get_running_loop().run_in_executor(self._threads, lambda: function(*given, **named))

    async def run_by_size(self, function: Callable[[bytes], Done], content: bytes) -> Done:
        """Runs `function(content)`: at once for small content, in the thread for large."""
        return function(content) if len(content) <= _LARGE else await self.run(function, content)

    async def run_job(
        self, workspace_id: UUID, function: Callable[Given, Done], *given: Given.args, **named: Given.kwargs
    ) -> Done:
        """Runs the function for a job, which waits for as long as it takes, first for other jobs of the workspace."""
        async with self._own.of(workspace_id).turn(None):
            return await asyncio.get_running_loop().run_in_executor(self._threads, lambda: function(*given, **named))

    def _turn_of(self, owner: Hashable) -> AbstractAsyncContextManager[None]:
        return nullcontext() if owner is None else self._own.of(owner).turn(TURN_SECONDS)


run_beside = Beside("beside").run  # ideas: about a tenth of a second


@asynccontextmanager
async def running(*work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Runs each in a task, which is cancelled when the block is left."""
    tasks = [asyncio.create_task(each) for each in work]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
