"""The articles of the demonstration as a web on 127.0.0.1, and a SearXNG that finds them."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, urlsplit

from sightline.sample.articles import write_articles
from sightline.sources.library.library import Library
from sightline.sources.pages import Page, PageUnavailable
from sightline.sources.search import SearchQuery


class ArticleWeb:
    """Serves `https://host.example/path` as `/host.example/path`. `asked` are the searches that it was asked."""

    def __init__(self, folder: Path) -> None:
        write_articles(folder / "articles", datetime.now(UTC))
        self._library = Library(folder / "articles", folder / "index")
        self.asked: list[str] = []
        self.address = ""

    def search(self, text: str) -> bytes:
        self.asked.append(text)
        found = asyncio.run(self._library.search(SearchQuery(text=text, limit=20)))
        results = [
            {"url": self.here(hit.url), "title": "A title", "content": "A snippet", "engine": "articles"}
            for hit in found.hits
        ]
        return json.dumps({"query": text, "results": results, "unresponsive_engines": []}).encode()

    def read(self, path: str) -> bytes | None:
        try:
            page = asyncio.run(self._library.read(f"https:/{path}"))
        except PageUnavailable:
            return None
        return _html(page).encode()

    def here(self, url: str) -> str:
        return url.replace("https:/", self.address, 1)


def _html(page: Page) -> str:
    date = (
        f'<meta property="article:published_time" content="{page.published.moment.isoformat()}">'
        if page.published
        else ""
    )
    paragraphs = "".join(f"<p>{escape(line)}</p>" for line in page.text.split("\n") if line)
    return f"""<!doctype html><html lang="{page.language or ""}"><head><meta charset="utf-8">
<title>{escape(page.title)}</title><meta property="og:title" content="{escape(page.title)}">
<meta property="og:site_name" content="{escape(page.publisher or "")}">{date}</head>
<body><nav><a href="/">Front page</a></nav><article>{paragraphs}</article></body></html>"""


@contextmanager
def article_web(folder: Path) -> Iterator[ArticleWeb]:
    """A web that serves until the test ends."""
    web = ArticleWeb(folder)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            is_search = parts.path == "/search"
            found = web.search(parse_qs(parts.query)["q"][0]) if is_search else web.read(parts.path)
            self.send_response(200 if found is not None else 404)
            self.send_header("Content-Type", "application/json" if is_search else "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(found or b"")))
            self.end_headers()
            self.wfile.write(found or b"")

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    web.address = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield web
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
