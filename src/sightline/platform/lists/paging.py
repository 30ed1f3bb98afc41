"""Pagination: `limit`, `offset` and `after` of a request, X-Total-Count to X-Has-More and `Link` of a response.

A cursor is a position in a list as a text in an address. Clients pass it on and do not read it.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import msgspec

from sightline.platform.db.sql import Position, Window
from sightline.platform.wire import Page

Headers = list[tuple[bytes, bytes]]

LARGEST_OFFSET = 2**31 - 1
LARGEST_LIMIT = 10**10 - 1  # where more than the most counts as the most
LONGEST_CURSOR = 200
CURSOR = "^[a-zA-Z0-9_-]+$"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(tuple[str, int, int | bytes])
_LARGEST_NUMBER = 2**63 - 1
_DIGITS = re.compile(r"[0-9]{1,10}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Paging:
    """The bounds of `limit`. With `clamp` a larger limit is served as `most`; without, it is refused.

    With `cursor` the list is a feed: `Link` also carries `after`, which costs the same at any depth.
    """

    default: int = 20
    most: int = 100
    clamp: bool = False
    cursor: bool = False

    def readers(self) -> dict[str, Callable[[str], Any]]:
        """Returns what reads each parameter of the page. All raise ValueError."""
        readers: dict[str, Callable[[str], Any]] = {"limit": self._read_limit, "offset": _read_offset}
        return readers | {"after": _read_after} if self.cursor else readers

    def _read_limit(self, text: str) -> int:
        limit = int(text) if _DIGITS.fullmatch(text) else 0
        if limit < 1 or (limit > self.most and not self.clamp):
            raise ValueError(f"Expected a whole number from 1 to {self.most}")
        return min(limit, self.most)


def _read_offset(text: str) -> int:
    if not _DIGITS.fullmatch(text) or int(text) > LARGEST_OFFSET:
        raise ValueError(f"Expected a whole number from 0 to {LARGEST_OFFSET}")
    return int(text)


def _read_after(text: str) -> Position:
    if len(text) > LONGEST_CURSOR:
        raise ValueError(f"At most {LONGEST_CURSOR} characters")
    return read_cursor(text)


def page_headers(page: Page[Any], parameters: list[tuple[str, str]], address: str) -> Headers:
    """X-Total-Count, X-Limit, X-Offset, X-Has-More, and `Link` to the next page of the list at `address`."""
    window: Window = page.window
    headers: Headers = [
        (b"x-total-count", b"%d" % page.total),
        (b"x-limit", b"%d" % window.limit),
        (b"x-offset", b"%d" % window.offset),
        (b"x-has-more", b"true" if page.has_more else b"false"),
    ]
    if page.has_more:
        headers.append(link_to_next(window, parameters, address, page.after or None))
    return headers


def link_to_next(
    window: Window, parameters: list[tuple[str, str]], address: str, after: Position | None = None
) -> tuple[bytes, bytes]:
    """`Link` to the page after this one, of a list that has more."""
    kept = [each for each in parameters if each[0] not in ("limit", "offset", "after")]
    query = f"{urlencode(kept)}&" if kept else ""
    query += f"limit={window.limit}&offset={window.offset + window.limit}"
    if after is not None:
        query += f"&after={write_cursor(after)}"  # its characters need no encoding
    return b"link", f'<{address}?{query}>; rel="next"'.encode()


def write_cursor(position: Position) -> str:
    """Returns the cursor of a position."""
    tie = position.tie.bytes if isinstance(position.tie, UUID) else position.tie
    milliseconds = (position.moment - _EPOCH) // _MILLISECOND
    return urlsafe_b64encode(_ENCODER.encode((position.order, milliseconds, tie))).decode().rstrip("=")


def read_cursor(text: str) -> Position:
    """Returns the position of a cursor. Raises ValueError for anything that write_cursor() does not return."""
    try:
        packed = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        order, milliseconds, tie = _DECODER.decode(packed)
        moment = _EPOCH + milliseconds * _MILLISECOND  # exact, also in the year 9999
        position = Position(order, moment, UUID(bytes=tie) if isinstance(tie, bytes) else tie)
        if write_cursor(position) == text and (isinstance(tie, bytes) or 0 <= tie <= _LARGEST_NUMBER):
            return position
    except (ValueError, OverflowError, OSError, msgspec.MsgspecError):
        pass
    raise ValueError("Expected the value of a `Link` header")
