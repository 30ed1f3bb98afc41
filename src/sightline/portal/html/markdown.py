"""Markdown of ideas and comments as safe HTML."""

from functools import cache

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

_TAGS = {
    "p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a",
    "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
_LONGEST = 100_000


@cache
def _parser(keeps_lines: bool) -> MarkdownIt:
    options = {"html": False, "linkify": False, "breaks": keeps_lines}
    return MarkdownIt("commonmark", options).enable(["table", "strikethrough"])


def as_html(text: str, keeps_lines: bool = False) -> Markup:
    """Returns HTML. Headings start at level 3; images and HTML are left out; links are marked as user content.

    `keeps_lines`: a line break of the text is one on the page, as people expect who type into a field.
    """
    parser = _parser(keeps_lines)
    tokens = parser.parse(text[:_LONGEST])
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + 2)}"
    rendered = parser.renderer.render(tokens, parser.options, {})
    clean = nh3.clean(
        rendered,
        tags=_TAGS,
        attributes={"a": {"href"}, "ol": {"start"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="nofollow ugc noopener noreferrer",
    )
    return Markup(clean)  # noqa: S704 - cleaned on the line before
