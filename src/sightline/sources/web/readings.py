"""What the reading process does with a page, a file of the library, a site and a robots.txt."""

import os
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from sightline.sources.addresses import canonical, host_of, identity
from sightline.sources.dates import moment_of, read_hint
from sightline.sources.extraction import MOST_CHARACTERS, MOST_TAGS, decode, extract, parse_fragment
from sightline.sources.languages import language_of
from sightline.sources.library.feeds import parse_feed
from sightline.sources.library.files import read_file
from sightline.sources.pages import NoText, Page, PageUnavailable
from sightline.sources.web import tasks

MOST_LINKS: Final = 300
MOST_FEEDS: Final = 3
LONGEST_SUMMARY: Final = 500
_HTML: Final = frozenset({"text/html", "application/xhtml+xml"})
_TEXT: Final = frozenset({"text/plain", "text/markdown"})
_FEEDS: Final = ("application/rss+xml", "application/atom+xml")


def perform(task: tasks.Task) -> Iterator[tasks.Outcome]:
    """Never raises: what cannot be read is refused, after what could be."""
    try:
        yield from _outcomes(task)
    except PageUnavailable as refusal:
        yield tasks.Outcome(refusal=refusal.reason, temporary=refusal.temporary)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        is_of_system = error.errno is not None
        yield tasks.Outcome(refusal=f"It cannot be read ({reason}).", temporary=is_of_system)
    except Exception as error:
        yield tasks.Outcome(refusal=f"It cannot be read ({type(error).__name__}).")


def _outcomes(task: tasks.Task) -> Iterator[tasks.Outcome]:
    if isinstance(task, tasks.ReadFile):
        yield from (
            tasks.Outcome(page=page) for page in read_file(Path(os.fsdecode(task.folder)), task.name, task.saved_at)
        )
    elif isinstance(task, tasks.ReadPage):
        yield tasks.Outcome(page=read_page(task.found, task.retrieved_at))
    elif isinstance(task, tasks.ReadSite):
        yield tasks.Outcome(listing=read_site(task.found))
    else:
        yield tasks.Outcome(permission=read_robots(task))


def read_page(found: tasks.Fetched, retrieved_at: datetime) -> Page:
    """A page of HTML, or of plain text. Raises PageUnavailable."""
    if found.media_type in _TEXT:
        return _read_text(found, retrieved_at)
    if not (found.media_type in _HTML or (not found.media_type and _looks_like_html(found.content))):
        raise PageUnavailable(f"It is no text ({found.media_type or 'of an unknown type'}).")
    return extract(found.content, found.url, retrieved_at, found.charset, own_url=found.url)


def _looks_like_html(content: bytes) -> bool:
    start = content[:1_024].lower()
    return b"<html" in start or b"<!doctype html" in start


def _read_text(found: tasks.Fetched, retrieved_at: datetime) -> Page:
    text = decode(found.content, found.charset).replace("\r\n", "\n")[:MOST_CHARACTERS].strip()
    if not text:
        raise NoText
    url = canonical(found.url) or found.url
    title = text.split("\n", 1)[0].lstrip("# ").strip()[:200]
    return Page(url=url, title=title or url, text=text, retrieved_at=retrieved_at, language=language_of(text))


def read_robots(task: tasks.ReadRobots) -> tasks.Permission:
    """Raises ValueError when it cannot be understood."""
    from protego import Protego

    rules = Protego.parse(decode(task.content, "utf-8"))
    return tasks.Permission(
        is_given=rules.can_fetch(task.url, task.agent), pause=float(rules.crawl_delay(task.agent) or 0)
    )


def read_site(found: tasks.Fetched) -> tasks.Listing:
    """The links of a feed, a site map or a page of HTML. Raises PageUnavailable."""
    start = found.content[:2_048].lower()
    if b"<urlset" in start or b"<sitemapindex" in start:
        return _read_site_map(found)
    if b"<rss" in start or b"<feed" in start or b"<rdf" in start:
        return _read_feed(found)
    return _read_front_page(found)


def _read_feed(found: tasks.Fetched) -> tasks.Listing:
    if found.content.count(b"<") > MOST_TAGS:
        raise PageUnavailable("It has more than 30,000 tags.")
    feed = parse_feed(found.content, sanitize_html=True)
    return tasks.Listing(
        title=str(feed.feed.get("title") or ""), links=list(_entries(feed.entries, found.url)), feeds=[]
    )


def _entries(entries: Iterable[Any], base: str) -> Iterator[tasks.Link]:
    for entry in list(entries)[:MOST_LINKS]:
        url = canonical(entry.get("link") or "", base)
        stamp = entry.get("published_parsed") or entry.get("updated_parsed")
        if url and entry.get("link"):
            yield tasks.Link(
                url=url,
                title=_short(entry.get("title")),
                summary=_short(entry.get("summary")),
                published=moment_of(stamp),
            )


def _short(markup: str | None) -> str:
    if not markup:
        return ""
    text = parse_fragment(markup[:20_000]).text_content()
    return " ".join(str(text).split())[:LONGEST_SUMMARY]


def _read_site_map(found: tasks.Fetched) -> tasks.Listing:
    """Of an index, its maps; they stand in it with the newest first or last, so the dates decide."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, recover=True)
    root = etree.fromstring(found.content, parser=parser)
    if root is None:
        raise PageUnavailable("It is not a site map.")
    places = sorted(_places(root, found.url), key=_newest_first)
    if etree.QName(root).localname == "sitemapindex":
        return tasks.Listing(title="", links=[], feeds=[link.url for link in places[:MOST_FEEDS]])
    return tasks.Listing(title="", links=places[:MOST_LINKS], feeds=[])


def _places(root: Any, base: str) -> Iterator[tasks.Link]:
    for place in root:
        fields = {str(part.tag).rpartition("}")[2]: (part.text or "").strip() for part in place}
        url = canonical(fields["loc"], base) if fields.get("loc") else None
        changed = read_hint("site map", fields.get("lastmod"))
        if url:
            yield tasks.Link(url=url, title="", published=changed.moment if changed else None)


def _newest_first(link: tasks.Link) -> float:
    return -link.published.timestamp() if link.published else 0.0


def _read_front_page(found: tasks.Fetched) -> tasks.Listing:
    from lxml.html import document_fromstring

    markup = decode(found.content, found.charset)
    if not markup.strip() or markup.count("<") > MOST_TAGS:
        raise PageUnavailable("It cannot be searched for links.")
    tree = document_fromstring(markup)
    feeds = [
        feed
        for one in tree.iterfind(".//link")
        if (one.get("type") or "").lower() in _FEEDS
        and one.get("href")
        and (feed := canonical(one.get("href"), found.url))
    ]
    return tasks.Listing(
        title=_short(tree.findtext(".//title")), links=_own_links(tree, found.url), feeds=feeds[:MOST_FEEDS]
    )


def _own_links(tree: Any, base: str) -> list[tasks.Link]:
    """The links within the site, each page once."""
    found: dict[str, tasks.Link] = {}
    for anchor in tree.iterfind(".//a"):
        url = canonical(anchor.get("href") or "", base)
        text = " ".join(str(anchor.text_content()).split())[:LONGEST_SUMMARY]
        if url and text and host_of(url) == host_of(base) and len(found) < MOST_LINKS:
            found.setdefault(identity(url), tasks.Link(url=url, title=text))
    return list(found.values())
