"""Text from the markup of other tools."""

import html
import re

import nh3

_TAG = re.compile(r"</(p|div|li|ul|ol|a|b|i|strong|em|span|h[1-6]|table|blockquote)>|<br\s*/?>", re.IGNORECASE)
_ITEM = re.compile(r"<li\b[^>]*>", re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>|</(?:p|div|h[1-6]|tr|blockquote|ul|ol)>|</li>", re.IGNORECASE)
_BLANK = re.compile(r"\s*\n\s*\n\s*")

_WIKI = (
    (re.compile(r"\{(?:quote|code|noformat|panel)[^}\n]*\}"), ""),
    (re.compile(r"\{color[^}\n]*\}"), ""),
    (re.compile(r"^h[1-6]\.\s+", re.MULTILINE), ""),
    (re.compile(r"^[*#-]+\s+", re.MULTILINE), "- "),
    (re.compile(r"\{\{([^}\n]*)\}\}"), r"\1"),
    (re.compile(r"\[([^|\]\n]+)\|([^\]\n]+)\]"), r"\1 (\2)"),
    (re.compile(r"(?<!\w)([*_+])(\S(?:[^\n]*?\S)?)\1(?!\w)"), r"\2"),
)


def has_html(text: str) -> bool:
    return "<" in text and _TAG.search(text) is not None


def without_html(text: str) -> str:
    """Returns the text of HTML, with a line for each block and item. Scripts and styles go with their content."""
    text = _BREAK.sub("\n", _ITEM.sub("- ", text))
    return _BLANK.sub("\n\n", html.unescape(nh3.clean(text, tags=set()))).strip()


def without_wiki_markup(text: str) -> str:
    """Returns the text of Jira's wiki markup."""
    for pattern, replacement in _WIKI:
        text = pattern.sub(replacement, text)
    return text.strip()
