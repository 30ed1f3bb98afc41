"""Saved pages of every kind, a library of them, and how it is searched."""

import gzip
from collections.abc import Iterable
from typing import Any
from uuid import uuid4

from sightline.sources.library.library import Library
from sightline.sources.search import SearchPage, SearchQuery

SAYS = (
    "Workshops send the estimate by text, and the customer gives approval with one tap before any of the work begins."
)
HTML = f"""<html lang="en"><head><title>Yes by text</title><link rel="canonical" href="https://trade.example/yes">
<meta property="article:published_time" content="2026-11-05"></head>
<body><article><p>{SAYS}</p></article></body></html>"""
FEED = f"""<?xml version="1.0"?><rss version="2.0"><channel><title>Trade Wire</title><language>en-gb</language>
<item><title>Approval by text</title><link>https://wire.example/1?utm_medium=rss</link>
<pubDate>Thu, 05 Nov 2026 10:00:00 +0100</pubDate>
<description>&lt;p&gt;{SAYS}&lt;/p&gt;&lt;p&gt;More.&lt;/p&gt;</description></item>
<item><title>Empty</title><link>https://wire.example/2</link></item></channel></rss>"""
MHTML = f"""From: <Saved by a browser>
Snapshot-Content-Location: https://trade.example/saved
Subject: Yes
MIME-Version: 1.0
Content-Type: multipart/related; type="text/html"; boundary="----b"

------b
Content-Type: text/html
Content-Transfer-Encoding: quoted-printable
Content-Location: https://trade.example/saved

<html><head><title>Yes by text</title></head><body><article><p>{SAYS}</p></article></body></html>
------b--
""".replace("\n", "\r\n")


def warc(pages: Iterable[tuple[str, str, str]], *, compressed: bool = True, charset: str = "utf-8") -> bytes:
    """An archive of (address, status, body)."""
    head = f"Content-Type: text/html; charset={charset}"
    records = [record(url, f"HTTP/1.0 {status}\r\n{head}\r\n\r\n{body}".encode(charset)) for url, status, body in pages]
    return b"".join(map(gzip.compress, records) if compressed else records)


def record(url: str, content: bytes) -> bytes:
    fields = {
        "WARC-Type": "response",
        "WARC-Record-ID": f"<urn:uuid:{uuid4()}>",
        "WARC-Target-URI": url,
        "WARC-Date": "2026-11-06T08:00:00Z",
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": str(len(content)),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"WARC/1.0\r\n{head}\r\n".encode() + content + b"\r\n\r\n"


FILES = {
    "a.html": (HTML.encode(), "https://trade.example/yes", "Yes by text", "2026-11-05"),
    "b.md": (
        f"---\nurl: https://notes.example/b\ntitle: Notes\ndate: 2026-11-04\n---\n\n{SAYS}\n".encode(),
        "https://notes.example/b",
        "Notes",
        "2026-11-04",
    ),
    "c.txt": (f"A heading\n\n{SAYS}".encode(), "library:c.txt", "A heading", None),
    "deep/er/d e.md": (f"# A title\r\n\r\n{SAYS}".encode(), "library:deep/er/d%20e.md", "A title", None),
    "e.xml": (FEED.encode(), "https://wire.example/1", "Approval by text", "2026-11-05"),
    "f.mhtml": (MHTML.encode(), "https://trade.example/saved", "Yes by text", None),
    "g.warc.gz": (
        warc([("https://old.example/g", "200 OK", HTML)]),
        "https://old.example/g",
        "Yes by text",
        "2026-11-05",
    ),
    "h.warc": (
        warc([("https://old.example/h?utm_id=1", "200 OK", HTML)], compressed=False),
        "https://old.example/h",
        "Yes by text",
        "2026-11-05",
    ),
}


async def search(library: Library, text: str = "approval of estimates", **filters: Any) -> SearchPage:
    return await library.search(SearchQuery(text=text, **filters))


async def urls(library: Library, text: str = "approval of estimates", **filters: Any) -> list[str]:
    return [hit.url for hit in (await search(library, text, **filters)).hits]
