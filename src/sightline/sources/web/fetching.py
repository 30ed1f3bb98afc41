"""Fetching one page: bounded in time, size and redirects, one connection for each request.

Connections are not kept: a kept one would serve another host name on the same address without checking its certificate.
"""

import asyncio
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from ssl import SSLContext
from typing import Final

import httpcore2

from sightline import __version__
from sightline.sources.pages import PageUnavailable, charset_of
from sightline.sources.web.gate import Gate, GatedNetwork, Target, target_of
from sightline.sources.web.tasks import Fetched

AGENT: Final = "Sightline"
MOST_BYTES: Final = 2_000_000
MOST_REDIRECTS: Final = 5
_MOST_CHUNKS: Final = 10_000
LONGEST_FETCH: Final = 10.0  # seconds, with redirects and pauses
_LONGEST_WAIT: Final = 5.0  # seconds for a connection, or for the next bytes
_MOVED: Final = frozenset({301, 302, 303, 307, 308})
_PAGES: Final = "text/html,application/xhtml+xml,text/plain;q=0.8,application/xml;q=0.7,*/*;q=0.1"

Permit = Callable[[Target], Awaitable[None]]


class BadStatus(PageUnavailable):
    """The host answered with an error."""

    def __init__(self, status: int) -> None:
        super().__init__(f"Its host answered {status}.")
        self.status = status


class Fetcher:
    """`seconds` is what one page may take with everything; other values, and another `tls`, are for tests."""

    def __init__(self, gate: Gate, *, seconds: float = LONGEST_FETCH, tls: SSLContext | None = None) -> None:
        self._network = GatedNetwork(gate)
        self._seconds = seconds
        self._tls = tls or httpcore2.default_ssl_context(_trust_env=False)

    async def fetch(
        self, url: str, permit: Permit, *, cut: int | None = None, seconds: float = LONGEST_FETCH
    ) -> Fetched:
        """Gets a page, through redirects. `permit` is asked before each request, and raises PageUnavailable to refuse.

        With `cut`, what is longer is cut there; otherwise more than 2 MB are refused. Raises PageUnavailable.
        """
        try:
            async with asyncio.timeout(min(seconds, self._seconds)):
                return await self._follow(url, permit, cut)
        except (TimeoutError, httpcore2.TimeoutException):
            raise PageUnavailable("Its host did not answer in time.") from None
        except httpcore2.NetworkError:
            raise PageUnavailable("Its host cannot be reached.") from None
        except (httpcore2.ProtocolError, zlib.error, OSError):  # SSLError, for one, after a good handshake
            raise PageUnavailable("Its host did not answer in HTTP.") from None

    async def _follow(self, url: str, permit: Permit, cut: int | None) -> Fetched:
        urls: list[str] = []
        for _ in range(MOST_REDIRECTS + 1):
            target = target_of(url, urls[-1] if urls else "")
            if target.url in urls:
                raise PageUnavailable("It redirects to itself.")
            urls.append(target.url)
            await permit(target)
            found = await self._get(target, tuple(urls), cut)
            if isinstance(found, Fetched):
                return found
            url = found
        raise PageUnavailable(f"It redirects more than {MOST_REDIRECTS} times.")

    async def _get(self, target: Target, urls: tuple[str, ...], cut: int | None) -> Fetched | str:
        """The page, or the address that it redirects to."""
        pool = httpcore2.AsyncConnectionPool(
            ssl_context=self._tls, max_connections=1, max_keepalive_connections=0, network_backend=self._network
        )
        waits = {"connect": _LONGEST_WAIT, "read": _LONGEST_WAIT, "write": _LONGEST_WAIT, "pool": _LONGEST_WAIT}
        address = httpcore2.URL(
            scheme=target.scheme.encode(), host=target.host.encode(), port=target.port, target=target.path.encode()
        )
        async with (
            pool,
            pool.stream("GET", address, headers=_headers(target), extensions={"timeout": waits}) as response,
        ):
            headers = {name.lower(): value.decode("latin-1") for name, value in response.headers}
            if response.status in _MOVED and headers.get(b"location"):
                return headers[b"location"]
            if response.status != 200:
                raise BadStatus(response.status)
            kind = headers.get(b"content-type", "")
            return Fetched(
                urls=urls,
                content=await _body(response.aiter_stream(), headers.get(b"content-encoding", ""), cut),
                media_type=kind.partition(";")[0].strip().lower(),
                charset=charset_of(kind),
            )


def _headers(target: Target) -> list[tuple[bytes, bytes]]:
    host = target.origin.partition("//")[2]
    return [
        (b"Host", host.encode()),
        (b"User-Agent", f"{AGENT}/{__version__}".encode()),
        (b"Accept", _PAGES.encode()),
        (b"Accept-Encoding", b"gzip"),
        (b"Connection", b"close"),
    ]


async def _body(stream: AsyncIterator[bytes], encoding: str, cut: int | None) -> bytes:
    """The content, unpacked, as far as it may go: what packs to little may unpack to much.

    Raises PageUnavailable for more than 2 MB, unless it is cut, and for more than 10,000 chunks.
    """
    most, unpacker = cut or MOST_BYTES, _unpacker(encoding)
    content, received, chunks = bytearray(), 0, 0
    async for chunk in stream:
        await asyncio.sleep(0)  # the next chunks may have arrived, and other tasks have their turn
        chunks += 1
        received += len(chunk)
        content += unpacker.decompress(chunk, most + 1 - len(content)) if unpacker else chunk
        if len(content) > most or received > most:
            if cut:
                return bytes(content[:cut])
            raise PageUnavailable("It is larger than 2 MB.")
        if chunks > _MOST_CHUNKS:
            raise PageUnavailable("It comes in more than 10,000 chunks.")
        if unpacker and unpacker.eof:
            break
    return bytes(content)


def _unpacker(encoding: str) -> "zlib._Decompress | None":
    name = encoding.strip().lower()
    if name in ("gzip", "x-gzip", "deflate"):
        return zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
    if name in ("", "identity"):
        return None
    raise PageUnavailable("It is packed in a way that was not asked for.")
