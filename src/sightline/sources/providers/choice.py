"""The provider with a name."""

from importlib import import_module

from sightline.sources.search import SearchProvider

_CLASSES = {"searxng": "SearXNG", "brave": "Brave", "tavily": "Tavily", "exa": "Exa"}


def make_provider(name: str, url: str, key: str) -> SearchProvider:
    """A provider of the web. Imports only the one that is used."""
    made: SearchProvider = getattr(import_module(f"sightline.sources.providers.{name}"), _CLASSES[name])(url, key)
    return made
