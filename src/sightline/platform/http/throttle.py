"""Requests per minute and key. A key's minute begins with its first request after the last one ended.

Each API process counts for itself: with several, a key whose connections spread over them may send that many times as
many requests. Dividing the limit among them would refuse a client with one connection before its limit.
"""

import time
from collections.abc import Callable
from math import ceil

from sightline.platform.access import Actor
from sightline.platform.errors import RateLimited

MINUTE = 60.0
MOST_KEYS = 50_000


class RequestsPerMinute:
    """Counts in memory; above `most_keys` the key whose minute began first is forgotten."""

    def __init__(self, limit: int, *, now: Callable[[], float] = time.time, most_keys: int = MOST_KEYS) -> None:
        self._limit = limit
        self._now = now
        self._most_keys = most_keys
        self._minutes: dict[str, tuple[float, int]] = {}  # by key: when its minute ends, how many it has left
        self._policy = f'"key";q={limit};w=60'

    def admit(self, actor: Actor) -> list[tuple[bytes, bytes]]:
        """Headers with what is left. Raises RateLimited."""
        now = self._now()
        ends, left = self._minutes.get(actor.id, (0.0, 0))
        if not now < ends <= now + MINUTE:  # over, or the clock was put back
            self._minutes.pop(actor.id, None)
            self._make_room()
            ends, left = now + MINUTE, self._limit
        if left == 0:
            raise RateLimited(
                f"The key may send {self._limit} requests a minute.",
                max(1, ceil(ends - now)),
                self._headers(0, ends, now),
            )
        self._minutes[actor.id] = ends, left - 1
        limits = self._headers(left - 1, ends, now)
        return [(name.lower().encode(), value.encode()) for name, value in limits.items()]

    def _make_room(self) -> None:
        while len(self._minutes) >= self._most_keys:
            del self._minutes[next(iter(self._minutes))]

    def _headers(self, left: int, ends: float, now: float) -> dict[str, str]:
        return {
            "RateLimit": f'"key";r={left};t={max(1, ceil(ends - now))}',
            "RateLimit-Policy": self._policy,
            "X-RateLimit-Limit": str(self._limit),
            "X-RateLimit-Remaining": str(left),
            "X-RateLimit-Reset": str(ceil(ends)),
        }
