"""Pages in memory, searched by words: a provider and reader that can be made to fail and that count what is asked."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime

from sightline.sources.addresses import is_within
from sightline.sources.pages import IsAllowed, Page, PageUnavailable, Published, everywhere
from sightline.sources.search import SearchFailed, SearchHit, SearchPage, SearchQuery
from tests.waiting import hang

UNTIL = datetime(2026, 11, 20, 12, tzinfo=UTC)
SINCE = datetime(2026, 10, 21, 12, tzinfo=UTC)


def page(url: str, text: str, *, title: str = "", day: str | None = "2026-11-10", language: str | None = "en") -> Page:
    """A page of one publisher, dated unless `day` is None."""
    published = (
        Published(datetime.fromisoformat(f"{day}T00:00:00Z"), "structured", "meta", day_only=True) if day else None
    )
    return Page(
        url=url,
        title=title or text.split(".")[0],
        text=text,
        retrieved_at=UNTIL,
        published=published,
        language=language,
    )


class Shelf:
    """`failures` are raised by the next searches, `broken` are addresses that cannot be read."""

    name = "shelf"

    def __init__(
        self, pages: Iterable[Page], failures: Iterable[SearchFailed] = (), warnings: Iterable[str] = ()
    ) -> None:
        self.pages = {one.url: one for one in pages}
        self.failures = list(failures)
        self.warnings = list(warnings)
        self.broken: set[str] = set()
        self.asked: list[SearchQuery] = []
        self.read_urls: list[str] = []
        self.is_silent = False

    async def search(self, query: SearchQuery) -> SearchPage:
        self.asked.append(query)
        if self.is_silent:
            await hang()
        if self.failures:
            raise self.failures.pop(0)
        words = set(re.findall(r"\w+", query.text.lower()))
        found = [
            (-len(words & set(re.findall(r"\w+", f"{one.title} {one.text}".lower()))), one.url, one.title)
            for one in self.pages.values()
            if not query.domains or is_within(one.url, query.domains)
        ]
        hits = [SearchHit(url=url) for count, url, _ in sorted(found) if count]
        return SearchPage(hits[: query.limit], self.warnings)

    async def read(self, url: str, is_allowed: IsAllowed = everywhere) -> Page:
        self.read_urls.append(url)
        if url in self.broken:
            raise PageUnavailable("It cannot be read.")
        return self.pages[url]
