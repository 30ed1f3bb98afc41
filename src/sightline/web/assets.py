"""The files that pages load: those of their room, htmx, and a stylesheet with an accent colour."""

import re
from hashlib import sha256
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response

from sightline.platform.errors import MethodNotAllowed
from sightline.web.colours import accent_stylesheet

_TYPES = {".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".js": "text/javascript; charset=utf-8"}
# Files that browsers and crawlers ask for by themselves.
_AT_THE_ROOT = {"/favicon.ico": "image/x-icon", "/robots.txt": "text/plain; charset=utf-8"}
_ACCENT = re.compile(r"accent-([0-9a-f]{6})\.css")
_FOR_A_DAY = "public, max-age=86400"
_FOR_EVER = "public, max-age=31536000, immutable"


class Assets:
    """The static files of a room and of this one."""

    def __init__(self, package: str) -> None:
        folders = (files(each) / "static" for each in ("sightline.web", package))
        self._files = {file.name: file.read_bytes() for folder in folders for file in folder.iterdir()}
        # Hashes of the files. An address has its file's, so browsers can cache it without end.
        self.versions = {name: sha256(content).hexdigest()[:12] for name, content in self._files.items()}

    def answer(self, request: Request, path: str) -> Response | None:
        """Returns the file at a path below the room's pages, or None if it names none. Ignores the version.

        Raises MethodNotAllowed.
        """
        found = self._find(path)
        if found is not None and request.method not in ("GET", "HEAD"):
            raise MethodNotAllowed("GET, HEAD")
        return found

    def _find(self, path: str) -> Response | None:
        if type_ := _AT_THE_ROOT.get(path):
            return Response(self._files[path[1:]], headers={"Cache-Control": _FOR_A_DAY}, media_type=type_)
        name = path.removeprefix("/static/")
        if name == path:
            return None
        headers = {"Cache-Control": _FOR_EVER, "X-Content-Type-Options": "nosniff"}
        if (type_ := _TYPES.get(f".{name.rpartition('.')[2]}")) and (content := self._files.get(name)) is not None:
            return Response(content, headers=headers, media_type=type_)
        if accent := _ACCENT.fullmatch(name):
            return Response(accent_stylesheet(accent[1]), headers=headers, media_type=_TYPES[".css"])
        return None
