"""Tavily's search."""

from typing import Any, Final

from msgspec import Struct

from sightline.sources.providers.asking import Service
from sightline.sources.providers.filtering import Found, page_of
from sightline.sources.search import SearchPage, SearchQuery

LABEL: Final = "Tavily"
MOST_RESULTS: Final = 20
MOST_TEXT: Final = 400
_REFUSALS: Final = {
    401: "Tavily refuses the key (401).",
    403: "Tavily refuses the key (403).",
    432: "Tavily's plan has no searches left (432).",
    433: "Tavily's limit of spending is reached (433).",
}


class _Result(Struct):
    url: str | None = None
    title: str | None = None
    content: str | None = None
    published_date: str | None = None


class _Answer(Struct):
    results: list[_Result]


class Tavily:
    """`url` is for tests."""

    name = "tavily"

    def __init__(self, url: str, key: str) -> None:
        headers = {"Authorization": f"Bearer {key}"}
        self._service = Service(label=LABEL, url=url, headers=headers, refusals=_REFUSALS)

    async def search(self, query: SearchQuery) -> SearchPage:
        """It knows days and domains, and no language."""
        body: dict[str, Any] = {
            "query": query.text[:MOST_TEXT],
            "max_results": min(query.limit, MOST_RESULTS),
            "search_depth": "basic",
            "include_domains": list(query.domains),
            "exclude_domains": list(query.excluded_domains),
        }
        if query.since:
            body["start_date"] = f"{query.since:%Y-%m-%d}"
        if query.since and query.until:
            body["end_date"] = f"{query.until:%Y-%m-%d}"
        answer = await self._service.post("/search", body, _Answer)
        found = (Found(one.url, one.title, one.content, one.published_date) for one in answer.results)
        return page_of(LABEL, query, found, unsupported=["language"] if query.languages else [])
