"""The one clock."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Clock:
    """UTC, cut to milliseconds as the database stores it. `offset` is for tests of time."""

    offset: timedelta = timedelta(0)

    def now(self) -> datetime:
        moment = datetime.now(UTC) + self.offset
        return moment - _MICROSECOND * (moment.microsecond % 1000)
