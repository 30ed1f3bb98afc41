"""The pages of the reference and of the guides. All are constant."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from gzip import compress
from hashlib import sha256
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from sightline.platform.http.compression import accepts_gzip
from sightline.platform.http.endpoint import known_tag
from sightline.platform.http.public_pages import PublicPage
from sightline.reference.guides import guide_list, guide_names, guide_page, picture, picture_names

HTML, CSS, SCRIPT = "text/html", "text/css", "text/javascript"
_ASSETS = files("sightline.reference") / "docs_assets"

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
    headers: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def body(self) -> bytes:
        return self.make()

    @cached_property
    def compressed(self) -> bytes:
        return compress(self.body, mtime=0)

    @cached_property
    def digest(self) -> str:
        return sha256(self.body).hexdigest()[:20]

    async def answer(self, request: Request) -> Response:
        is_zipped = accepts_gzip(request.headers.get("accept-encoding", ""))
        body = await asyncio.to_thread(lambda: self.compressed if is_zipped else self.body)
        headers = {"ETag": f'"{self.digest}"', "Cache-Control": self.cache, "Vary": "Accept-Encoding", **self.headers}
        if known := known_tag(request.headers.get("if-none-match", ""), headers["ETag"]):
            return Response(status_code=304, headers=headers | {"ETag": known})
        encoding = {"Content-Encoding": "gzip"} if is_zipped else {}
        return Response(body, headers=headers | encoding, media_type=self.media_type)


def reference_pages(document: Callable[[], str], document_path: str) -> dict[str, PublicPage]:
    """Returns the pages by path. `/`, `/docs/` and `/docs/guide/` redirect, by relative addresses for path prefixes."""
    security = {"Content-Security-Policy": _POLICY, "Referrer-Policy": "no-referrer"}
    constants = {
        "/docs": Constant(_asset("index.html"), HTML, headers=security),
        "/docs/docs.css": Constant(_asset("docs.css"), CSS),
        "/docs/guide": Constant(guide_list, HTML, headers=security),
        "/docs/start.js": Constant(_asset("start.js"), SCRIPT),
        "/docs/swagger-ui.css": Constant(_asset("swagger-ui.css"), CSS, _DAY),
        "/docs/swagger-ui-bundle.js": Constant(_asset("swagger-ui-bundle.js"), SCRIPT, _DAY),
        document_path: Constant(lambda: document().encode(), "application/json"),
    }
    for name in picture_names():
        constants[f"/docs/guide/{name}"] = Constant(partial(picture, name), "image/png")
    for name in guide_names():
        constants[f"/docs/guide/{name}"] = Constant(partial(guide_page, name), HTML, headers=security)
    pages = {
        path: PublicPage("openapi" if path == document_path else "docs", at.answer) for path, at in constants.items()
    }
    redirects = {"/": _redirect("root", "docs"), "/docs/": _redirect("docs", "../docs")}
    return {**redirects, "/docs/guide/": _redirect("docs", "../guide"), **pages}


def _asset(name: str) -> Callable[[], bytes]:
    return lambda: (_ASSETS / name).read_bytes()


def _redirect(name: str, address: str) -> PublicPage:
    async def answer(_: Request) -> Response:
        return RedirectResponse(address)

    return PublicPage(name, answer)
