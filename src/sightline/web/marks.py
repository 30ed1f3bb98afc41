"""The matches of a search, marked in a text."""

import re
from itertools import islice

from markupsafe import Markup, escape

_MOST_MARKS = 50  # of a text
_LENGTH = 250  # more than the two lines that a list shows
_MARKDOWN = 1000  # characters of Markdown for a passage, from the first match on
_MARKDOWN_BEFORE = 500
_BEFORE = 40  # characters shown before the first match


def around(text: str, pattern: re.Pattern[str] | None) -> str:
    """Returns the part of a Markdown text that `passage` needs, of at most 1,500 characters.

    It starts with a line if it can. A page has 20, and the parser's time may grow with the square: to 1 ms, or for
    5,000 characters 12 ms.
    """
    found = pattern.search(text) if pattern else None
    at = found.start() if found else 0
    start = max(0, at - _MARKDOWN_BEFORE)
    if start:
        start = text.find("\n", start, at - 2 * _BEFORE) + 1 or start
    return text[start : at + _MARKDOWN]


def passage(text: str, pattern: re.Pattern[str] | None) -> str:
    """Returns about 250 characters of the text: its beginning, or if it has none there, around the first match."""
    found = pattern.search(text) if pattern else None
    if found is None or found.start() < 2 * _BEFORE:
        return text[:_LENGTH]
    start = text.rfind(" ", 0, found.start() - _BEFORE) + 1 or found.start()
    return f"… {text[start : start + _LENGTH]}"


def mark(text: str, pattern: re.Pattern[str] | None) -> str:
    """Returns the text with each match as `<mark>`, at most 50, the rest escaped."""
    if pattern is None:
        return text
    parts, end = [], 0
    for found in islice(pattern.finditer(text), _MOST_MARKS):
        parts += [escape(text[end : found.start()]), Markup("<mark>{}</mark>").format(found[0])]
        end = found.end()
    return Markup("").join([*parts, escape(text[end:])])
