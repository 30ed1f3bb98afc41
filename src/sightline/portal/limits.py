"""Limits how often one person or one address may do something. Each API process counts on its own."""

from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address

_MOST_KEYS = 50_000


@dataclass(slots=True)
class Limit:
    """At most `most` times in `seconds`. A key's period starts with its first use after the last period."""

    most: int
    seconds: int
    _windows: dict[str, tuple[float, int]] = field(default_factory=dict)  # by key: the end, how often is left

    def take(self, key: str, now: float) -> int:
        """Counts one use. Returns 0, or the seconds to wait if it exceeds the limit."""
        ends, left = self._windows.get(key, (0.0, 0))
        if not now < ends <= now + self.seconds:
            self._windows.pop(key, None)
            while len(self._windows) >= _MOST_KEYS:
                del self._windows[next(iter(self._windows))]
            ends, left = now + self.seconds, self.most
        if left == 0:
            return max(1, int(ends - now) + 1)
        self._windows[key] = ends, left - 1
        return 0


class Limits:
    """The limits of all portals of this process."""

    def __init__(self) -> None:
        self.callbacks_without_state = Limit(120, 60)
        self.refused_tokens = Limit(20, 600)
        self.uses_of_token = Limit(20, 600)
        self.votes = Limit(60, 60)
        self.look_ups = Limit(120, 60)
        self.requests = Limit(5, 600)
        self.comments = Limit(10, 600)
        self.signed_out_forms = Limit(30, 60)


def network_of(address: str) -> str:
    """Returns the address to count by: for IPv6 the /64 network, which belongs to one customer."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    return str(parsed.ipv4_mapped or int(parsed) >> 64)
