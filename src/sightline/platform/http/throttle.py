"""How often an API key may send requests."""

import time
from collections.abc import Callable
from math import ceil

from sightline.platform.access import Actor
from sightline.platform.errors import RateLimited
from sightline.platform.limits import Limit


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
