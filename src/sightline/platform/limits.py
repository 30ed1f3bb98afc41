"""How often a key may do something in a period, such as send requests in a minute.

Each process counts for itself: with several, a key whose connections spread over them may do it that many times as
often. Dividing the limit among them would refuse a client with one connection before its limit.
"""

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
