"""Text from HTML."""

import html
import re

import nh3

_TAG = re.compile(r"</(p|div|li|ul|ol|a|b|i|strong|em|span|h[1-6]|table|blockquote)>|<br\s*/?>", re.IGNORECASE)
_ITEM = re.compile(r"<li\b[^>]*>", re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>|</(?:p|div|h[1-6]|tr|blockquote|ul|ol)>|</li>", re.IGNORECASE)
_BLANK = re.compile(r"\s*\n\s*\n\s*")


def has_html(text: str) -> bool:
    return "<" in text and _TAG.search(text) is not None


def without_html(text: str) -> str:
    """Returns the text of HTML, with a line for each block and item. Scripts and styles go with their content."""
    text = _BREAK.sub("\n", _ITEM.sub("- ", text))
    return _BLANK.sub("\n\n", html.unescape(nh3.clean(text, tags=set()))).strip()
