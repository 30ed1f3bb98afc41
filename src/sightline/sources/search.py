"""Searching for pages: what a provider is asked, and what it returns."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import Struct

Found = TypeVar("Found")

LONGEST_PAUSE = 5.0
LONGEST_PART = 10_000  # bytes


class SearchFailed(Exception):
    """A provider could not search. The message is one sentence that a person may read; it holds no key.

    `temporary`: asking again soon may help. `retry_after`: seconds that the provider asks to wait.
    """

    def __init__(self, reason: str, *, temporary: bool = True, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.temporary = temporary
        self.retry_after = retry_after


async def retry_while_temporary(attempt: Callable[[], Awaitable[Found]], *, tries: int, pause: float) -> Found:
    """Returns what `attempt` finds, after up to `tries` tries. Raises the last SearchFailed.

    Waits as long as the provider asks, else `pause` seconds and twice as long each time; never over 5 s.
    """
    failed = 0
    while True:
        try:
            return await attempt()
        except SearchFailed as failure:
            failed += 1
            if failed >= tries or not failure.temporary:
                raise
            await asyncio.sleep(min(failure.retry_after or pause * 2 ** (failed - 1), LONGEST_PAUSE))


def read_part(part: msgspec.Raw) -> Any:
    """A part of an answer that may have any form. None if it is longer than 10,000 bytes, or broken."""
    try:
        return msgspec.json.decode(part) if len(part) <= LONGEST_PART else None
    except (ValueError, RecursionError):
        return None


class SearchQuery(Struct, frozen=True, kw_only=True):
    """What to look for. A provider applies the filters it can; the caller checks domains, language and date again.

    A part of `text` in double quotes is a phrase. A domain covers its subdomains; an excluded one wins. `languages` are
    ISO 639-1 codes. `since` and `until` bound the date of publication; undated pages may be returned. `sites` are
    websites that are worth a look too, where the web is searched.
    """

    text: str
    domains: tuple[str, ...] = ()
    excluded_domains: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    limit: int = 10
    sites: tuple[str, ...] = ()


class SearchHit(Struct, frozen=True, kw_only=True):
    """A page that may be worth reading. `provider` found it, if another one than was asked."""

    url: str
    provider: str | None = None


class SearchPage(Struct, frozen=True):
    """The hits, best first. No hits with warnings does not mean that there is nothing: part of the search failed."""

    hits: list[SearchHit]
    warnings: list[str] = []


class SearchProvider(Protocol):
    """Finds pages. `name` stands in the provenance of findings."""

    @property
    def name(self) -> str: ...

    async def search(self, query: SearchQuery) -> SearchPage:
        """At most `query.limit` hits. Raises SearchFailed."""
