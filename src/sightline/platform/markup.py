"""Text from HTML."""

import html
import re

_TAG = re.compile(r"</(p|div|li|ul|ol|a|b|i|strong|em|span|h[1-6]|table|blockquote)>|<br\s*/?>", re.IGNORECASE)
_ITEM = re.compile(r"<li\b[^<>]*>", re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>|</(?:p|div|h[1-6]|tr|blockquote|ul|ol)>|</li>", re.IGNORECASE)
# What is between the parts is bounded or ends at the next tag, so that hostile HTML takes no quadratic time.
_LINK = re.compile(
    r"""<a\b[^<>]{0,500}?\shref\s?=\s?["'](https?://[^"'<>\s]{1,2000})["'][^<>]{0,500}>((?:(?!</?a\b).){0,1000}?)</a>""",
    re.IGNORECASE | re.DOTALL,
)
_MARKUP = re.compile(r"<!--|<[!?][^<>]*>|<(/?[a-z][a-z0-9]*)\b[^<>]*>", re.IGNORECASE)
_BLANK = re.compile(r"\n\n\s*")


def has_html(text: str) -> bool:
    return "<" in text and _TAG.search(text) is not None


def without_html(text: str) -> str:
    """Returns the text of HTML, with a line for each block and item. Links keep their address.

    Scripts and styles go with their content.
    """
    text = _LINK.sub(_with_address, text)
    text = _BREAK.sub("\n", _ITEM.sub("- ", text))
    lines = html.unescape(_without_markup(text)).split("\n")
    return _BLANK.sub("\n\n", "\n".join(map(str.rstrip, lines))).strip()


def _without_markup(text: str) -> str:
    """Returns what is outside tags, comments, scripts and styles. Takes linear time, whatever is nested."""
    kept: list[str] = []
    at, hidden = 0, ""
    for found in _MARKUP.finditer(text):
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
    return "".join(kept if hidden else [*kept, text[at:]])


def _with_address(link: re.Match[str]) -> str:
    return link[2] if link[1].rstrip("/") in link[2] else f"{link[2]} ({link[1]})"
