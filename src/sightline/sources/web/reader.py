"""Reads pages of the web for research: permitted, paced, fetched, and kept for a few minutes."""

from collections.abc import Sequence
from typing import Final

from sightline.platform.clock import Clock
from sightline.sources.addresses import identity
from sightline.sources.kept import Kept
from sightline.sources.pages import IsAllowed, Page, PageUnavailable, everywhere
from sightline.sources.web.extractor import Extractor
from sightline.sources.web.fetching import Fetcher, Permit
from sightline.sources.web.gate import Gate, Network, Target
from sightline.sources.web.robots import Pacing, Robots
from sightline.sources.web.tasks import Listing, ReadPage, ReadSite

MOST_KEPT: Final = 64
KEPT_SECONDS: Final = 300.0  # the sections of a run read a page once


class WebReader:
    """Reads pages and lists sites. Close it at the end. `fetcher`, `extractor` and `pacing` are for tests."""

    def __init__(
        self,
        clock: Clock,
        allowed: Sequence[Network] = (),
        *,
        fetcher: Fetcher | None = None,
        extractor: Extractor | None = None,
        pacing: Pacing | None = None,
    ) -> None:
        self._clock = clock
        self._fetcher = fetcher or Fetcher(Gate(allowed))
        self.extractor = extractor or Extractor()
        self._pacing = pacing or Pacing(unpaced=allowed)
        self._robots = Robots(self._fetcher, self.extractor, self._pacing)
        self._kept: Kept[str, tuple[Page, tuple[str, ...]]] = Kept(MOST_KEPT, KEPT_SECONDS)

    async def read(self, url: str, is_allowed: IsAllowed = everywhere) -> Page:
        """The page. `is_allowed` is asked for its address and each one it redirects to. Raises PageUnavailable."""
        if kept := self._kept.find(identity(url)):
            known, urls = kept
            if not all(map(is_allowed, urls)):
                raise PageUnavailable(_OUTSIDE)
            return known
        found = await self._fetcher.fetch(url, self._permit(is_allowed))
        page = (await self.extractor.perform(ReadPage(found, self._clock.now()))).page
        assert page is not None  # noqa: S101 - it answers what it is asked
        self._kept.keep(identity(url), (page, found.urls))
        return page

    async def list_site(self, url: str, is_allowed: IsAllowed = everywhere) -> Listing:
        """What a front page, a feed or a site map leads to. Raises PageUnavailable."""
        found = await self._fetcher.fetch(url, self._permit(is_allowed))
        listing = (await self.extractor.perform(ReadSite(found))).listing
        assert listing is not None  # noqa: S101 - it answers what it is asked
        return listing

    async def aclose(self) -> None:
        """Ends the processes that read pages."""
        await self.extractor.aclose()

    def _permit(self, is_allowed: IsAllowed) -> Permit:
        async def permit(target: Target) -> None:
            if not is_allowed(target.url):
                raise PageUnavailable(_OUTSIDE)
            pause = await self._robots.permit(target)
            await self._pacing.turn(target.host, pause)

        return permit


_OUTSIDE: Final = "It leads to a place where this search may not look."
