"""What the store answers, and the records that are made of it.

Search and look-up answer `{results: [...]}`. A page of the review feed is `{feed: {entry: [...]}}`, where every value
is in a `label`; a single entry stands without a list, and an entry without a rating describes the app.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from msgspec import Raw, Struct, field

from sightline.sources.app_store.records import App, Review
from sightline.sources.dates import read_hint
from sightline.sources.extraction import clean
from sightline.sources.search import read_part

MOST_APPS: Final = 200  # the store gives no more at once
LONGEST_NAME: Final = 200
LONGEST_TITLE: Final = 1_000
LONGEST_BODY: Final = 20_000
DECIMALS: Final = 5  # what is published; further ones are noise of its number format


class FoundApp(Struct, rename="camel"):
    """One result of search or look-up."""

    track_id: int | None = None
    track_name: str = ""
    seller_name: str = ""
    artist_name: str = ""
    average_user_rating: float | None = None
    user_rating_count: int | None = None


class FoundApps(Struct):
    """The answer of search and look-up."""

    results: list[FoundApp]

    def apps(self) -> Iterator[App]:
        """The apps, each once."""
        seen = set()
        for one in islice(self.results, MOST_APPS):
            if one.track_id is not None and one.track_id > 0 and one.track_id not in seen and one.track_name.strip():
                seen.add(one.track_id)
                yield _app(one)


def _app(found: FoundApp) -> App:
    rating, count = found.average_user_rating, found.user_rating_count
    is_rated = count != 0 and rating is not None and 1 <= rating <= 5
    return App(
        id=str(found.track_id),
        name=_clean(found.track_name, LONGEST_NAME),
        publisher=_clean(found.seller_name or found.artist_name, LONGEST_NAME),
        rating=round(rating, DECIMALS) if is_rated and rating is not None else None,
        rating_count=count if count is not None and 0 <= count <= 2**31 - 1 else None,
    )


class Label(Struct):
    """A value of the feed."""

    label: str = ""


class Entry(Struct):
    """One entry of the feed."""

    id: Label | None = None
    title: Label | None = None
    content: Label | None = None
    rating: Label | None = field(name="im:rating", default=None)
    version: Label | None = field(name="im:version", default=None)
    updated: Label | None = None
    link: Raw = Raw(b"null")


class Feed(Struct):
    """What a page of the feed holds."""

    entry: list[Entry] | Entry | None = None


class ReviewPage(Struct):
    """One page of the review feed."""

    feed: Feed

    def reviews(self) -> Iterator[Review]:
        entries = self.feed.entry or []
        for entry in [entries] if isinstance(entries, Entry) else entries:
            if entry.rating is not None and entry.id is not None and entry.id.label.strip():
                yield _review(entry, entry.id.label, entry.rating.label)


def _review(entry: Entry, id: str, stars: str) -> Review:
    updated = read_hint("store", _text(entry.updated))
    return Review(
        id=_clean(id, LONGEST_NAME),
        rating=int(stars) if stars in ("1", "2", "3", "4", "5") else None,
        title=_clean(_text(entry.title), LONGEST_TITLE),
        body=_clean(_text(entry.content), LONGEST_BODY),
        version=_clean(_text(entry.version), LONGEST_NAME) or None,
        submitted_at=updated.moment if updated else None,
        url=_address(read_part(entry.link)),
    )


def _text(value: Label | None) -> str:
    return value.label if value else ""


def _clean(text: str, longest: int) -> str:
    return clean(text[: 2 * longest]).strip()[:longest].strip()


def _address(link: Any) -> str | None:
    """The first address of the web among the links."""
    for one in link if isinstance(link, list) else [link]:
        attributes = one.get("attributes") if isinstance(one, dict) else None
        href = attributes.get("href") if isinstance(attributes, dict) else None
        if isinstance(href, str) and href.startswith(("https://", "http://")) and len(href) <= 2_000:
            return _clean(href, 2_000)
    return None
