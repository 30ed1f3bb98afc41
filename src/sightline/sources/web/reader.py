"""Reads pages of the web for research: permitted, paced, fetched, and kept for a few minutes."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final

from msgspec import Struct

from sightline.platform.clock import Clock
from sightline.sources.addresses import identity
from sightline.sources.pages import IsAllowed, Page, PageUnavailable, everywhere
from sightline.sources.web.extractor import Extractor
from sightline.sources.web.fetching import Fetched, Fetcher, Permit
from sightline.sources.web.gate import Gate, Network, Target
from sightline.sources.web.robots import Pacing, Robots
from sightline.sources.web.tasks import Listing, ReadPage, ReadSite

MOST_KEPT: Final = 64
KEPT_SECONDS: Final = 300.0  # the sections of a run read a page once


class _Kept(Struct, frozen=True):
    """A page, and all addresses on the way to it."""

    page: Page
    urls: tuple[str, ...]
    until: float


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
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    async def read(self, url: str, is_allowed: IsAllowed = everywhere) -> Page:
        """The page. `is_allowed` is asked for its address and each one it redirects to. Raises PageUnavailable."""
        kept = self._kept.get(identity(url))
        if kept is not None and kept.until >= monotonic():
            if not all(map(is_allowed, kept.urls)):
                raise PageUnavailable(_OUTSIDE)
            return kept.page
        found = await self._fetcher.fetch(url, self._permit(is_allowed))
        page = await self._read(found)
        self._keep(identity(url), _Kept(page, found.urls, monotonic() + KEPT_SECONDS))
        return page

    async def list_site(self, url: str, is_allowed: IsAllowed = everywhere) -> Listing:
        """What a front page, a feed or a site map leads to. Raises PageUnavailable."""
        found = await self._fetcher.fetch(url, self._permit(is_allowed))
        task = ReadSite(url=found.url, content=found.content, media_type=found.media_type, charset=found.charset)
        listing = (await self.extractor.perform(task)).listing
        assert listing is not None  # noqa: S101 - it answers what it is asked
        return listing

    async def aclose(self) -> None:
        """Ends the processes that read pages."""
        await self.extractor.aclose()

    async def _read(self, found: Fetched) -> Page:
        task = ReadPage(
            url=found.url,
            content=found.content,
            media_type=found.media_type,
            charset=found.charset,
            retrieved_at=self._clock.now(),
        )
        page = (await self.extractor.perform(task)).page
        assert page is not None  # noqa: S101 - it answers what it is asked
        return page

    def _permit(self, is_allowed: Callable[[str], bool]) -> Permit:
        async def permit(target: Target) -> None:
            if not is_allowed(target.url):
                raise PageUnavailable(_OUTSIDE)
            pause = await self._robots.permit(target)
            await self._pacing.turn(target.host, pause)

        return permit

    def _keep(self, key: str, found: _Kept) -> None:
        self._kept[key] = found
        self._kept.move_to_end(key)
        if len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)


_OUTSIDE: Final = "It leads to a place where this search may not look."
