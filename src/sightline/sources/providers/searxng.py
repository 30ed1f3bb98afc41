"""SearXNG: a metasearch engine of one's own, asked in JSON."""

from datetime import datetime
from typing import Any, Final

from msgspec import Raw, field

from sightline.platform.clock import Clock
from sightline.sources.providers.asking import Service
from sightline.sources.providers.filtering import Answer, page_of, with_operators
from sightline.sources.search import SearchPage, SearchQuery, read_part

LABEL: Final = "SearXNG"
MOST_TEXT: Final = 1_000
MOST_ENGINES: Final = 5  # named in warnings
_RANGES: Final = ((1, "day"), (31, "month"), (366, "year"))
_REFUSALS: Final = {
    401: "SearXNG wants a password (401).",
    403: "SearXNG refuses to answer in JSON (403): add json to search.formats in its settings.yml.",
    404: "There is no SearXNG at the address (404).",
}


class _Answer(Answer):
    unresponsive_engines: list[Raw] = field(default_factory=list)


class SearXNG:
    """`url` is its address, with a path if it has one."""

    name = "searxng"

    def __init__(self, url: str, _key: str = "") -> None:
        self._service = Service(label=LABEL, url=url, refusals=_REFUSALS)

    async def search(self, query: SearchQuery) -> SearchPage:
        """Its engines do what they can with domains; it knows ranges of time, and one language."""
        text, _ = with_operators(query, MOST_TEXT)
        parameters = {"q": text, "format": "json"}
        if len(query.languages) == 1:
            parameters["language"] = query.languages[0]
        if query.since and (time_range := _range(query.since)):
            parameters["time_range"] = time_range
        answer = await self._service.ask("GET", "/search", _Answer, params=parameters)
        warnings = [_warning(read_part(one)) for one in answer.unresponsive_engines[:MOST_ENGINES]]
        return await page_of(LABEL, query, answer.results, unsupported=_unsupported(query), warnings=warnings)


def _range(since: datetime) -> str | None:
    """The shortest range that reaches so far from now, as it is for SearXNG: a moved clock of tests is not meant."""
    days = (Clock().now() - since).total_seconds() / 86_400
    return next((name for most, name in _RANGES if days <= most), None)


def _unsupported(query: SearchQuery) -> list[str]:
    filters = {
        "domain": query.domains or query.excluded_domains,
        "several languages": len(query.languages) > 1,
        "days": query.since,
    }
    return [name for name, is_used in filters.items() if is_used]


def _warning(engine: Any) -> str:
    """An engine is a pair of its name and what is wrong with it."""
    name, reason = [*map(str, engine), "", ""][:2] if isinstance(engine, list) else (str(engine or "an engine"), "")
    return f"{LABEL}: {name[:60]} did not answer ({reason[:100] or 'no reason given'})."
