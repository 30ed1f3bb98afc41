"""Whether the configured sources can be used."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from sightline.platform.checks import Check
from sightline.sources.app_store.store import AppStore, StoreUnavailable
from sightline.sources.providers.choice import make_provider
from sightline.sources.search import SearchFailed, SearchQuery

ANSWER_SECONDS = 5


async def check_search(providers: Mapping[str, tuple[str, str]], chosen: str) -> list[Check]:
    """Searches each provider of the web, named with its address and key."""
    return await asyncio.gather(*(_check_provider(name, *providers[name], name == chosen) for name in providers))


def check_library(folder: Path, configured: Path | None) -> Check:
    """A missing folder is wrong if it is configured. The default one is created by who wants to use it."""
    if folder.is_dir():
        return Check("search", True, f"{folder}, saved pages")
    if configured is not None:
        return Check("search", False, f"There is no folder {folder}: create it, or set SIGHTLINE_LIBRARY_DIR.")
    return Check("search", True, f"No saved pages: there is no folder {folder}.", warning=True)


async def _check_provider(name: str, url: str, key: str, is_chosen: bool) -> Check:
    """Searches for one page. A provider that cannot be used is wrong even if another one is chosen."""
    label = name if is_chosen else f"{name}, not chosen"
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            page = await make_provider(name, url, key).search(SearchQuery(text="product discovery", limit=1))
    except SearchFailed as error:
        return Check("search", False, f"{label}: {error.reason}")
    except TimeoutError:
        return Check("search", False, f"{label}: No answer in {ANSWER_SECONDS} s.")
    if not page.hits:
        return Check("search", True, f"{label}: {' '.join(page.warnings) or 'It found nothing.'}", warning=True)
    return Check("search", True, f"{label}: answers")


async def check_app_store(url: str, country: str, *, is_asked: bool) -> Check:
    """Searches the store once, unless it is only named."""
    if not is_asked:
        return Check("app store", True, url)
    try:
        await AppStore(url, country).search("notes", 1)
    except StoreUnavailable as unavailable:
        return Check("app store", False, f"{unavailable} SIGHTLINE_APP_STORE_URL is {url}.")
    return Check("app store", True, f"{url} answers")
