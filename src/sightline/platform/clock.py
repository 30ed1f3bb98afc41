"""The one clock."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta


@dataclass(frozen=True, slots=True)
class Clock:
    """UTC, cut to milliseconds, which is what the database stores; `offset` serves tests of time."""

    offset: timedelta = timedelta(0)

    def now(self) -> datetime:
        moment = datetime.now(UTC) + self.offset
        return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
