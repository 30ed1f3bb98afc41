"""What a page of HTML says: text, title, publisher, date, language. Bounded whatever it is given."""

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from datetime import datetime
from typing import Any, Final

from sightline.sources.addresses import canonical, host_of
from sightline.sources.dates import Hint, hint_of_address, read_hint, settle
from sightline.sources.hidden import empty_hidden
from sightline.sources.languages import code_of, language_of
from sightline.sources.pages import NoText, Page, PageUnavailable

MOST_BYTES: Final = 2_000_000
MOST_TAGS: Final = 30_000
DEEPEST: Final = 250  # elements inside each other
LONGEST_TAG: Final = 4_000  # of a longer one only the name is kept: parsing attributes is quadratic
MOST_CHARACTERS: Final = 200_000
LONGEST_TITLE: Final = 500

_TAG: Final = re.compile(r"<(\w+)[^>]*")
_NO_XML: Final = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_CHARACTERS: Final = (range(0x20, 0xD800), range(0xE000, 0xFFFE), range(0x10000, 0x110000))
_REFERENCE: Final = re.compile(r"&#(?:x0*([0-9a-f]+)|0*([0-9]+));?", re.IGNORECASE)
_XML: Final = re.compile(r"^\s*<\?xml[^>]*\?>")
_CHARSET: Final = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?\s*([A-Za-z0-9_:-]{2,40})""", re.IGNORECASE)
_CHARSETS: Final = re.compile(
    r"utf-?8|utf-?16(le|be)?|(us-)?ascii|iso-?8859-\d+|latin-?\d|windows-125\d|cp125\d|koi8-[ru]|macintosh|shift_?jis"
    r"|euc-(jp|kr)|gb(k|2312|18030)|big5",
    re.IGNORECASE,
)
_PUBLISHED_NAMES: Final = frozenset({
    "article:published_time", "og:published_time", "og:article:published_time", "datepublished", "date_published",
    "publishdate", "pubdate", "publish_date", "publication_date", "dc.date.issued", "dcterms.issued",
    "dcterms.created", "dc.date.created", "dc.date", "dcterms.date", "citation_publication_date", "parsely-pub-date",
    "sailthru.date", "article.published", "cxenseparse:recs:publishtime",
})  # fmt: skip


_SAYS_PUBLISHER: Final = (
    "//meta[contains(@property, 'site_name') or contains(@name, 'publisher') or @name = 'application-name']/@content"
    " | //script[@type = 'application/ld+json']/text()"
)


def decode(content: bytes, charset: str | None = None) -> str:
    """The text, by the given or declared character set, else UTF-8, else Windows-1252. Raises PageUnavailable."""
    declared = _CHARSET.search(content[:4_096])
    names = [charset, declared[1].decode() if declared else None, "utf-8"]
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        names = ["utf-16"]
    elif content.startswith(b"\xef\xbb\xbf"):
        names = ["utf-8-sig"]
    elif b"\0" in content[:4_096]:
        raise PageUnavailable("It is not a text.")
    for name in names:
        try:
            if name and _CHARSETS.fullmatch(name.removesuffix("-sig")):
                return clean(content.decode(name))
        except (LookupError, UnicodeDecodeError):
            continue
    return clean(content.decode("cp1252", errors="replace"))


def clean(text: str) -> str:
    """The text without what PostgreSQL or UTF-8 cannot hold."""
    return text.replace("\0", "").encode("utf-8", errors="replace").decode()


def clean_markup(markup: str) -> str:
    """The markup without characters that XML has not, and without references to such."""
    return _NO_XML.sub(" ", clean_references(clean(markup)))


def clean_references(markup: str) -> str:
    """The markup without references to characters that XML has not."""
    return _REFERENCE.sub(lambda found: found[0] if _is_character(found) else " ", markup)


def _is_character(reference: re.Match[str]) -> bool:
    hexadecimal, decimal = reference.groups()
    number = int(hexadecimal[:7], 16) if hexadecimal else int(decimal[:8])
    return number in (9, 10, 13) or any(number in one for one in _CHARACTERS)


def extract(
    content: bytes, url: str | None, retrieved_at: datetime, charset: str | None = None, *, own_url: str
) -> Page:
    """Returns a page that comes from `url`, under the address that it names, else `own_url`.

    Raises PageUnavailable when it is too large, too deeply nested, or holds no text.
    """
    if len(content) > MOST_BYTES:
        raise PageUnavailable("It is larger than 2 MB.")
    markup = decode(content, charset)
    if markup.count("<") > MOST_TAGS:
        raise PageUnavailable("It has more than 30,000 tags.")
    tree = _parse(markup)
    address = _own_address(tree, url)
    title, publisher = _title_and_publisher(tree, address)
    structured = _structured(tree)
    empty_hidden(tree)  # data for machines may be hidden, text and dates for people may not
    text = _text(tree)
    if not text:
        raise NoText
    published = settle(structured, _other_hints(tree, address, retrieved_at), retrieved_at)
    declared = code_of(tree.get("lang") or tree.get("{http://www.w3.org/XML/1998/namespace}lang"))
    return Page(
        url=address or own_url,
        title=title or address or own_url,
        text=text,
        retrieved_at=retrieved_at,
        publisher=publisher,
        published=published,
        language=declared or language_of(text),
    )


def _parse(markup: str) -> Any:
    from lxml import etree
    from lxml.html import HTMLParser, document_fromstring

    parser = HTMLParser(remove_comments=True, remove_pis=True, huge_tree=False, no_network=True)
    try:
        tree = document_fromstring(_TAG.sub(_shortened, _XML.sub("", clean_markup(markup))), parser=parser)
    except (etree.LxmlError, ValueError):
        raise PageUnavailable("It is not HTML.") from None
    if _depth(tree) > DEEPEST:
        raise PageUnavailable("Its elements are nested too deeply.")
    return tree


def parse_fragment(markup: str) -> Any:
    """The tree of a piece of HTML, whatever it is."""
    from lxml.html import document_fromstring

    return document_fromstring(f"<div>{clean_markup(markup)}</div>")


def _shortened(tag: re.Match[str]) -> str:
    return tag[0] if len(tag[0]) <= LONGEST_TAG else f"<{tag[1]}"


def _depth(tree: Any) -> int:
    """The depth of the tree; stops counting soon after the deepest that is allowed."""
    deepest, level = 0, [tree]
    while level and deepest <= DEEPEST:
        deepest += 1
        level = [child for element in level for child in element]
    return deepest


def _text(tree: Any) -> str:
    from trafilatura import bare_extraction

    found = bare_extraction(deepcopy(tree), fast=True, include_comments=False)
    text = found.text if found is not None and not isinstance(found, dict) else ""
    return clean(text or "")[:MOST_CHARACTERS].strip()


def _own_address(tree: Any, url: str | None) -> str | None:
    """The canonical link, if it lies on the host that the page comes from or that is not known; else that address."""
    links = tree.xpath("//link[@rel='canonical']/@href") + tree.xpath("//meta[@property='og:url']/@content")
    named = next((address for link in links if (address := canonical(link))), None)
    known = canonical(url) if url else None
    if known is None:
        return named
    return named if named and host_of(named) == host_of(known) else known


def _title_and_publisher(tree: Any, url: str | None) -> tuple[str, str | None]:
    from trafilatura.metadata import extract_metadata

    found = extract_metadata(
        deepcopy(tree), url, date_config={"extensive_search": False, "original_date": True}, extensive=False
    )
    publisher = _one_line(found.sitename)
    if not any(publisher in _one_line(text) for text in tree.xpath(_SAYS_PUBLISHER)):
        publisher = ""  # guessed from the title
    host = (host_of(url or "") or "").removeprefix("www.")
    is_host = publisher.lower().partition(":")[0].removeprefix("www.") == host
    return _one_line(found.title), None if is_host else publisher or None


def _one_line(text: str | None) -> str:
    return clean(" ".join((text or "").split()))[:LONGEST_TITLE]


def _structured(tree: Any) -> list[Hint | None]:
    """What the page says in data meant for machines."""
    hints = [read_hint("jsonld", value) for value in _json_dates(tree)]
    for meta in tree.iterfind(".//meta"):
        name = (meta.get("property") or meta.get("name") or meta.get("itemprop") or "").lower()
        if name in _PUBLISHED_NAMES:
            hints.append(read_hint("meta", meta.get("content")))
    marked = "//time[@pubdate or contains(@itemprop, 'datePublished')]/@datetime"
    return [*hints, *(read_hint("time", value) for value in tree.xpath(marked)[:5])]


def _json_dates(tree: Any) -> Iterator[str]:
    for text in tree.xpath("//script[@type='application/ld+json']/text()")[:20]:
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            continue
        items = found if isinstance(found, list) else [found]
        items = [inner for one in items if isinstance(one, dict) for inner in (one, *_graph(one))]
        yield from (str(one["datePublished"]) for one in items if isinstance(one, dict) and "datePublished" in one)


def _graph(item: dict[str, Any]) -> list[Any]:
    graph = item.get("@graph")
    return graph if isinstance(graph, list) else []


def _other_hints(tree: Any, url: str | None, retrieved_at: datetime) -> list[Hint | None]:
    """Returns the dates in the address, in the only time element, and in the text; each is found on its own."""
    times = {hint for value in tree.xpath("//time/@datetime")[:50] if (hint := read_hint("time element", value))}
    return [hint_of_address(url), times.pop() if len(times) == 1 else None, _hint_of_text(tree, retrieved_at)]


def _hint_of_text(tree: Any, retrieved_at: datetime) -> Hint | None:
    from htmldate import find_date

    bare = deepcopy(tree)
    for element in bare.xpath("//head | //script | //style | //time | //abbr | //link | //meta"):
        element.drop_tree()
    shown = find_date(bare, extensive_search=False, original_date=True, url="", max_date=retrieved_at)
    return read_hint("text", shown)
