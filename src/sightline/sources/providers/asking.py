"""Asking a provider over HTTP: one request, bounded, and every failure as a SearchFailed without keys."""

import asyncio
import re
from collections.abc import Mapping
from functools import cache, partial
from typing import Any, Final, TypeVar

import httpx2
import msgspec
from msgspec import Struct

from sightline import __version__
from sightline.platform.beside import Beside
from sightline.sources.search import SearchFailed

LONGEST_ANSWER: Final = 10.0  # seconds
MOST_BYTES: Final = 5_000_000

_LARGE_ANSWERS = Beside("large-answers")

_HALF_PAIR = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)

T = TypeVar("T")


class Service(Struct, frozen=True, kw_only=True):
    """A provider's interface. `label` names it in sentences; `refusals` say what a status means there."""

    label: str
    url: str
    headers: Mapping[str, str] = {}
    refusals: Mapping[int, str] = {}
    seconds: float = LONGEST_ANSWER

    async def ask(self, method: str, path: str, answer: type[T], **content: Any) -> T:
        """Returns what it answers. `content`: the `params` or the `json` to send. Raises SearchFailed."""
        try:
            async with asyncio.timeout(self.seconds):
                body = await self._send(method, path, content)
            return await _LARGE_ANSWERS.run_by_size(partial(_decode, answer=answer), body)
        except (TimeoutError, httpx2.TimeoutException):
            raise SearchFailed(f"{self.label} did not answer in time.") from None
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError):
            raise SearchFailed(f"{self.label} cannot be reached.") from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise SearchFailed(f"{self.label} answered something else than its JSON.") from None

    async def _send(self, method: str, path: str, content: dict[str, Any]) -> bytes:
        headers = {"Accept": "application/json", "User-Agent": f"Sightline/{__version__}", **self.headers}
        body = bytearray()
        async with (
            httpx2.AsyncClient(verify=_tls(), trust_env=False, timeout=self.seconds) as client,
            client.stream(method, self.url + path, headers=headers, **content) as response,
        ):
            if response.status_code != 200:
                raise self._failure(response)
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > MOST_BYTES:
                    raise SearchFailed(f"{self.label} answered more than 5 MB.", temporary=False)
        return bytes(body)

    def _failure(self, response: httpx2.Response) -> SearchFailed:
        """Refusals stay what they are; a limit or an error of the server may be over soon."""
        status = response.status_code
        if status in self.refusals:
            return SearchFailed(self.refusals[status], temporary=False)
        if status == 429:
            wait = _seconds(response.headers.get("retry-after"))
            return SearchFailed(f"{self.label} asks to wait: too many searches (429).", retry_after=wait)
        return SearchFailed(f"{self.label} answered {status}.", temporary=status >= 500 or status == 408)


def _decode(body: bytes, answer: type[T]) -> T:
    try:
        return msgspec.json.decode(body, type=answer, strict=False)
    except msgspec.DecodeError:  # perhaps for a broken title among many: half of a surrogate pair
        return msgspec.json.decode(_HALF_PAIR.sub(rb"\\ufffd", body), type=answer, strict=False)


@cache
def _tls() -> Any:
    return httpx2.create_ssl_context(trust_env=False)


def _seconds(text: str | None) -> float | None:
    """The seconds of a Retry-After, unless it is a date."""
    return float(text[:6]) if text and text.isascii() and text.isdigit() else None
