"""The entries of a saved feed, RSS or Atom, as pages."""

from collections.abc import Iterator
from datetime import datetime
from io import BytesIO
from typing import Any, Final

from sightline.sources.addresses import canonical
from sightline.sources.dates import Hint, moment_of, settle
from sightline.sources.extraction import LONGEST_TITLE, MOST_CHARACTERS, clean, clean_references, parse_fragment
from sightline.sources.hidden import empty_hidden
from sightline.sources.languages import code_of, language_of
from sightline.sources.pages import Page, PageUnavailable

MOST_ENTRIES: Final = 1_000


def read_feed(content: bytes, own_url: str, retrieved_at: datetime) -> Iterator[Page]:
    """The entries with a text, at most 1,000.

    Raises PageUnavailable when it is no feed, and after the other entries when some cannot be read.
    """
    found = parse_feed(content, sanitize_html=False)
    if not found.get("version"):
        raise PageUnavailable("It is not a feed.")
    odd = 0
    for number, entry in enumerate(found.entries[:MOST_ENTRIES], 1):
        try:
            page = _page(entry, found.feed, f"{own_url}#{number}", retrieved_at)
        except Exception:
            odd += 1
            continue
        if page is not None:
            yield page
    if odd:
        raise PageUnavailable(f"{odd} of its entries cannot be read.")


def parse_feed(content: bytes, *, sanitize_html: bool) -> Any:
    """What feedparser finds; it raises an error for a reference to half of a pair."""
    import feedparser

    readable = clean_references(content.decode("latin-1")).encode("latin-1")  # whatever its encoding is
    return feedparser.parse(BytesIO(readable), sanitize_html=sanitize_html, resolve_relative_uris=False)


def _page(entry: Any, feed: Any, own_url: str, retrieved_at: datetime) -> Page | None:
    text = _plain(_body(entry))
    if not text:
        return None
    moment = moment_of(entry.get("published_parsed"))
    hint = Hint("feed", moment, False) if moment else None
    url = canonical(entry.get("link") or "") or own_url
    declared = (entry.get("content") or [{}])[0].get("language") or feed.get("language")
    return Page(
        url=url,
        title=_plain(entry.get("title") or "")[:LONGEST_TITLE] or url,
        text=text,
        retrieved_at=retrieved_at,
        publisher=_plain(feed.get("title") or "")[:LONGEST_TITLE] or None,
        published=settle([hint], [], retrieved_at),
        language=code_of(declared) or language_of(text),
    )


def _body(entry: Any) -> str:
    """The longest text of the entry."""
    bodies = [one.get("value") or "" for one in entry.get("content") or []]
    return max([*bodies, entry.get("summary") or ""], key=len)


def _plain(markup: str) -> str:
    """The text that a piece of HTML shows, a line for each block."""
    tree = parse_fragment(markup)
    empty_hidden(tree)
    for block in tree.iter("p", "br", "li", "h1", "h2", "h3", "h4", "div", "tr"):
        block.tail = "\n" + (block.tail or "")
    lines = (" ".join(line.split()) for line in str(tree.text_content()).split("\n"))
    return clean("\n".join(line for line in lines if line))[:MOST_CHARACTERS]
