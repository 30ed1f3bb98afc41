"""What hosts ask of programs that read them: robots.txt, and pauses between requests."""

import asyncio
from collections.abc import Sequence
from time import monotonic
from typing import Final
from weakref import WeakValueDictionary

from msgspec import Struct

from sightline.sources.addresses import ip_of, is_within
from sightline.sources.kept import Kept
from sightline.sources.pages import PageUnavailable
from sightline.sources.web.extractor import Extractor
from sightline.sources.web.fetching import AGENT, BadStatus, Fetcher
from sightline.sources.web.gate import Network, Target
from sightline.sources.web.tasks import ReadRobots

MOST_BYTES: Final = 512_000  # of a robots.txt; the rest is not read
MOST_HOSTS: Final = 50
KEPT_SECONDS: Final = 600.0
LONGEST_FETCH: Final = 4.0
PAUSE: Final = 0.5  # seconds between two requests to a host
LONGEST_WAIT: Final = 5.0
_FORBIDS: Final = "Its host forbids programs to read it (robots.txt)."
_UNKNOWN: Final = "Its host does not say whether programs may read it: robots.txt cannot be read."


class Pacing:
    """Gives requests to one host their turn, `pause` seconds apart. Addresses of `unpaced` networks need no turn."""

    def __init__(self, pause: float = PAUSE, unpaced: Sequence[Network] = ()) -> None:
        self._pause = pause
        self._unpaced = unpaced
        self._free: dict[str, float] = {}

    async def turn(self, host: str, pause: float = 0.0) -> None:
        """Waits for the next turn. Raises PageUnavailable when that is more than five seconds away."""
        if self._is_unpaced(host):
            return
        now = monotonic()
        start = max(now, self._free.get(host, now))
        if start - now > LONGEST_WAIT:
            raise PageUnavailable("Its host asks for longer pauses than a search has time for.")
        self._free = {name: free for name, free in self._free.items() if free > now}
        self._free[host] = start + max(self._pause, pause)
        await asyncio.sleep(start - now)

    def _is_unpaced(self, host: str) -> bool:
        address = ip_of(host)
        return address is not None and any(address in network for network in self._unpaced)


class _Rules(Struct, frozen=True):
    """A robots.txt, empty where there is none; or why it cannot be read, which forbids everything for now."""

    content: bytes
    refusal: str | None = None


class Robots:
    """Asks each host once in ten minutes. `pacing` is kept for its requests too."""

    def __init__(self, fetcher: Fetcher, extractor: Extractor, pacing: Pacing) -> None:
        self._fetcher = fetcher
        self._extractor = extractor
        self._pacing = pacing
        self._kept: Kept[str, _Rules] = Kept(MOST_HOSTS, KEPT_SECONDS)
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()  # of those that ask

    async def permit(self, target: Target) -> float:
        """The seconds that the host wants between two requests. Raises PageUnavailable where it forbids reading."""
        rules = await self._rules(target)
        if rules.refusal is not None:
            raise PageUnavailable(rules.refusal)
        if not rules.content.strip():
            return 0.0
        try:
            outcome = await self._extractor.perform(ReadRobots(content=rules.content, url=target.url, agent=AGENT))
        except PageUnavailable:
            raise PageUnavailable(_UNKNOWN) from None
        assert outcome.permission is not None  # noqa: S101 - it answers what it is asked
        if not outcome.permission.is_given:
            raise PageUnavailable(_FORBIDS)
        return outcome.permission.pause

    async def _rules(self, target: Target) -> _Rules:
        async with self._locks.setdefault(target.origin, asyncio.Lock()):
            if (rules := self._kept.find(target.origin)) is None:
                rules = await self._ask(target)
                self._kept.keep(target.origin, rules)
        return rules

    async def _ask(self, target: Target) -> _Rules:
        """A host that answers 4xx has no rules."""
        site = target.host.removeprefix("www.")

        async def permit(hop: Target) -> None:
            if not is_within(hop.url, [site]):
                raise PageUnavailable(_UNKNOWN)
            await self._pacing.turn(hop.host)

        try:
            url = f"{target.origin}/robots.txt"
            found = await self._fetcher.fetch(url, permit, cut=MOST_BYTES, seconds=LONGEST_FETCH)
        except BadStatus as answer:
            is_none = 400 <= answer.status < 500 and answer.status != 429
            return _Rules(b"", None if is_none else _UNKNOWN)
        except PageUnavailable as refusal:
            return _Rules(b"", refusal.reason)
        return _Rules(found.content)
