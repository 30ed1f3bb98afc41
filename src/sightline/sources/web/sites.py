"""The sites of named competitors: what their feeds, site maps and front pages lead to, beside what a provider finds."""

import asyncio
import re
from collections.abc import Iterable, Sequence
from itertools import chain, zip_longest
from typing import Final
from urllib.parse import urljoin, urlsplit

from sightline.sources.addresses import canonical, identity, is_within
from sightline.sources.kept import Kept
from sightline.sources.pages import IsAllowed, PageUnavailable
from sightline.sources.search import SearchFailed, SearchHit, SearchPage, SearchProvider, SearchQuery
from sightline.sources.web.reader import WebReader
from sightline.sources.web.tasks import Link, Listing

NAME: Final = "site"
MOST_SITES: Final = 5
MOST_KEPT: Final = 50
KEPT_SECONDS: Final = 300.0
LONGEST_LOOK: Final = 8.0  # seconds for the front page and the lists of a site
_SITE_MAP: Final = "/sitemap.xml"
_WORD: Final = re.compile(r"\w{3,}")


class Sites:
    """Lists sites, each once in five minutes. `seconds` for one site; other values are for tests."""

    def __init__(self, reader: WebReader, *, seconds: float = LONGEST_LOOK) -> None:
        self._reader = reader
        self._seconds = seconds
        self._kept: Kept[tuple[str, SearchQuery], tuple[list[Link], str | None]] = Kept(MOST_KEPT, KEPT_SECONDS)

    async def search(self, query: SearchQuery) -> SearchPage:
        """Pages of `query.sites` with words of the query, best first; what a site's list dates outside is left out."""
        chosen = list(dict.fromkeys(query.sites))[:MOST_SITES]
        looks = await asyncio.gather(*(self._look(site, query) for site in chosen))
        hits = [_best(links, query) for links, _ in looks]
        warnings = [warning for _, warning in looks if warning]
        return SearchPage([hit for some in hits for hit in some], warnings)

    async def _look(self, site: str, query: SearchQuery) -> tuple[list[Link], str | None]:
        """The links of a site, and what did not work."""
        scope = SearchQuery(text="", domains=query.domains, excluded_domains=query.excluded_domains)
        if (found := self._kept.find((site, scope))) is None:
            found = await self._list(site, _within(scope))
            self._kept.keep((site, scope), found)
        return found

    async def _list(self, site: str, is_allowed: IsAllowed) -> tuple[list[Link], str | None]:
        url = canonical(site if "://" in site else f"https://{site}")
        if url is None:
            return [], f"The website {site[:200]} of a competitor has no valid address."
        if not is_allowed(url):
            return [], None
        listings: list[Listing] = []
        warning = None
        try:
            async with asyncio.timeout(self._seconds):
                listings.append(await self._reader.list_site(url, is_allowed))
                listings[:0] = await self._lists(url, listings[0], is_allowed)
        except PageUnavailable as refusal:
            return [], f"The website {url} of a competitor was not read: {refusal.reason}"
        except TimeoutError:
            warning = f"The website {url} of a competitor was not read wholly: it took too long."
        own = [Link(url=url, title=listings[-1].title or url)] if listings else []
        return [*own, *(link for listing in listings for link in listing.links)], warning

    async def _lists(self, url: str, first: Listing, is_allowed: IsAllowed) -> list[Listing]:
        """The feeds that a page names, or the site map of its host; and the maps that this one names."""
        places = first.feeds or [urljoin(url, _SITE_MAP)]
        found = await self._read_all(places, is_allowed)
        nested = [place for listing in found for place in listing.feeds]
        return [*found, *await self._read_all(nested[:1], is_allowed)]

    async def _read_all(self, places: Sequence[str], is_allowed: IsAllowed) -> list[Listing]:
        found = await asyncio.gather(
            *(self._reader.list_site(place, is_allowed) for place in places), return_exceptions=True
        )
        for one in found:
            if isinstance(one, BaseException) and not isinstance(one, PageUnavailable):
                raise one
        return [one for one in found if isinstance(one, Listing)]


class WithSites:
    """A provider of the web, and the sites that a query names."""

    def __init__(self, provider: SearchProvider, reader: WebReader) -> None:
        self._provider = provider
        self._sites = Sites(reader)

    @property
    def name(self) -> str:
        return self._provider.name

    async def search(self, query: SearchQuery) -> SearchPage:
        """Hits of the provider and of the sites in turn. Raises SearchFailed if it fails and they have none."""
        if not query.sites:
            return await self._provider.search(query)
        asked, sites = await asyncio.gather(self._ask(query), self._sites.search(query))
        if isinstance(asked, SearchFailed):
            if not sites.hits:
                raise asked
            asked = SearchPage([], [f"A search failed: {asked.reason}"])
        in_turn = filter(None, chain.from_iterable(zip_longest(asked.hits, sites.hits)))
        return SearchPage(_each_once(in_turn)[: query.limit], [*asked.warnings, *sites.warnings])

    async def _ask(self, query: SearchQuery) -> SearchPage | SearchFailed:
        try:
            return await self._provider.search(query)
        except SearchFailed as error:
            return error


def _within(query: SearchQuery) -> IsAllowed:
    def is_allowed(url: str) -> bool:
        return not is_within(url, query.excluded_domains) and (not query.domains or is_within(url, query.domains))

    return is_allowed


def _best(links: Iterable[Link], query: SearchQuery) -> list[SearchHit]:
    words, is_allowed = set(_WORD.findall(query.text.lower())), _within(query)
    ranked = [(_likeness(link, words), at, link) for at, link in enumerate(links)]
    fitting = [
        (-likeness, at, link)
        for likeness, at, link in ranked
        if (likeness or at == 0) and is_allowed(link.url) and _is_in_window(link, query)
    ]
    hits = (SearchHit(url=link.url, provider=NAME) for _, _, link in sorted(fitting, key=lambda one: one[:2]))
    return _each_once(hits)[: query.limit]


def _likeness(link: Link, words: set[str]) -> int:
    """How many words of the query stand in the title, the summary and the path."""
    text = f"{link.title} {link.summary} {urlsplit(link.url).path}"
    return len(words & set(_WORD.findall(re.sub(r"[-_/.]", " ", text.lower()))))


def _is_in_window(link: Link, query: SearchQuery) -> bool:
    """The date of a list may be the date of a change: only an old one says for sure that a page is old."""
    return query.since is None or link.published is None or link.published >= query.since


def _each_once(hits: Iterable[SearchHit]) -> list[SearchHit]:
    found: dict[str, SearchHit] = {}
    for hit in hits:
        found.setdefault(identity(hit.url), hit)
    return list(found.values())
