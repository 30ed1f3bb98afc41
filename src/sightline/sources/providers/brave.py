"""Brave's web search."""

from typing import Final

from msgspec import Struct

from sightline.sources.providers.asking import Service
from sightline.sources.providers.filtering import Answer, page_of, with_operators
from sightline.sources.search import SearchPage, SearchQuery

LABEL: Final = "Brave"
MOST_RESULTS: Final = 20
MOST_TEXT: Final = 400
MOST_WORDS: Final = 50
_LANGUAGES: Final = {"ja": "jp", "pt": "pt-pt", "zh": "zh-hans", "no": "nb"}
_REFUSALS: Final = {
    401: "Brave refuses the key (401).",
    402: "Brave's plan has no searches left (402).",
    403: "Brave refuses the key (403).",
    422: "Brave refuses the key or the search (422).",
}


class _Answer(Struct):
    """Without `web` nothing was found."""

    type: str
    web: Answer | None = None


class Brave:
    """`url` is for tests."""

    name = "brave"

    def __init__(self, url: str, key: str) -> None:
        self._service = Service(label=LABEL, url=url, headers={"X-Subscription-Token": key}, refusals=_REFUSALS)

    async def search(self, query: SearchQuery) -> SearchPage:
        """Domains are operators of its query; it knows days, and one language."""
        text, has_domains = with_operators(query, MOST_TEXT)
        if len(text.split()) > MOST_WORDS:
            text, has_domains = " ".join(query.text.split()[:MOST_WORDS]), not (query.domains or query.excluded_domains)
        count = min(query.limit, MOST_RESULTS)
        parameters = {"q": text, "count": str(count), "result_filter": "web", "text_decorations": "false"}
        if len(query.languages) == 1:
            parameters["search_lang"] = _LANGUAGES.get(query.languages[0], query.languages[0])
        if query.since and query.until:
            parameters["freshness"] = f"{query.since:%Y-%m-%d}to{query.until:%Y-%m-%d}"
        answer = await self._service.ask("GET", "/res/v1/web/search", _Answer, params=parameters)
        results = answer.web.results if answer.web else []
        unsupported = [] if has_domains else ["so many domains"]
        if len(query.languages) > 1:
            unsupported.append("several languages")
        return await page_of(LABEL, query, results, unsupported=unsupported)
