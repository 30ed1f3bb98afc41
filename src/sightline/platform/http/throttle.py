"""How often a key may do something in a period, such as send requests in a minute.

Each API process counts for itself: with several, a key whose connections spread over them may send that many times as
many requests. Dividing the limit among them would refuse a client with one connection before its limit.
"""

import time
from collections.abc import Callable
from math import ceil

from sightline.platform.access import Actor
from sightline.platform.errors import RateLimited

MOST_KEYS = 50_000


class Limit:
    """At most `most` uses of a key in `seconds`.

    A key's period begins with its first use after the previous period ended, or after the clock was put back. Counts
    in memory: above MOST_KEYS it forgets the key whose period began first.
    """

    def __init__(self, most: int, seconds: int) -> None:
        self.most = most
        self._seconds = seconds
        self._periods: dict[str, tuple[float, int]] = {}  # by key: when its period ends, how many uses are left

    def take(self, key: str, now: float) -> tuple[float, int]:
        """Counts a use. Returns when the period ends, and how many uses are left: -1 if none was left for this one."""
        ends, left = self._periods.get(key, (0.0, 0))
        if not now < ends <= now + self._seconds:
            self._periods.pop(key, None)
            while len(self._periods) >= MOST_KEYS:
                del self._periods[next(iter(self._periods))]
            ends, left = now + self._seconds, self.most
        if left:
            self._periods[key] = ends, left - 1
        return ends, left - 1


class RequestsPerMinute:
    """The limit of requests by API key, and its headers."""

    def __init__(self, limit: int, *, now: Callable[[], float] = time.time) -> None:
        self._limit = Limit(limit, 60)
        self._now = now
        self._policy = f'"key";q={limit};w=60'

    def admit(self, actor: Actor) -> list[tuple[bytes, bytes]]:
        """Counts a request. Returns headers with how many are left. Raises RateLimited."""
        now = self._now()
        ends, left = self._limit.take(actor.id, now)
        remaining, wait = max(0, left), max(1, ceil(ends - now))
        limits = {
            "RateLimit": f'"key";r={remaining};t={wait}',
            "RateLimit-Policy": self._policy,
            "X-RateLimit-Limit": str(self._limit.most),
            "X-RateLimit-Remaining": str(remaining),
            "X-RateLimit-Reset": str(ceil(ends)),
        }
        if left < 0:
            raise RateLimited(f"The key may send {self._limit.most} requests a minute.", wait, limits)
        return [(name.lower().encode(), value.encode()) for name, value in limits.items()]
