"""GZip for answers of 1 KiB and more, where the caller takes it."""

import re
from collections.abc import Awaitable
from typing import Any

from starlette.middleware.gzip import GZipMiddleware

SMALLEST = 1024
LEVEL = 3  # a list of 20 ideas: 23 % of its size in 84 us; with 9 it is 21 % in 360 us
_GZIP = re.compile(rb"(?:^|[,\s])gzip\s*(?:;\s*q=([0-9.]+))?\s*(?:,|$)")


def accepts_gzip(accept_encoding: bytes) -> bool:
    """Whether the header names gzip, and not to refuse it (`q=0`)."""
    found = _GZIP.search(accept_encoding)
    return found is not None and (found[1] is None or found[1].strip(b"0.") != b"")


class Compressed:
    """Costs a caller who takes no gzip one look at the headers."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._zipped = GZipMiddleware(app, minimum_size=SMALLEST, compresslevel=LEVEL)

    def __call__(self, scope: Any, receive: Any, send: Any) -> Awaitable[None]:
        for name, value in scope.get("headers", ()):
            if name == b"accept-encoding":
                if b"gzip" in value and accepts_gzip(value):
                    return self._zipped(scope, receive, send)
                break
        app: Awaitable[None] = self._app(scope, receive, send)
        return app
