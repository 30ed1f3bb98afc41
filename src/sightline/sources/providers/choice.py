"""The provider with a name."""

from sightline.sources.search import SearchProvider


def make_provider(name: str, url: str, key: str) -> SearchProvider:
    """A provider of the web. SearXNG needs no key. Imports only the one that is used."""
    if name == "searxng":
        from sightline.sources.providers.searxng import SearXNG

        return SearXNG(url)
    if name == "brave":
        from sightline.sources.providers.brave import Brave

        return Brave(url, key)
    if name == "tavily":
        from sightline.sources.providers.tavily import Tavily

        return Tavily(url, key)
    if name == "exa":
        from sightline.sources.providers.exa import Exa

        return Exa(url, key)
    raise ValueError(f"There is no provider {name}.")
