"""Pages as research reads them: text, title, publisher, and a date with the reason to believe it."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Literal, Protocol

from msgspec import Struct

Tier = Literal["structured", "agreed"]
IsAllowed = Callable[[str], bool]
_DAY = timedelta(days=1)
_CHARSET = re.compile(r"""charset\s*=\s*["']?([A-Za-z0-9_:-]{2,40})""", re.IGNORECASE)


class PageUnavailable(Exception):
    """The page cannot be read. The message is one sentence that a person may read.

    `temporary`: nothing is wrong with the page, so that it may be read another time.
    """

    def __init__(self, reason: str, *, temporary: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.temporary = temporary


class NoText(PageUnavailable):
    """Nothing is wrong with the page, but it says nothing."""

    def __init__(self) -> None:
        super().__init__("No text was found in it.")


class Published(Struct, frozen=True):
    """When a page was published. A date without a time is midnight UTC with `day_only`.

    `tier`: `structured` is the page's own data; `agreed` are two independent hints. `source` names them.
    """

    moment: datetime
    tier: Tier
    source: str
    day_only: bool = False

    def is_within(self, since: datetime | None, until: datetime | None) -> bool:
        """Whether it may lie within the bounds, both included; a whole day does if a part of it does."""
        last = self.moment + _DAY if self.day_only else self.moment
        return (since is None or last >= since) and (until is None or self.moment <= until)


class Page(Struct, frozen=True, kw_only=True):
    """One page. `url` is the canonical address, `text` what quotes are exact parts of, `language` an ISO 639-1 code."""

    url: str
    title: str
    text: str
    retrieved_at: datetime
    publisher: str | None = None
    published: Published | None = None
    language: str | None = None

    @property
    def content_hash(self) -> str:
        """SHA-256 of the text, hexadecimal."""
        return sha256(self.text.encode()).hexdigest()


def everywhere(_url: str) -> bool:
    """Allows every address."""
    return True


def charset_of(content_type: str) -> str | None:
    """Returns the name of the character set in a Content-Type, if it has one."""
    found = _CHARSET.search(content_type)
    return found[1] if found else None


class PageReader(Protocol):
    """Reads the pages that a search found."""

    async def read(self, url: str, is_allowed: IsAllowed = everywhere) -> Page:
        """Asks nothing of an address that is not allowed, be it one that the first redirects to.

        Raises PageUnavailable.
        """
