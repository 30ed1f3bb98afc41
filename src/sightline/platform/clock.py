"""The one clock."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from time import monotonic

_MICROSECOND = timedelta(microseconds=1)
_KNOWN_FOR = timedelta(seconds=0.05)  # as neither clock of a machine counts while the machine is stopped
_SET = 0.001  # seconds: a larger difference to the steady clock means that somebody has set the machine's
_DRIFT = 0.0005  # what two clocks that are kept right move apart in a second, at most

_machine = partial(datetime.now, UTC)


@dataclass(slots=True, eq=False)
class Clock:
    """UTC by the database's clock, cut to milliseconds as the database stores it. `offset` is for tests of time.

    The machine's clock, corrected by how far the database's was ahead of it when both were last compared. Never behind
    the database's, and ahead of it by at most the time that an answer of the database takes.
    """

    offset: timedelta = timedelta(0)
    machine: Callable[[], datetime] = _machine
    ahead: timedelta = timedelta(0)  # how far the database's clock is ahead of the machine's
    steady: Callable[[], float] = monotonic  # which nobody can set
    _compared_at: datetime | None = None
    _compared_steady: float = 0.0

    def now(self) -> datetime:
        moment = self.machine()
        if self._compared_at is not None:  # a clock that was set back since counts on as before
            moment = max(moment, self._compared_at + timedelta(0, self.steady() - self._compared_steady))
        moment += self.ahead + self.offset
        return moment - _MICROSECOND * (moment.microsecond % 1000)

    def is_due(self) -> bool:
        """Whether to compare again: a twentieth of a second has passed, or somebody has set the machine's clock."""
        moment = self.machine()
        at = self._compared_at
        return at is None or not timedelta(0) <= moment - at <= _KNOWN_FOR or self._was_set(moment - at)

    async def compare(self, ask: Callable[[], Awaitable[datetime]]) -> None:
        """Corrects the clock by the database's, for which `ask` asks.

        A slow answer puts the clock ahead, so an earlier correction stays while it is smaller and can be right.
        """
        asked, began = self.machine(), self.steady()
        database, answered, ended = await ask(), self.machine(), self.steady()
        if abs((answered - asked).total_seconds() - (ended - began)) > _SET:
            return await self.compare(ask)  # somebody set the clock meanwhile, or the machine slept
        ahead = database - asked
        if self._compared_at is not None and not self._was_set(answered - self._compared_at):
            earlier = self.ahead + (answered - self._compared_at) * _DRIFT
            if earlier >= database - answered:
                ahead = min(ahead, earlier)
        self.ahead, self._compared_at, self._compared_steady = ahead, answered, ended

    def _was_set(self, passed: timedelta) -> bool:
        """Whether somebody has set the machine's clock, by which so much time has passed since both were compared."""
        return abs(passed.total_seconds() - (self.steady() - self._compared_steady)) > _SET
