"""GZip for answers of 1 KiB and more, if the client accepts it. A compressed answer has a tag of its own."""

from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp

from sightline.platform.unread import PIECE_BYTES

SMALLEST = 1024
LEVEL = 3  # a list of 20 ideas: 23 % of its size in 84 us; with 9 it is 21 % in 360 us


def accepts_gzip(accept_encoding: str) -> bool:
    """Whether the header accepts gzip: it names it, and not with `q=0`."""
    codings = (coding.partition(";") for coding in accept_encoding.split(","))
    weights = [weight.strip(" \tq=") for name, _, weight in codings if name.strip() == "gzip"]
    return any(not weight or weight.strip("0.") for weight in weights)


def compressed_tag(tag: str) -> str:
    """Returns the tag of the compressed form; like a flag, it leaves record and version readable."""
    return f'{tag[:-1]}.gzip"'


class Compressed(GZipMiddleware):
    """Compresses for clients that accept gzip; others cost one look at their headers."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(app, SMALLEST, LEVEL, thread_minimum_size=PIECE_BYTES)

    def __call__(self, scope: Any, receive: Any, send: Any) -> Any:
        accepted = scope.get("headers_by_name", {}).get(b"accept-encoding")
        if accepted and accepts_gzip(accepted.decode("latin-1")):
            return super().__call__(scope, receive, _tagged(send))
        return self.app(scope, receive, send)


def _tagged(send: Any) -> Any:
    """Returns `send` with the tag that fits the bytes, and with the Vary that a 304 shares with its answer."""

    async def send_tagged(message: Any) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=message["headers"])
            if "etag" in headers and headers.get("content-encoding") == "gzip":
                headers["etag"] = compressed_tag(headers["etag"])
            elif message["status"] == 304:
                headers.add_vary_header("Accept-Encoding")
        await send(message)

    return send_tagged
