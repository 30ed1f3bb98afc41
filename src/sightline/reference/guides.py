"""The guides of `docs/guide` as pages beside the API reference."""

import re
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.token import Token  # loaded by the first guide, not by the start of a process

# The order in which to read them, as in the README.
_ORDER = (
    "ideas",
    "initiatives",
    "signals",
    "sync",
    "portal",
    "research",
    "intelligence",
    "library",
    "web-search",
    "importing",
    "operating",
    "workspace-file",
)
_SERVED = re.compile(r"^(?:\.\./openapi\.json|([\w-]+)\.md)(?=#|$)")
_NOT_IN_AN_ANCHOR = re.compile(r"[^\w\- ]")


def guide_names() -> list[str]:
    """Returns the names of the guides in reading order; empty if the installation has none."""
    folder = _folder()
    if not folder.is_dir():
        return []
    names = sorted(file.name.removesuffix(".md") for file in folder.iterdir() if file.name.endswith(".md"))
    return sorted(names, key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER))


def picture_names() -> list[str]:
    """Returns the names of the pictures in the guides, with their ending."""
    folder = _folder()
    return sorted(file.name for file in folder.iterdir() if file.name.endswith(".png")) if folder.is_dir() else []


def picture(name: str) -> bytes:
    return (_folder() / name).read_bytes()


def guide_page(name: str) -> bytes:
    """Returns a guide as HTML."""
    from markdown_it import MarkdownIt

    text = _text(name)
    markdown = MarkdownIt("commonmark").enable("table")
    tokens = markdown.parse(text)
    _add_anchors(tokens)
    _lead_to_pages(tokens)
    content = markdown.renderer.render(tokens, markdown.options, {})
    return _page(_title(text), "../../", content)


def guide_list() -> bytes:
    """Returns the page that lists the guides."""
    items = [f'<li><a href="guide/{name}">{escape(_title(_text(name)))}</a></li>' for name in guide_names()]
    content = "\n".join(["<h1>Guides</h1>", "<ul>", *items, "</ul>"])
    return _page("Guides", "../", content)


def _page(title: str, up: str, content: str) -> bytes:
    page = (files("sightline.reference") / "docs_assets/guide.html").read_text(encoding="utf-8")
    return page.format(title=escape(title), up=up, content=content).encode()


def _folder() -> Traversable:
    """In a wheel beside the program, else in the repository."""
    packaged = files("sightline") / "guide"
    return packaged if packaged.is_dir() else Path(__file__).parents[3] / "docs/guide"


def _text(name: str) -> str:
    return (_folder() / f"{name}.md").read_text(encoding="utf-8")


def _title(text: str) -> str:
    return text.partition("\n")[0].removeprefix("# ")


def _add_anchors(tokens: "list[Token]") -> None:
    """Names each heading as links within the guides do: `#copying-all-ideas`."""
    for heading, inline in pairwise(tokens):
        if heading.type == "heading_open":
            words = _NOT_IN_AN_ANCHOR.sub("", inline.content.lower())
            heading.attrSet("id", words.replace(" ", "-"))


def _lead_to_pages(tokens: "list[Token]") -> None:
    """Lets links to guides and to the document lead to their pages; links to other files become text."""
    is_text = False
    for token in (child for parent in tokens for child in parent.children or ()):
        if token.type == "link_open":
            address = str(token.attrGet("href"))
            found = _SERVED.match(address)
            is_text = found is None and address.startswith("..")
            token.attrs = {} if is_text else {"href": _SERVED.sub(_place, address)}
        if token.type in ("link_open", "link_close"):
            token.tag = "span" if is_text else "a"


def _place(found: re.Match[str]) -> str:
    return found[1] or "../../api/external/v1/openapi.json"
