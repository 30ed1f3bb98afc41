"""Asking the store: search, look-up and the review feed of one storefront."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final, TypeVar
from urllib.parse import urlsplit

from sightline.sources.addresses import ip_of
from sightline.sources.app_store.answers import FoundApps, ReviewPage
from sightline.sources.app_store.pacing import StorePacing
from sightline.sources.app_store.records import App, Review, Reviews
from sightline.sources.search import SearchFailed, retry_while_temporary

MOST_PAGES: Final = 10  # of reviews; the store gives no more
MOST_REVIEWS: Final = 500  # of an app, and of a page
CALL_SECONDS: Final = 8.0
TRIES: Final = 2

Answer = TypeVar("Answer")


class StoreUnavailable(Exception):
    """The store does not answer. The message is one sentence that a person may read."""


class AppStore:
    """The store at an address. `storefront` is the country, whose ratings and reviews differ from other countries'.

    The public store is asked about 20 times a minute; a store on this machine as often as needed.
    """

    def __init__(self, url: str, storefront: str = "us", pacing: StorePacing | None = None, pause: float = 0.5) -> None:
        self.storefront = storefront
        self._url = url.rstrip("/")
        self._pacing = pacing or (None if is_local(url) else StorePacing())
        self._pause = pause

    async def search(self, text: str, limit: int) -> list[App]:
        """The apps that the store finds, best first. Asks once. Raises StoreUnavailable."""
        parameters = {"term": text, "country": self.storefront, "entity": "software", "limit": str(limit)}
        found = await self._ask("/search", parameters, FoundApps, tries=1)
        return list(islice(found.apps(), limit))

    async def look_up(self, ids: Sequence[str]) -> dict[str, App]:
        """The apps of these ids that the storefront has. Raises StoreUnavailable."""
        found = await self._ask("/lookup", {"id": ",".join(ids), "country": self.storefront}, FoundApps)
        return {app.id: app for app in found.apps() if app.id in ids}

    async def read_reviews(self, id: str) -> Reviews:
        """At most the newest 500. Raises StoreUnavailable if not even the first page can be read."""
        found: dict[str, Review] = {}
        for number in range(1, MOST_PAGES + 1):
            try:
                page = await self._page(id, number)
            except StoreUnavailable as unavailable:
                if number == 1:
                    raise
                return Reviews([*found.values()], failure=str(unavailable))
            new = {review.id: review for review in page if review.id not in found}
            if not new:
                return Reviews([*found.values()])
            found.update(new)
            if len(found) >= MOST_REVIEWS:
                break
        return Reviews([*found.values()][:MOST_REVIEWS], is_cut=True)

    async def _page(self, id: str, number: int) -> list[Review]:
        path = f"/{self.storefront}/rss/customerreviews/page={number}/id={id}/sortby=mostrecent/json"
        return list(islice((await self._ask(path, {}, ReviewPage)).reviews(), MOST_REVIEWS))

    async def _ask(
        self, path: str, parameters: Mapping[str, str], answer: type[Answer], *, tries: int = TRIES
    ) -> Answer:
        from sightline.sources.providers.asking import Service  # loads the HTTP client, which few processes need

        service = Service(label="The app store", url=self._url, seconds=CALL_SECONDS)

        async def attempt() -> Answer:
            if self._pacing is not None:
                await self._pacing.wait()
            return await service.ask("GET", path, answer, params=parameters)

        try:
            return await retry_while_temporary(attempt, tries=tries, pause=self._pause)
        except SearchFailed as failed:
            raise StoreUnavailable(failed.reason) from None


def is_local(url: str) -> bool:
    """Whether the address names this machine."""
    host = urlsplit(url).hostname or ""
    address = ip_of(host)
    return address.is_loopback if address else host == "localhost"
