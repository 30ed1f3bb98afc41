"""Markdown that people write as safe HTML."""

import re
from functools import lru_cache
from hashlib import blake2b
from importlib.metadata import version
from sys import getsizeof
from urllib.parse import quote

import nh3
import pyromark
from markupsafe import Markup, escape

from sightline.platform.beside import Beside
from sightline.platform.markup import unescape

# A text beyond one of these is shown as it was written.
LONGEST = 256 * 1024  # characters of all texts of a page, and of the HTML of each
_MOST_CELLS = 2000  # of all tables of a text; short rows are filled up
_FEW_CELLS = 200  # of a text on one line, of which a page has 20
# From U+0080 to U+00BF, such as no-break spaces and quotation marks like «: the cleaner's time grows with their square.
_MOST_MARKS = 20_000  # 12 ms
_DEEPEST = 100  # quotes and lists that one line opens

_KEPT_BYTES = 16 * 1024 * 1024
_MOST_KEPT = 5000  # texts
_TAGS = {
    "p", "br", "hr", "strong", "em", "del", "code", "pre", "blockquote", "ul", "ol", "li", "a",
    "h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
# Tables and code may scroll sideways: with tabindex a keyboard reaches them.
_SCROLLED = {"table": {"tabindex": "0"}, "pre": {"tabindex": "0"}}
_BELOW_A_HEAD = re.compile(r"[ \t\v\f>|:]*-[ \t\v\f>|:-]*")
_DASHES = re.compile("-+")
_DEEP = re.compile(r"(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))){%d}" % (_DEEPEST + 1))  # noqa: UP031 - braces
# Stands for a `<` that would open HTML until the parser is done: a noncharacter of Unicode, which no text uses.
_LESS_THAN = "\ufdd0"
_NO_HTML = "https://", "http://", "mailto:"  # after a `<`
_OPTIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_STRIKETHROUGH
_TAG = re.compile(r"(<[^>]*>)")
_UNLINKED = re.compile(r"</?(?:a|code|pre)\b")
# Up to a space or a bracket that it did not open; a mark at the end belongs to the sentence.
_ADDRESS = re.compile(r"""\bhttps?://(?=\w)(?:(?!&[lg]t;)[^\s<>"()]|\([^\s<>"()]*\))+(?<![.,;:!?'*_\]}])""")
_MARK = re.compile("[\x80-\xbf]")
_CELL_END = re.compile(r"</t[dh]>")
_HEADING = re.compile(r"(</?h)([1-6])(?=>)")

# The parser and the cleaner let the event loop run meanwhile. One thread for long texts bounds the memory; short ones,
# of a millisecond, have their own, so that they never wait for long ones.
_SHORT = 4 * 1024  # characters
_SHORT_TEXTS = Beside("markdown-short")
_LONG_TEXTS = Beside("markdown-long")
# Part of the keys of what is kept; another way of rendering gets another number.
_RENDERER = f"5 pyromark-{version('pyromark')} nh3-{version('nh3')}"
_kept: dict[bytes, Markup] = {}


async def as_html(text: str, *, keeps_lines: bool = False) -> Markup:
    """Returns the HTML of a text of at most `LONGEST` characters.

    Headings start at level 3; images are left out; HTML is shown as text; links, also bare addresses, are user content.

    A text that would take long, or become very large, is shown as it was written, whole. HTML is kept in memory by
    text and version of the renderer. `keeps_lines`: a line break of the text is one on the page, as people expect who
    type into a field.
    """
    key = blake2b(f"{_RENDERER} {keeps_lines} {text}".encode(), digest_size=32).digest()
    if (html := _kept.get(key)) is None:
        texts = _SHORT_TEXTS if len(text) <= _SHORT else _LONG_TEXTS
        # The request before this one may have had the same text.
        html = await texts.run(lambda: _kept.get(key) or _render(text, keeps_lines))
    if _kept.pop(key, None) is None:
        _make_room(getsizeof(html))
    _kept[key] = html  # as the one used last
    return html


@lru_cache(maxsize=1000)
def as_text(text: str) -> str:
    """Returns the words of a short text without its Markdown, on one line. HTML stays as it was written."""
    markdown = _without_html(text)
    html = markdown if _is_deep(text) or _count_cells(text) > _FEW_CELLS else pyromark.html(markdown, options=_OPTIONS)
    return " ".join(unescape(_TAG.sub("", _CELL_END.sub(" ", html))).replace(_LESS_THAN, "<").split())


def _make_room(size: int) -> None:
    """Forgets the least recently used texts until a text of so many bytes fits."""
    free = _KEPT_BYTES - sum(map(getsizeof, _kept.values()))
    while _kept and (free < size or len(_kept) >= _MOST_KEPT):
        free += getsizeof(_kept.pop(next(iter(_kept))))


def _render(text: str, keeps_lines: bool) -> Markup:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _is_deep(text) or _count_cells(text) > _MOST_CELLS:
        return _as_written(text)
    markdown = _without_html(text)
    if keeps_lines:
        markdown = markdown.replace("\n", "  \n").replace("\\  \n", "\\\n")  # `\` breaks a line by itself
    html = pyromark.html(markdown, options=_OPTIONS).replace(_LESS_THAN, "&lt;").replace(quote(_LESS_THAN), "%3C")
    if len(html) > LONGEST or len(_MARK.findall(html)) > _MOST_MARKS:
        return _as_written(text)
    html = _link(html)
    clean = nh3.clean(
        html,
        tags=_TAGS,
        attributes={"a": {"href"}, "ol": {"start"}},
        set_tag_attribute_values=_SCROLLED,
        url_schemes={"http", "https", "mailto"},
        link_rel="nofollow ugc noopener noreferrer",
    )
    lowered = _HEADING.sub(lambda found: f"{found[1]}{min(6, int(found[2]) + 2)}", clean)
    if len(lowered) > LONGEST:
        return _as_written(text)
    return Markup(lowered)  # noqa: S704 - cleaned above; only levels of headings changed


def _without_html(text: str) -> str:
    """Returns the text with `_LESS_THAN` in place of each `<` that would open HTML."""
    text = text.replace("<", _LESS_THAN)
    for start in _NO_HTML:
        text = text.replace(_LESS_THAN + start, "<" + start)
    return text


def _is_deep(text: str) -> bool:
    return any(_DEEP.match(line) for line in text.split("\n"))  # line by line, so that other threads run meanwhile


def _link(html: str) -> str:
    """Returns the HTML with bare addresses as links, except in links and in code."""
    parts, depth = _TAG.split(html), 0
    for index, part in enumerate(parts):
        if part.startswith("<"):
            depth += (-1 if part.startswith("</") else 1) if _UNLINKED.match(part) else 0
        elif depth == 0:
            parts[index] = _ADDRESS.sub(r'<a href="\g<0>">\g<0></a>', part)
    return "".join(parts)


def _as_written(text: str) -> Markup:
    return Markup('<p class="as-written">{}</p>').format(escape(text))


def _count_cells(text: str) -> int:
    """Returns an upper bound of the cells of all tables: each row is as wide as the row of dashes below the head."""
    cells = columns = 0
    for line in text.split("\n"):
        if not line.strip(" \t>"):
            columns = 0
        elif _BELOW_A_HEAD.fullmatch(line):
            columns = max(columns, len(_DASHES.findall(line)))
        cells += columns  # of a row; the dashes count for the head
    return cells
