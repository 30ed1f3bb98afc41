"""Reading a body: its size, its type, its JSON, and every fault in it at once."""

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Awaitable, Callable
from itertools import accumulate, islice
from typing import Any

import msgspec
from starlette.requests import ClientDisconnect

from sightline.platform.beside import Beside
from sightline.platform.errors import Fault, MalformedJson, TooLarge, UnsupportedMediaType, ValidationFailed
from sightline.platform.faults import fault_of, faults_in, first_faults, nul_faults
from sightline.platform.wire import DEEPEST, LONGEST_NUMBER, read_wire_type

MIB = 1024 * 1024
MOST_VALUES = 100_000  # while JSON is decoded or encoded no other thread runs; 2 million values would take a second
MOST_LOOKED_AT = 5_000  # values of a faulty body; of a larger one the first fault is named
MOST_EXPONENTS = 100  # beyond 29: PostgreSQL keeps 1e300 with all its zeros

_CHARSET = re.compile(rb";\s*charset\s*=\s*\"?([^\s;\"]*)")
_UTF_8 = (b"utf-8", b"utf8", b"us-ascii", b"ascii")

_AS_ZEROS = bytes.maketrans(b"123456789E", b"000000000e")
_TOO_LONG = b"0" * (LONGEST_NUMBER + 1)
_EXPONENT = re.compile(rb"[eE][+-]?0*(?:[3-9][0-9]|[1-9][0-9]{2})")
_BRACKET = re.compile(rb"[][{}]")
_MANY_VALUES = f"At most {MOST_VALUES} values in one body"
_TOO_DEEP = f"The body is nested deeper than {DEEPEST} levels."

Receive = Callable[[], Awaitable[Any]]

_LARGE_BODIES = Beside("large-body")
run_by_size = _LARGE_BODIES.run_by_size


async def receive_body(receive: Receive, headers: dict[bytes, bytes], largest: int) -> bytes:
    """Returns the body without a byte order mark.

    Raises ClientDisconnect, and TooLarge past `largest` bytes, without reading what is announced to be larger.
    """
    announced = int(headers.get(b"content-length", b"").lstrip(b"0") or 0)  # the connection lets only digits pass
    body, has_more = bytearray(), announced <= largest
    while has_more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body += message.get("body", b"")
        has_more = message.get("more_body", False) and len(body) <= largest
    if max(announced, len(body)) > largest:
        raise TooLarge(f"The body may have at most {largest} bytes.", limit=largest)
    return bytes(body).removeprefix(BOM_UTF8)


def refuse_other_types(headers: dict[bytes, bytes]) -> None:
    """Raises UnsupportedMediaType for a compressed body, or another type or charset than JSON and UTF-8.

    A header that is missing is accepted.
    """
    if headers.get(b"content-encoding", b"identity").strip().lower() not in (b"identity", b""):
        raise UnsupportedMediaType("Send the body without a Content-Encoding.")
    declared = headers.get(b"content-type", b"").lower()
    kind = declared.split(b";", 1)[0].strip()
    if kind and kind != b"application/json":
        raise UnsupportedMediaType("Send application/json.")
    charset = _CHARSET.search(declared)
    if charset is not None and charset[1] not in _UTF_8:
        raise UnsupportedMediaType("Send UTF-8.")


class Body:
    """Decodes one type of body; answers a wrong one with its faults."""

    def __init__(self, kind: type[Any]) -> None:
        self.kind = kind
        self._decoder = msgspec.json.Decoder(kind, dec_hook=read_wire_type)

    async def read(self, body: bytes) -> Any:
        """Raises MalformedJson or ValidationFailed, and UnsupportedMediaType for UTF-16.

        Faults are looked for in the thread of large bodies: in 60 KB that takes 0.2 s.
        """
        try:
            try:
                return await run_by_size(self._decode, body)
            except (msgspec.DecodeError, UnicodeDecodeError):
                refusal = await _LARGE_BODIES.run(self._refusal, body)
        except RecursionError:
            refusal = MalformedJson(_TOO_DEEP)
        raise refusal

    def _decode(self, body: bytes) -> Any:
        _refuse_costly(body)
        read = self._decoder.decode(body)
        if b"\\u0000" in body and (faults := first_faults(nul_faults(msgspec.json.decode(body)))):
            raise ValidationFailed(faults)
        if body.count(b"[") + body.count(b"{") > DEEPEST and _depth(_without_texts(body)) > DEEPEST:
            raise MalformedJson(_TOO_DEEP)
        return read

    def _refusal(self, body: bytes) -> Exception:
        if body.startswith((BOM_UTF16_BE, BOM_UTF16_LE)) or b"\0" in body[:2]:
            return UnsupportedMediaType("Send UTF-8.")
        if not body.strip():
            return MalformedJson("A JSON object is needed; the body is empty.")
        try:
            value = msgspec.json.decode(body)
        except UnicodeDecodeError:
            return MalformedJson("The body is not UTF-8.")
        except msgspec.ValidationError as error:
            return ValidationFailed([Fault("", str(error))])
        except msgspec.DecodeError as error:
            return MalformedJson(str(error))
        find = faults_in if _count_values(_without_texts(body)) <= MOST_LOOKED_AT else fault_of
        return ValidationFailed(first_faults(find(self.kind, value)) or [Fault("", "Not valid.")])


def _refuse_costly(body: bytes) -> None:
    """Raises ValidationFailed for more than MOST_VALUES values, for a number longer than LONGEST_NUMBER, and for more
    than MOST_EXPONENTS numbers with a large exponent. Looks without, then with regard to texts.
    """
    if not _find_costs(body):
        return
    if body.count(b'"') - body.count(b'\\"') > 4 * MOST_VALUES:  # two for each name and text
        raise ValidationFailed.of("", _MANY_VALUES)
    if cost := _find_costs(_without_texts(body)):
        raise ValidationFailed.of("", cost)


def _without_texts(body: bytes) -> bytes:
    """Returns the JSON without what stands in its names and texts."""
    return b'"'.join(body.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')[::2])


def _find_costs(json: bytes) -> str | None:
    if len(json) <= LONGEST_NUMBER:
        return None
    if len(json) > MOST_VALUES and _count_values(json) > MOST_VALUES:
        return _MANY_VALUES
    zeros = json.translate(_AS_ZEROS, b"+-")
    if _TOO_LONG in zeros:
        return f"A number may have at most {LONGEST_NUMBER} digits"
    if zeros.count(b"e00") <= MOST_EXPONENTS:
        return None
    exponents = sum(1 for _ in islice(_EXPONENT.finditer(json), MOST_EXPONENTS + 1))
    return f"At most {MOST_EXPONENTS} numbers like 1e30 in one body" if exponents > MOST_EXPONENTS else None


def _count_values(json: bytes) -> int:
    """About the number of values; commas and brackets in texts are counted too."""
    return json.count(b",") + json.count(b"[") + json.count(b"{")


def _depth(json: bytes) -> int:
    """Returns how many lists and objects are inside each other, in JSON without texts."""
    return max(accumulate(1 if bracket in b"[{" else -1 for bracket in _BRACKET.findall(json)), default=0)
