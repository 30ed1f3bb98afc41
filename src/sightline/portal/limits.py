"""Limits how often one person or one address may do something."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import IPv6Address, ip_address
from uuid import UUID
from weakref import WeakValueDictionary

from sightline.platform.db.database import TURN_SECONDS
from sightline.platform.db.pool import Turns
from sightline.platform.http.throttle import Limit


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


class SearchTurns:
    """Lets two searches of this process run at once, and one of each person.

    A search may read all ideas; so many of one person would take all connections of the database.
    """

    def __init__(self) -> None:
        self._all = Turns(2)
        self._own: WeakValueDictionary[UUID, Turns] = WeakValueDictionary()

    @asynccontextmanager
    async def turn(self, user_id: UUID) -> AsyncIterator[None]:
        """One turn. Raises TimeoutError if it does not come in 6 seconds."""
        own = self._own.setdefault(user_id, Turns(1))
        async with own.turn(TURN_SECONDS), self._all.turn(TURN_SECONDS):
            yield


def network_of(address: str) -> str:
    """Returns the address to count by: for IPv6 the /64 network, which belongs to one customer."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    return str(parsed.ipv4_mapped or int(parsed) >> 64)
