"""The texts of people on one page: rendered together within a bound, larger ones shown as they were written."""

import asyncio
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import IO

from markupsafe import Markup, escape

from sightline.platform.unread import PIECE_BYTES, write_unread
from sightline.web.markdown import LONGEST, as_html

_MOST_HTML = 2 * LONGEST
_PLACE = secrets.token_hex()  # where a large text goes; no text has it
_PLACES = re.compile(f"{_PLACE}([0-9]+);")


@dataclass(slots=True)
class PageTexts:
    """The texts of a page. `large` has those that are shown as they were written."""

    large: list[str] = field(default_factory=list)
    _characters: int = 0  # of what is rendered
    _html: int = 0  # characters

    async def add(self, text: str, *, keeps_lines: bool = False) -> Markup:
        """Returns the HTML of a text, or a place for it as it was written.

        All rendered texts have at most 262,144 characters, and their HTML twice as many.
        """
        if self._characters + len(text) <= LONGEST and self._html < _MOST_HTML:
            html = await as_html(text, keeps_lines=keeps_lines)
            if self._html + len(html) <= _MOST_HTML:
                self._characters += len(text)
                self._html += len(html)
                return html
        return self.as_written(text)

    def as_written(self, text: str) -> Markup:
        """Returns a place for a text that is no Markdown."""
        self.large.append(text)
        return Markup('<p class="as-written">{}{};</p>').format(_PLACE, len(self.large) - 1)

    async def keep_unread(self, page: str) -> IO[bytes]:
        """Returns a file of the page with its large texts, which is gone when it is closed."""
        return await asyncio.to_thread(write_unread, partial(self._parts, page))

    def _parts(self, page: str) -> Iterator[bytes]:
        for number, part in enumerate(_PLACES.split(page)):
            if number % 2 == 0:
                yield part.encode()
                continue
            text = self.large[int(part)]
            for start in range(0, len(text), PIECE_BYTES):
                yield escape(text[start : start + PIECE_BYTES]).encode()
