"""How often the public store may be asked: about 20 calls a minute."""

import asyncio
import time
from collections import deque


class StorePacing:
    """Lets `calls` pass in any `seconds`, in the order in which they wait. It counts the calls of its own process."""

    def __init__(self, calls: int = 20, seconds: float = 60.0) -> None:
        self._seconds = seconds
        self._passed: deque[float] = deque(maxlen=calls)
        self._turn = asyncio.Lock()

    async def wait(self) -> None:
        """Returns when the next call may be made."""
        async with self._turn:
            if len(self._passed) == self._passed.maxlen:
                while (left := self._passed[0] + self._seconds - time.monotonic()) > 0:  # noqa: ASYNC110 - a timer
                    await asyncio.sleep(left)  # may end up to a millisecond early
            self._passed.append(time.monotonic())
