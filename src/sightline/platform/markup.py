"""Text from HTML."""

import html
import re
from collections.abc import Iterator

# Each of these starts with "<" and holds no other one: see `_matches`.
_TAG = re.compile(r"</(p|div|li|ul|ol|a|b|i|strong|em|span|h[1-6]|table|blockquote)>|<br\s*/?>", re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>|</(?:p|div|h[1-6]|tr|blockquote|ul|ol)>|</li>", re.IGNORECASE)
_LINK = re.compile(r"<a\b([^<>]{0,3000}+)>", re.IGNORECASE)
_MARKUP = re.compile(r"<!--|<[!?][^<>]*>|<(/?[a-z][a-z0-9]*)\b[^<>]*>", re.IGNORECASE)

_ADDRESS = re.compile(r"""\shref\s?=\s?["'](https?://[^"'<>\s]{1,2000})["']""", re.IGNORECASE)
_NEXT_LINK = re.compile(r"</?a\b>?", re.IGNORECASE)
_LONGEST_NAME = 1_000  # of a link
_BLANK = re.compile(r"\n\n\s*")
_NUMBER = re.compile(r"&#0*([0-9]{1,8})[0-9]*")
_PIECE = 10_000  # characters: the longest HTML of a mail, searched at once, would hold the process for 0.1 s


def has_html(text: str) -> bool:
    return next(_matches(_TAG, text), None) is not None


def unescape(text: str) -> str:
    """Returns the text without character references. Their numbers may have more digits than `html.unescape` reads."""
    return html.unescape(_NUMBER.sub(r"&#\1", text))


def without_html(text: str) -> str:
    """Returns the text of HTML, with a line for each block and item. Links keep their address.

    Scripts and styles go with their content.
    """
    lines = unescape(_without_markup(_with_addresses(text))).split("\n")
    return _BLANK.sub("\n\n", "\n".join(map(str.rstrip, lines))).strip()


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yields the matches of a pattern that starts with "<" and holds no other one, from pieces that end before one.

    Other threads run between two pieces, not while one is searched.
    """
    at = 0
    while at < len(text):
        end = text.find("<", at + _PIECE)
        end = len(text) if end < 0 else end
        yield from pattern.finditer(text, at, end)
        at = end


def _with_addresses(text: str) -> str:
    """Returns the HTML with the name and the address of each link in its place."""
    kept: list[str] = []
    at = 0
    for link in _matches(_LINK, text):
        address = _ADDRESS.search(link[1])
        end = _NEXT_LINK.search(text, link.end(), link.end() + _LONGEST_NAME + len("</a>"))
        if address and end and end[0].lower() == "</a>":
            name = text[link.end() : end.start()]
            kept += [text[at : link.start()], name if address[1].rstrip("/") in name else f"{name} ({address[1]})"]
            at = end.end()
    return "".join([*kept, text[at:]])


def _without_markup(text: str) -> str:
    """Returns what is outside tags, comments, scripts and styles, with a break for each block and item.

    Takes linear time, whatever is nested.
    """
    kept: list[str] = []
    at, hidden = 0, ""
    for found in _matches(_MARKUP, text):
        if found.start() < at:  # in a comment
            continue
        if not hidden:
            kept.append(text[at : found.start()])
        at, tag = found.end(), (found[1] or "").lower()
        if found[0] == "<!--":
            at = text.find("-->", at) + 3
            if at < 3:
                return "".join(kept)
        elif tag in ("script", "style"):
            hidden = hidden or tag
        elif tag == f"/{hidden}":
            hidden = ""
        elif not hidden and tag == "li":
            kept.append("- ")
        elif not hidden and _BREAK.fullmatch(found[0]):
            kept.append("\n")
    return "".join(kept if hidden else [*kept, text[at:]])
