"""Pages beside the API: the reference and the guides, which are constant, and small pages that are not."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from gzip import compress
from hashlib import sha256
from importlib.resources import files
from typing import Any

from sightline.platform.errors import MethodNotAllowed
from sightline.platform.http.compression import accepts_gzip
from sightline.platform.http.guides import guide_list, guide_names, guide_page
from sightline.platform.http.problems import Answer

Headers = list[tuple[bytes, bytes]]

HTML = "text/html; charset=utf-8"
CSS = "text/css; charset=utf-8"
JSON = "application/json"
_ASSETS = files("sightline.platform.http") / "docs_assets"
_TAGS = re.compile(rb'"[^"]*"|\*')

# Why, and how to change it: docs/decisions/0004-docs-page.md.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_DAY = "public, max-age=86400"
_REVALIDATE = "public, no-cache"


@dataclass(frozen=True)
class Constant:
    """A constant response, made and compressed at the first request."""

    make: Callable[[], bytes]
    media_type: str
    cache: str = _REVALIDATE
    headers: dict[str, str] = field(default_factory=dict)

    @cached_property
    def body(self) -> bytes:
        return self.make()

    @cached_property
    def compressed(self) -> bytes:
        return compress(self.body, mtime=0)

    @cached_property
    def digest(self) -> str:
        return sha256(self.body).hexdigest()[:20]

    async def answer(self, request_headers: dict[bytes, bytes]) -> Answer:
        is_zipped = accepts_gzip(request_headers.get(b"accept-encoding", b""))
        body = await asyncio.to_thread(lambda: self.compressed if is_zipped else self.body)
        tag = f'"{self.digest}-gzip"' if is_zipped else f'"{self.digest}"'
        headers: Headers = [
            (b"etag", tag.encode()),
            (b"cache-control", self.cache.encode()),
            (b"vary", b"Accept-Encoding"),
            (b"x-content-type-options", b"nosniff"),
            *((name.lower().encode(), value.encode()) for name, value in self.headers.items()),
        ]
        if {tag.encode(), b"*"} & set(_TAGS.findall(request_headers.get(b"if-none-match", b""))):
            return 304, headers, b""
        headers += [(b"content-type", self.media_type.encode()), (b"content-length", b"%d" % len(body))]
        return 200, headers + ([(b"content-encoding", b"gzip")] if is_zipped else []), body


class Page:
    """An address that answers GET and HEAD without a key. A probe is logged only if it fails."""

    def __init__(
        self, name: str, answer: Callable[[dict[bytes, bytes]], Awaitable[Answer]], *, is_probe: bool = False
    ) -> None:
        self._name = name
        self._answer = answer
        self._is_probe = is_probe

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        scope["operation"] = self._name
        scope["is_probe"] = self._is_probe
        if scope["method"] not in ("GET", "HEAD"):
            raise MethodNotAllowed("GET, HEAD")
        status, headers, body = await self._answer(scope["headers_by_name"])
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


def reference_pages(document: Callable[[], str], document_path: str) -> dict[str, Page]:
    """Returns the pages of the API reference and of the guides by path; `/` redirects to the reference."""
    security = {"Content-Security-Policy": _POLICY, "Referrer-Policy": "no-referrer"}
    constants = {
        "/docs": Constant(_asset("index.html"), HTML, headers=security),
        "/docs/docs.css": Constant(_asset("docs.css"), CSS),
        "/docs/guide": Constant(guide_list, HTML, headers=security),
        "/docs/start.js": Constant(_asset("start.js"), "text/javascript; charset=utf-8"),
        "/docs/swagger-ui.css": Constant(_asset("swagger-ui.css"), CSS, _DAY),
        "/docs/swagger-ui-bundle.js": Constant(_asset("swagger-ui-bundle.js"), "text/javascript; charset=utf-8", _DAY),
        document_path: Constant(lambda: document().encode(), JSON),
    }
    for name in guide_names():
        constants[f"/docs/guide/{name}"] = Constant(partial(guide_page, name), HTML, headers=security)
    pages = {path: Page("openapi" if path == document_path else "docs", at.answer) for path, at in constants.items()}
    return {"/": Page("root", _redirect_to_reference), **pages}


def _asset(name: str) -> Callable[[], bytes]:
    return lambda: (_ASSETS / name).read_bytes()


async def _redirect_to_reference(_: dict[bytes, bytes]) -> Answer:
    """The address is relative, so that it works behind a path prefix."""
    return 307, [(b"location", b"docs"), (b"content-length", b"0")], b""
