"""Exa's search."""

from datetime import datetime
from typing import Any, Final

from sightline.sources.providers.asking import Service
from sightline.sources.providers.filtering import Answer, page_of
from sightline.sources.search import SearchPage, SearchQuery

LABEL: Final = "Exa"
MOST_RESULTS: Final = 25
_REFUSALS: Final = {
    401: "Exa refuses the key (401).",
    402: "Exa's account has no credits left (402).",
    403: "Exa refuses the key (403).",
}


class Exa:
    """`url` is for tests."""

    name = "exa"

    def __init__(self, url: str, key: str) -> None:
        self._service = Service(label=LABEL, url=url, headers={"x-api-key": key}, refusals=_REFUSALS)

    async def search(self, query: SearchQuery) -> SearchPage:
        """It knows moments and domains, and no language. Dates leave undated pages out: they need a `since`."""
        body: dict[str, Any] = {"query": query.text, "numResults": min(query.limit, MOST_RESULTS), "type": "auto"}
        if query.domains:
            body["includeDomains"] = list(query.domains)
        elif query.excluded_domains:
            body["excludeDomains"] = list(query.excluded_domains)
        if query.since:
            body["startPublishedDate"] = _iso(query.since)
        if query.since and query.until:
            body["endPublishedDate"] = _iso(query.until)
        answer = await self._service.ask("POST", "/search", Answer, json=body)
        return await page_of(LABEL, query, answer.results, unsupported=["language"] if query.languages else [])


def _iso(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S.000Z}"
