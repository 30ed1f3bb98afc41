"""Turns: how many go on at once, in which order others wait, and that no workspace keeps others waiting for long."""

from asyncio import Future, TimerHandle, get_running_loop, timeout
from collections import deque
from collections.abc import AsyncIterator, Hashable
from contextlib import AsyncExitStack, asynccontextmanager
from contextvars import ContextVar
from math import inf
from uuid import UUID
from weakref import WeakValueDictionary

TURN_SECONDS = 6.0  # for a turn at work that takes long

acting_for: ContextVar[UUID | None] = ContextVar("acting_for", default=None)  # the workspace of the present request
acting_person: ContextVar[UUID | None] = ContextVar("acting_person", default=None)  # who is signed in to its portal


class NoTurn(TimeoutError):
    """A turn did not come in time. The database may be well, and so is a connection that was held meanwhile."""


class Turns:
    """Lets `most` callers go on at once; further callers wait in the order in which they came.

    All wait equally long, so one timer serves them: a timer for each costs 3 us, a task with `wait_for` twice as much.
    `what` they wait for stands in the error.
    """

    def __init__(self, most: int, what: str = "turn") -> None:
        self._free = most
        self._what = what
        self._waiting: deque[tuple[float, Future[None]]] = deque()  # until when
        self._timer: TimerHandle | None = None

    def take(self) -> bool:
        """Takes a turn if one is free."""
        if self._free == 0:
            return False
        self._free -= 1
        return True

    @asynccontextmanager
    async def turn(self, seconds: float | None) -> AsyncIterator[None]:
        """One turn. Raises NoTurn if it does not come in so many seconds; None waits for as long as it takes."""
        if not self.take():
            await self.wait(seconds)
        try:
            yield
        finally:
            self.release()

    async def wait(self, seconds: float | None) -> None:
        """Waits for a turn, always equally long. Raises NoTurn."""
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
                turn.set_exception(NoTurn(f"No {self._what} was free in time."))
        if self._waiting:
            self._timer = get_running_loop().call_at(self._waiting[0][0], self._end_waits)


class OwnTurns:
    """Turns of each owner, such as a workspace: `most` at once. Those of an owner without callers are forgotten."""

    def __init__(self, most: int, what: str = "turn") -> None:
        self._most, self._what = most, what
        self._turns: WeakValueDictionary[Hashable, Turns] = WeakValueDictionary()

    def of(self, owner: Hashable) -> Turns:
        """Returns the turns of the owner, to be kept for as long as they are used."""
        if (turns := self._turns.get(owner)) is None:
            turns = self._turns.setdefault(owner, Turns(self._most, self._what))
        return turns


class FairTurns:
    """`most` turns of which each owner has one: others wait for one of theirs, not for all that they ask for."""

    def __init__(self, most: int) -> None:
        self._all, self._own = Turns(most), OwnTurns(1)

    @asynccontextmanager
    async def turn(self, *owners: Hashable) -> AsyncIterator[None]:
        """One turn, after those of the owners, who may be None. Raises NoTurn if it does not come in 6 seconds."""
        async with AsyncExitStack() as held:
            try:
                async with timeout(TURN_SECONDS):
                    for turns in (*(self._own.of(owner) for owner in owners if owner is not None), self._all):
                        await held.enter_async_context(turns.turn(TURN_SECONDS))
            except TimeoutError:
                raise NoTurn("No turn was free in time.") from None
            yield
