"""Turns: how many blocks use connections at once, and how long the others wait for one."""

from asyncio import Future, TimerHandle, get_running_loop
from collections import deque
from math import inf


class Turns:
    """At most `most` at once; the others wait in the order in which they came.

    One timer serves all that wait: a timer for each costs 3 us, a task with `wait_for` twice as much.
    """

    def __init__(self, most: int) -> None:
        self._free = most
        self._waiting: deque[tuple[float, Future[None]]] = deque()  # until when
        self._timer: TimerHandle | None = None

    def take(self) -> bool:
        """Takes a turn if one is free."""
        if self._free == 0:
            return False
        self._free -= 1
        return True

    async def wait(self, seconds: float | None) -> None:
        """Waits for a turn, always equally long. Raises TimeoutError."""
        loop = get_running_loop()
        turn: Future[None] = loop.create_future()
        self._waiting.append((inf if seconds is None else loop.time() + seconds, turn))
        if seconds is not None and self._timer is None:
            self._timer = loop.call_later(seconds, self._end_waits)
        try:
            await turn
        except BaseException:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self.release()  # cancelled when it had its turn already
            raise

    def release(self) -> None:
        """Gives the turn back, to the first that waits."""
        while self._waiting:
            _, turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1

    def _end_waits(self) -> None:
        self._timer = None
        now = get_running_loop().time()
        while self._waiting and (self._waiting[0][1].done() or self._waiting[0][0] <= now):
            _, turn = self._waiting.popleft()
            if not turn.done():
                turn.set_exception(TimeoutError("No database connection was free in time."))
        if self._waiting:
            self._timer = get_running_loop().call_at(self._waiting[0][0], self._end_waits)
