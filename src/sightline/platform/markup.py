"""Text from HTML."""

import html
import re

import nh3

_TAG = re.compile(r"</(p|div|li|ul|ol|a|b|i|strong|em|span|h[1-6]|table|blockquote)>|<br\s*/?>", re.IGNORECASE)
_ITEM = re.compile(r"<li\b[^>]*>", re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>|</(?:p|div|h[1-6]|tr|blockquote|ul|ol)>|</li>", re.IGNORECASE)
# What is between the parts is bounded, so that hostile HTML takes no quadratic time.
_LINK = re.compile(
    r"""<a\b[^<>]{0,500}?\shref\s?=\s?["'](https?://[^"'<>\s]{1,2000})["'][^<>]{0,500}>((?:(?!</?a\b).){0,1000}?)</a>""",
    re.IGNORECASE | re.DOTALL,
)
_BLANK = re.compile(r"\s*\n\s*\n\s*")


def has_html(text: str) -> bool:
    return "<" in text and _TAG.search(text) is not None


def without_html(text: str) -> str:
    """Returns the text of HTML, with a line for each block and item. Links keep their address.

    Scripts and styles go with their content.
    """
    text = _LINK.sub(_with_address, text)
    text = _BREAK.sub("\n", _ITEM.sub("- ", text))
    return _BLANK.sub("\n\n", html.unescape(nh3.clean(text, tags=set()))).strip()


def _with_address(link: re.Match[str]) -> str:
    return link[2] if link[1].rstrip("/") in link[2] else f"{link[2]} ({link[1]})"
