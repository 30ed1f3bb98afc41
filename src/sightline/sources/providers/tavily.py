"""Tavily's search."""

from typing import Any, Final

from sightline.sources.providers.asking import Service
from sightline.sources.providers.filtering import Answer, page_of
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
        answer = await self._service.ask("POST", "/search", Answer, json=body)
        return await page_of(LABEL, query, answer.results, unsupported=["language"] if query.languages else [])
