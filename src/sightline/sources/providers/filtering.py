"""Filters that a provider does not have: applied to what it found, and said in a warning."""

import asyncio
from collections.abc import Iterable, Sequence
from datetime import timedelta
from itertools import islice
from typing import Final

from msgspec import Struct

from sightline.sources.addresses import canonical, identity, is_within
from sightline.sources.dates import read_hint
from sightline.sources.search import SearchHit, SearchPage, SearchQuery

MOST_RESULTS: Final = 100  # of one answer; providers give about 30

_SLACK: Final = timedelta(days=1)  # a provider's date is a hint; the page decides


class Result(Struct):
    """A result as any provider gives it: its address and, in a field of its own, the day of publication."""

    url: str | None = None
    page_age: str | None = None
    publishedDate: str | None = None
    published_date: str | None = None


class Answer(Struct):
    results: list[Result]


async def page_of(
    label: str, query: SearchQuery, found: Iterable[Result], *, unsupported: Sequence[str], warnings: Iterable[str] = ()
) -> SearchPage:
    """The results that fit the query, each address once. `unsupported` are filters that the provider did not apply."""
    hits: dict[str, SearchHit] = {}
    for one in islice(found, MOST_RESULTS):
        await asyncio.sleep(0)  # a long address takes 3 ms
        url = canonical(one.url or "")
        if url and _fits(url, one.page_age or one.publishedDate or one.published_date, query):
            hits.setdefault(identity(url), SearchHit(url=url))
    said = [text.replace("\0", "") for text in warnings]
    if unsupported:
        said.append(f"{label} cannot filter by {' or '.join(unsupported)}: what does not fit is left out afterwards.")
    return SearchPage(list(hits.values())[: query.limit], said)


def _fits(url: str, date: str | None, query: SearchQuery) -> bool:
    """The language of a page is known when it is read."""
    if is_within(url, query.excluded_domains) or (query.domains and not is_within(url, query.domains)):
        return False
    hint = read_hint("provider", date)
    if hint is None:
        return True
    is_late = query.until is not None and hint.moment > query.until + _SLACK
    return not is_late and (query.since is None or hint.moment >= query.since - _SLACK)


def with_operators(query: SearchQuery, most: int) -> tuple[str, bool]:
    """The text with `site:` for domains, as engines know it; and whether all of them fitted into so many characters."""
    wanted = " OR ".join(f"site:{domain}" for domain in query.domains)
    parts = [f"({wanted})" if len(query.domains) > 1 else wanted, *(f"-site:{name}" for name in query.excluded_domains)]
    text = " ".join([query.text, *filter(None, parts)])
    return (text, True) if len(text) <= most else (query.text[:most], False)
