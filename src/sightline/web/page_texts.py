"""The texts of people on one page: rendered together within a bound, larger ones sent in pieces."""

import asyncio
import re
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from hashlib import blake2b
from weakref import WeakValueDictionary

from markupsafe import Markup

from sightline.web.markdown import LONGEST, as_html

_PIECE_BYTES = 64 * 1024
_PLACE = secrets.token_hex()  # where a large text goes; no text has it
_PLACES = re.compile(f"{_PLACE}([0-9]+);")


@dataclass(slots=True, weakref_slot=True)
class LargeText:
    """A text that is shown as it was written, as UTF-8."""

    text: bytes


@dataclass(slots=True)
class PageTexts:
    """The texts of a page. `large` has those that are shown as they were written."""

    large: list[LargeText] = field(default_factory=list)
    _rendered: int = 0  # characters

    async def add(self, text: str, *, keeps_lines: bool = False) -> Markup:
        """Returns the HTML of a text; a place for it, if all rendered texts would have more than 262,144 characters."""
        if self._rendered + len(text) <= LONGEST:
            self._rendered += len(text)
            return await as_html(text, keeps_lines=keeps_lines)
        self.large.append(_shared(text))
        return Markup('<p class="as-written">{}{};</p>').format(_PLACE, len(self.large) - 1)

    async def pieces(self, page: str) -> AsyncIterator[bytes]:
        """Yields the page with its large texts, which are escaped piece by piece, as fast as the client takes them."""
        for number, part in enumerate(_PLACES.split(page)):
            if number % 2 == 0:
                yield part.encode()
                continue
            place = int(part)
            for start in range(0, len(self.large[place].text), _PIECE_BYTES):
                yield _escape(self.large[place].text[start : start + _PIECE_BYTES])
                await asyncio.sleep(0)  # lets other requests in where the client takes everything at once


# Several clients that do not read the same page hold its texts once.
_held: WeakValueDictionary[bytes, LargeText] = WeakValueDictionary()


def _shared(text: str) -> LargeText:
    """Returns the text, the same object as for the other pages that are being sent with it."""
    large = LargeText(text.encode())
    return _held.setdefault(blake2b(large.text, digest_size=32).digest(), large)


def _escape(text: bytes) -> bytes:
    """Returns a piece of UTF-8 as HTML, wherever it was cut."""
    for character, entity in ((b"&", b"&amp;"), (b"<", b"&lt;"), (b">", b"&gt;"), (b'"', b"&#34;"), (b"'", b"&#39;")):
        text = text.replace(character, entity)
    return text
