"""The files that pages load: ours and htmx, and a stylesheet with the colours of a portal."""

import re
from functools import cache
from hashlib import sha256
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response

from sightline.portal.html.colours import accent_stylesheet

_FOLDER = files("sightline.portal") / "static"
_TYPES = {
    "portal.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
    "htmx.min.js": "text/javascript; charset=utf-8",
    "portal.js": "text/javascript; charset=utf-8",
}
# Files that browsers and crawlers ask for by themselves.
_AT_THE_ROOT = {"/favicon.ico": "image/x-icon", "/robots.txt": "text/plain; charset=utf-8"}
_ACCENT = re.compile(r"accent-([0-9a-f]{6})\.css")
_FOR_A_DAY = "public, max-age=86400"
_FOR_EVER = "public, max-age=31536000, immutable"


@cache
def read(name: str) -> bytes:
    return (_FOLDER / name).read_bytes()


@cache
def version(name: str) -> str:
    """Returns a hash of the file. Its address has the hash, so browsers can cache it without end."""
    return sha256(read(name)).hexdigest()[:12]


def answer_static(request: Request, path: str) -> Response | None:
    """Returns the file at a path of a portal, or None if the path names none. The version in the address is ignored."""
    if request.method not in ("GET", "HEAD"):
        return None
    if path in _AT_THE_ROOT:
        name = path.removeprefix("/")
        return Response(read(name), headers={"Cache-Control": _FOR_A_DAY}, media_type=_AT_THE_ROOT[path])
    name = path.removeprefix("/static/")
    if name == path:
        return None
    headers = {"Cache-Control": _FOR_EVER, "X-Content-Type-Options": "nosniff"}
    if name in _TYPES:
        return Response(read(name), headers=headers, media_type=_TYPES[name])
    if accent := _ACCENT.fullmatch(name):
        return Response(accent_stylesheet(accent[1]), headers=headers, media_type="text/css; charset=utf-8")
    return None
