"""What the reading process is asked and answers. Small to import: the worker does not load what reads pages."""

from datetime import datetime

from msgspec import Struct

from sightline.sources.pages import Page


class Fetched(Struct, frozen=True, kw_only=True):
    """What a host sent with success. `urls` are all on the way, the last its own; `media_type` is empty if unknown."""

    urls: tuple[str, ...]
    content: bytes
    media_type: str
    charset: str | None

    @property
    def url(self) -> str:
        return self.urls[-1]


class ReadPage(Struct, frozen=True, tag=True):
    """Read the text of a page."""

    found: Fetched
    retrieved_at: datetime


class ReadSite(Struct, frozen=True, tag=True):
    """List what a front page, a feed or a site map leads to."""

    found: Fetched


class ReadRobots(Struct, frozen=True, tag=True, kw_only=True):
    """Say whether a robots.txt lets an agent read an address."""

    content: bytes
    url: str
    agent: str


class ReadFile(Struct, frozen=True, tag=True, kw_only=True):
    """Read the pages of a file of the library, each an outcome. `folder` may have any bytes, `name` is below it."""

    folder: bytes
    name: str
    saved_at: datetime


Task = ReadPage | ReadSite | ReadRobots | ReadFile


class Link(Struct, frozen=True, kw_only=True):
    """A page that a site leads to. `published`: the date in its feed or site map."""

    url: str
    title: str
    summary: str = ""
    published: datetime | None = None


class Listing(Struct, frozen=True, kw_only=True):
    """The pages of a site, and the feeds and site maps that list more."""

    title: str
    links: list[Link]
    feeds: list[str]


class Permission(Struct, frozen=True, kw_only=True):
    """Whether an address may be read, and the seconds that a host wants between two requests."""

    is_given: bool
    pause: float


class Outcome(Struct, frozen=True, kw_only=True):
    """What a task returns: one of these fields, or why there is nothing and whether another try may find something."""

    page: Page | None = None
    listing: Listing | None = None
    permission: Permission | None = None
    refusal: str | None = None
    temporary: bool = False
