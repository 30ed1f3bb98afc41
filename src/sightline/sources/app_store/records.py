"""Apps and reviews as research reads them. Authors of reviews are not kept."""

from datetime import datetime

from msgspec import Struct


class App(Struct, frozen=True, kw_only=True):
    """An app in one storefront. `rating` is None until somebody has rated it; `rating_count` None if not published."""

    id: str
    name: str
    publisher: str
    rating: float | None
    rating_count: int | None


class Review(Struct, frozen=True, kw_only=True):
    """An original review. `id` stays when its author edits it, `submitted_at` then moves."""

    id: str
    rating: int | None
    title: str
    body: str
    version: str | None
    submitted_at: datetime | None
    url: str | None


class Reviews(Struct, frozen=True):
    """The newest reviews of an app, the newest first, each once.

    `is_cut`: older ones exist that the store does not give. `failure` says why reading ended early.
    """

    found: list[Review]
    is_cut: bool = False
    failure: str | None = None
