"""An app store on 127.0.0.1 that answers in the documented format: search, look-up, review feed."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.sources.web.loopback import Answering
from tests.waiting import until

Json = dict[str, Any]

NOW = datetime.now(UTC)


def app(id: int, name: str, *, publisher: str = "Maker Ltd", rating: float = 4.65894, count: int = 1_000) -> Json:
    """An app as search and look-up answer it."""
    return {
        "wrapperType": "software",
        "kind": "software",
        "trackId": id,
        "trackName": name,
        "bundleId": f"test.app{id}",
        "sellerName": publisher,
        "trackViewUrl": f"https://apps.example/us/app/id{id}",
        "averageUserRating": rating,
        "userRatingCount": count,
    }


def review(id: int, body: str, *, stars: int = 4, days: float = 1, title: str = "A title") -> Json:
    """A review as an entry of the feed, written so many days ago."""
    moment = (NOW - timedelta(days=days)).isoformat(timespec="seconds")
    return {
        "author": {"uri": {"label": "https://apps.example/us/reviews/id7"}, "name": {"label": "Secret Author"}},
        "updated": {"label": moment},
        "im:rating": {"label": str(stars)},
        "im:version": {"label": "2.1.0"},
        "id": {"label": str(id)},
        "title": {"label": title},
        "content": {"label": body, "attributes": {"type": "text"}},
        "link": {"attributes": {"rel": "related", "href": "https://apps.example/us/review?id=7"}},
        "im:voteSum": {"label": "0"},
    }


class Storefront(Answering):
    """`reviews` are by app, the newest first. `failures` are statuses of the next calls; `broken` paths are 502."""

    def __init__(self) -> None:
        self.url = ""
        super().__init__()
        self.clear()

    def clear(self) -> None:
        for task in self.tasks:
            task.cancel()  # a request that is still held would count as a call of the next test
        self.apps: list[Json] = []
        self.reviews: dict[str, list[Json]] = {}
        self.failures: list[int] = []
        self.broken: list[str] = []
        self.calls: list[str] = []
        self.held: str | None = None  # requests with this in their address are not answered until it is None
        self.page_size = 50

    def answer(self, target: str) -> tuple[int, Any]:
        self.calls.append(target)
        if self.failures:
            return self.failures.pop(0), {}
        if any(part in target for part in self.broken):
            return 502, {}
        parts = urlsplit(target)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path == "/search":
            words = asked["term"].lower().split()
            return 200, self._results(one for one in self.apps if any(word in str(one).lower() for word in words))
        if parts.path == "/lookup":
            return 200, self._results(one for one in self.apps if str(one["trackId"]) in asked["id"].split(","))
        return self._feed(parts.path)

    def _results(self, found: Any) -> Json:
        results = list(found)
        return {"resultCount": len(results), "results": results}

    def _feed(self, path: str) -> tuple[int, Any]:
        names = dict(part.split("=") for part in path.split("/") if "=" in part)
        page = int(names["page"])
        if page > 10:
            return 400, {}
        entries: Any = self.reviews.get(names["id"], [])[(page - 1) * self.page_size : page * self.page_size]
        feed: Json = {"author": {"name": {"label": "The store"}}, "title": {"label": "Customer Reviews"}}
        if entries:
            feed["entry"] = entries[0] if len(entries) == 1 else entries
        return 200, {"feed": feed}

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        path = head.split(" ")[1]
        await until(lambda: self.held is None or self.held not in path)
        status, body = self.answer(path)
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        fields = f"Content-Type: text/javascript\r\nContent-Length: {len(content)}\r\nConnection: close\r\n"
        writer.write(f"HTTP/1.1 {status} Status\r\n{fields}\r\n".encode() + content)
        await writer.drain()


@asynccontextmanager
async def opened() -> AsyncIterator[Storefront]:
    """A store that answers until the block ends."""
    store = Storefront()
    server = await asyncio.start_server(store.serve, "127.0.0.1", 0)
    store.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield store
    finally:
        server.close()
        waiting = list(store.tasks)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
