"""Limits how often one person or one address may do something."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from ipaddress import IPv6Address, ip_address
from uuid import UUID

from sightline.platform.http.throttle import Limit
from sightline.platform.turns import TURN_SECONDS, OwnTurns, Turns


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
    """Lets two searches of this process run at once, one of each portal and of each person.

    A search may read all ideas; so many of one person would take all connections of the database.
    """

    def __init__(self) -> None:
        self._all, self._of_portals, self._of_people = Turns(2), OwnTurns(1), OwnTurns(1)

    @asynccontextmanager
    async def turn(self, workspace_id: UUID, user_id: UUID) -> AsyncIterator[None]:
        """One turn. Raises TimeoutError if it does not come in 6 seconds."""
        async with AsyncExitStack() as held:
            async with asyncio.timeout(TURN_SECONDS):
                for turns in (self._of_people.of(user_id), self._of_portals.of(workspace_id), self._all):
                    await held.enter_async_context(turns.turn(TURN_SECONDS))
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
