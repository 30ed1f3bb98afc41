"""When a cadence is due: daily at 06:00, weekly on Monday at 06:00, in the brief's time zone. Decisions: Research.

The next time is found on the calendar of the zone, so a clock change neither skips nor repeats it.
"""

from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Literal
from zoneinfo import ZoneInfo, available_timezones

RunPolicy = Literal["on_demand", "daily", "weekly"]

_AT = time(6)
_DAY = timedelta(days=1)
_MONDAY = 0


def next_slot(policy: RunPolicy, timezone: str, after: datetime) -> datetime | None:
    """The first moment of the cadence after that one, in UTC; None for on_demand."""
    if policy == "on_demand":
        return None
    zone = ZoneInfo(timezone)
    day = after.astimezone(zone).date()
    while (slot := _slot(day, zone)) <= after or (policy == "weekly" and day.weekday() != _MONDAY):
        day += _DAY
    return slot


def _slot(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, _AT, zone).astimezone(UTC)


def is_zone(name: str) -> bool:
    return name in _zones()


@lru_cache(maxsize=1)
def _zones() -> set[str]:
    """Returns the IANA zones, without `localtime` and `Factory`, which are no fixed zone."""
    return available_timezones() - {"localtime", "Factory"}
